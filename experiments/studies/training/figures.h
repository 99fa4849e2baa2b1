#pragma once

#include <vector>

#include "experiments/model/result.h"
#include "experiments/studies/training/runs.h"

namespace orrery {

/// What several seeds of one encoding came to: the mean of a number, and its least and greatest.
struct SeedSpread {
  double mean{}, least{}, greatest{};
  double width() const { return greatest - least; }
};
SeedSpread spread_of(const std::vector<double>& values);

/// The runs of one encoding, one per seed.
std::vector<const Run*> runs_of(const std::vector<Run>& runs, const std::string& encoding);

/// What an encoding came to on the sequences of one of the lengths that it was judged by.
/// @param value  &LossAtLength::loss or &LossAtLength::accuracy
SeedSpread held_out(const std::vector<Run>& runs, const std::string& encoding, std::size_t length,
                    double LossAtLength::*value);

/// By how much the held-out loss of `other` exceeds that of `encoding` at the length both learned
/// from, seed by seed: both have seen the same sequences.
SeedSpread excess_loss(const std::vector<Run>& runs, const std::string& other,
                       const std::string& encoding);

/// Loss by step, held-out loss and accuracy by length, scores of heads by step, and maps of the
/// first seed's telling heads.
std::vector<Figure> training_figures(const ParamSet& params, const std::vector<Run>& runs);
std::vector<Table> training_tables(const Trained& trained);

}  // namespace orrery

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "experiments/model/experiment.h"
#include "experiments/studies/training/one_run.h"

namespace orrery {

/// A learning rate and a deviation of token vectors that were tried together.
struct TriedStart {
  std::string encoding{};
  double rate{}, deviation{};
  double loss{};  ///< mean of the last tenth of its steps
  bool best{};
};

/// All of them, and what was tried before.
struct Trained {
  std::vector<Run> runs{};
  std::vector<TriedStart> tried{};
  std::vector<ResultFile> files{};   ///< of the models that are kept
  std::vector<ResultFile> opened{};  ///< of the first one that opens as a model, in the end
};

/// The tokens of sequences by which a model is judged, as multiples of those that it learned from:
/// 1, 1½, 2, 3, 4, up to "extrapolation".
std::vector<Index> judged_lengths(const ParamSet& params);

/// Trains every encoding with every seed, several at a time: the same numbers on any number of
/// threads. The data of a seed are the same for every encoding. Throws Stopped.
/// @param show  gets the models as they are, whenever somebody wants to see them
Trained train_all(const ParamSet& params, const Inputs& inputs, Progress& progress,
                  const std::function<void(const Trained&)>& show);

/// Operations of all of it, roughly.
double training_operations(const ParamSet& params);

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

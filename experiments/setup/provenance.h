#pragma once

#include <string>

#include "core/position.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// The experiment and every setting that is read.
Provenance provenance_of(const ExperimentInfo& info, const ParamSet& params);

/// An experiment that runs `compute` and adds the provenance to its results. Before that it checks
/// what every experiment is checked for (check_encodings), and what `check` does.
Experiment with_provenance(ExperimentInfo info,
                           Result (*compute)(const ParamSet&, const Inputs&, Progress&),
                           void (*check)(const ParamSet&) = nullptr);

/// The same of a computation that hands its arrays to a sink, some rows at a time: `run` holds them,
/// and throws ResourceError for more than memory has.
Experiment streamed_with_provenance(ExperimentInfo info,
                                    Result (*compute)(const ParamSet&, const Inputs&, ArraySink&,
                                                      Progress&),
                                    void (*check)(const ParamSet&) = nullptr);

/// "d = 128 channels", "rope.scaling = yarn".
std::string setting_text(const ParamSpec& spec, const std::string& value);

/// Every used setting in one line: "d = 128 channels · base = 10000 · …". Figures carry it as
/// caption.
std::string caption_of(const ParamSet& params);
/// A figure's caption with only those of these settings in it that are not the default, for where
/// the settings are at hand.
std::string brief_caption(std::string caption, const ParamSet& params);

// What every run is checked for before it computes anything.

/// The set with the parameters of every encoding: those that the experiment does not declare have
/// their defaults.
ParamSet with_every_encoding_param(const ParamSet& params);

/// Throws UsageError for a head that is not there, for an encoding that adds to the input when q is
/// given, and when an encoding that the parameters name could not be made: parameters that
/// contradict each other, a table that is too large.
void check_encodings(const ParamSet& params, const Inputs& inputs);

/// Throws UsageError for an encoding that the parameters name and that adds to the input, where q and
/// k are there already.
void check_acts_on_qk(const ParamSet& params);

/// Throws UsageError for the first encoding that has no position `last`: a trained table ends.
void check_last_position(const ParamSet& params, Position last);

//// Throws UsageError for a setting that is not at its default and that the files have decided in its
/// place: no value of it changes anything.
void check_obeyed(const ParamSet& params, const Result& result);

// What one run may take: some 15 s on one core, of which one does about 10^10 a second. More
/// draws, lengths or encodings are a sweep's, which uses every core and can be stopped and resumed.
inline constexpr double most_operations = 1.5e11;

// What dominates the runs that take long, in operations of that speed, as measured.
inline constexpr double operations_per_rotated_channel = 250;  // sine and cosine of an exact angle
inline constexpr double operations_per_product = 2.0 / 3.0;    // in a product of matrices
inline constexpr double operations_per_normal = 280;           // drawn

/// How many matrices [d_model, heads·d_head] an encoding draws.
double drawn_projections(const std::string& encoding);

/// Throws UsageError when a run would take more.
/// @param settings    those that it follows from: "tokens=512 with dim=4096"
/// @param remedy      "lower tokens, or dim"
void check_operations(const std::string& settings, double operations, const std::string& remedy);

}  // namespace orrery

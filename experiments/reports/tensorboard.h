#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery::reports {

/// The name of each event file. TensorBoard reads files with "tfevents" in their names.
inline constexpr const char* event_file_name = "events.out.tfevents.0000000000.orrery";

/// One point of a sweep for TensorBoard: the folder of the run, and the bytes of its event file.
struct TensorBoardRun {
  std::string folder{};  ///< "dim=64,base=10000,repeat=2": safe in any file system, and unique
  std::string events{};
};

/// A run per point that is done, in the order of the points. Its scalars are scalar summaries at
/// step 0, in single precision, as event files have them. A tag is "ENCODING/MEASURE" where any
/// point of the sweep compares several encodings, and "MEASURE" where the run has one. For the tab
/// HPARAMS it has the settings that differ between points; repeats are sessions of one group.
/// Times are 0, so that the same sweep gives the same bytes.
/// @param tidy   of the same points
/// @param specs  which settings are numbers
std::vector<TensorBoardRun> tensorboard_runs(const std::vector<PointRecord>& points,
                                             const TidyTable& tidy,
                                             std::span<const ParamSpec> specs);

}  // namespace orrery::reports

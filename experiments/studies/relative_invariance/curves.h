#pragma once

#include <string>
#include <vector>

#include "core/pipelines.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// Of the layer whose first head is measured.
inline constexpr int layer_heads = 8;

// How much the logits of an encoding change under common shifts, in one pipeline.

/// An encoding in a pipeline.
struct ShiftCurve {
  std::string encoding{};
  Pipeline pipeline{};
  bool compared{};  ///< with other pipelines
  bool relative{};
  bool reads_context{};  ///< of tokens beside the query and the key
  std::vector<double> error{};
  std::vector<double> ulps{};
  std::vector<double>
      rounding{};  ///< largest distance from exact; empty where that is the pipeline
  double bound{};  ///< what rounding may cost where positions and angles are exact
  std::vector<double> angle_bound{};  ///< RoPE alone: what rounding its angles may add, by shift
  bool exact_positions{};             ///< no rounding of positions, distances or angles shows
  std::size_t known{0};      ///< number of shifts, from the first on, whose positions are defined
  Position last_position{};  ///< of the encoding
  bool overflows{};          ///< a stage in fp16 has no number as large as a position or angle here
  double exact_change{};     ///< largest change of a logit over the known shifts in exact

  std::string label() const;
  std::string label_in_pipeline() const;
  /// "rope_eager_fp32"; "rope" where no other pipeline is compared.
  std::string key() const { return compared ? encoding + "_" + pipeline.name : encoding; }
  /// The largest value over the known shifts; NaN if one of them is, and where there is none.
  double worst(const std::vector<double>& values) const;
  /// The largest share of its bound that an error takes, over the known shifts.
  double worst_share() const;
};

/// Encoding by encoding, each in all pipelines.
std::vector<ShiftCurve> measure_all(const ParamSet& params, const std::vector<Position>& shifts,
                                    Progress& progress);

}  // namespace orrery

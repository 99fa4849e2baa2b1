#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/identify/tensor_report.h"
#include "experiments/model/inputs.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {
struct RotationAnswer;    // experiments/identify/rope_search.h
struct RotationQuestion;  // experiments/identify/rope_search.h

/// What is known beside the tensors.
struct IdentifyOptions {
  std::vector<std::int64_t> positions{};  ///< [N·axes], row by row; empty: 0, 1, …, N − 1
  std::size_t axes{1};
  double unit{1};            ///< what 1 of the positions is worth, where they are fractions
  bool tokens_first{false};  ///< tensors are [N, H, d] rather than [H, N, d]
  std::string format{};      ///< "bf16", …; empty: the narrowest that holds all numbers
  std::optional<LayerPlan> expected{};  ///< what a configuration says of the layer
  std::int64_t length{};  ///< of the sequence, by which some choose frequencies; 0: not known
  std::size_t most{6};    ///< hypotheses that are reported
  int threads{1};
  /// Sees what a report is made of, while its tensors are there; empty where nothing draws it.
  std::function<void(const RotationQuestion&, const RotationAnswer&)> see{};
};

/// Which rope turned q or k, [N, d], [H, N, d] or [B, H, N, d], into another tensor of that shape.
/// Throws DataError: shapes that differ, or positions for another N; UsageError: an expected head
/// of another size.
TensorReport identify_tensors(const std::string& name, const Tensor& before, const Tensor& after,
                              const IdentifyOptions& options);

/// Which base and scaling give these frequencies, rad per token, [d/2]. Positions do not matter.
TensorReport identify_frequencies(const std::string& name, const Tensor& inv_freq,
                                  const IdentifyOptions& options);

/// Which rope these tables belong to, [N, d/2], or [N, d] with each angle twice: in both halves or
/// in neighbouring channels, which the notes say.
TensorReport identify_tables(const std::string& name, const Tensor& cos, const Tensor& sin,
                             const IdentifyOptions& options);

}  // namespace orrery

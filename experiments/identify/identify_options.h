#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace orrery

#pragma once

#include "experiments/model/figure.h"
#include "tests/fuzz/support/json_input.h"

namespace orrery::fuzz {

/// A figure as a fuzzer gives it: the JSON of figure_json, and after a NUL byte the numbers of its
/// arrays and whatever else a harness takes.
struct FigureInput {
  explicit FigureInput(std::string_view bytes);

  std::string_view json{};
  std::string_view rest{};
};

/// The figure in the JSON, its arrays filled from `numbers`; empty when it is refused.
std::optional<Figure> figure_in(const Json& json, std::string_view numbers);

}  // namespace orrery::fuzz

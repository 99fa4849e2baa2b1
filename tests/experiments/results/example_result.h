#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "experiments/model/result.h"

/// A small result with one of everything, among them numbers that are not finite.
inline orrery::Result example_result() {
  using namespace orrery;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  auto weights =
      std::make_shared<const Array>(Array{.name = "weights",
                                          .description = "attention weights",
                                          .shape = {2, 2},
                                          .axes = {"query", "key"},
                                          .values = std::vector<float>{1, 0, 0.5, 0.5},
                                          .role = {.kind = "weights", .encodings = {"rope"}}});
  Result result;
  result.provenance = {"decay", 3, {{"dim", "64"}, {"encoding", "rope+alibi"}}, 42};
  result.scalars = {
      {"half_distance", "r_½", "tokens", 0.1, "where the mean has fallen to one half"},
      {"limit", "", "", -inf, "as r grows"}};
  result.checks = {
      {"below", "the mean is below the bound", "eq. (37)", 0.25, Relation::at_most, 0.5},
      {"above", "a NaN never holds", "", nan, Relation::at_least, 0}};
  result.tables = {{"by_encoding",
                    "Decay by encoding",
                    {{"encoding", "", std::vector<std::string>{"RoPE, base 1e4", "ALiBi"}},
                     {"distance", "tokens", std::vector<double>{1.0 / 3, nan}}}}};
  result.figures = {{"decay", "Decay", "d = 64",
                     LinePlot{.series = {{.name = "RoPE", .x = {0, 1}, .y = {1, nan}}}}},
                    {"map", "Map", "all", Heatmap{.values = weights}, weights->role}};
  result.arrays = {weights};
  return result;
}

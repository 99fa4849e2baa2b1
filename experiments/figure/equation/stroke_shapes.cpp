#include "experiments/figure/equation/stroke_shapes.h"

#include <cmath>
#include <numbers>

namespace orrery::figure {
namespace {

using Polyline = std::vector<Point>;

Polyline parenthesis() {
  Polyline arc;
  for (int i = 0; i <= 16; ++i) {
    const double y = -1 + i / 8.0;
    arc.push_back({0.25 + 0.6 * y * y * (0.75 + 0.25 * y * y), y});
  }
  return arc;
}

Polyline brace() {
  return {{0.95, -1},   {0.7, -0.97}, {0.55, -0.85}, {0.55, -0.15}, {0.42, -0.04}, {0.15, 0},
          {0.42, 0.04}, {0.55, 0.15}, {0.55, 0.85},  {0.7, 0.97},   {0.95, 1}};
}

}  // namespace

std::vector<std::vector<Point>> bracket_shape(std::string_view bracket) {
  const auto is = [bracket](std::string_view open, std::string_view close) {
    return bracket == open || bracket == close;
  };
  if (is("(", ")")) return {parenthesis()};
  if (is("[", "]")) return {{{0.85, -1}, {0.3, -1}, {0.3, 1}, {0.85, 1}}};
  if (is("⌊", "⌋")) return {{{0.3, -1}, {0.3, 1}, {0.85, 1}}};
  if (is("⟨", "⟩")) return {{{0.85, -1}, {0.3, 0}, {0.85, 1}}};
  if (is("{", "}")) return {brace()};
  if (bracket == "‖") return {{{0.3, -1}, {0.3, 1}}, {{0.75, -1}, {0.75, 1}}};
  return {{{0.5, -1}, {0.5, 1}}};
}

std::vector<Point> tilde_shape() {
  Polyline wave;
  for (int i = 0; i <= 12; ++i) {
    const double t = i / 12.0;
    wave.push_back({2 * t - 1, 1 + std::sin(2 * std::numbers::pi * t)});
  }
  return wave;
}

}  // namespace orrery::figure

#include "experiments/figure/equation/stroke_shapes.h"

#include <cmath>
#include <numbers>

namespace orrery {
namespace {

using Polyline = std::vector<Point>;

constexpr double thin = 0.045, bar = 0.06;  ///< widths of strokes, em
constexpr double swell = 0.035;  ///< what curved brackets are thicker by in the middle, em

/// A stroke that swells in the middle, as two that overlap.
BracketShape swelling(const Polyline& spine, double width) {
  BracketShape shape{.width = width};
  for (const double part : {-0.5, 0.5}) {
    Polyline line = spine;
    for (Point& p : line) p.x += part * swell * (1 - p.y * p.y);
    shape.strokes.push_back({std::move(line), thin});
  }
  return shape;
}

BracketShape parenthesis() {
  Polyline arc;
  for (int i = 0; i <= 24; ++i) {
    const double y = -1 + i / 12.0;
    arc.push_back({0.10 + 0.25 * y * y * (0.72 + 0.28 * y * y), y});
  }
  return swelling(arc, 0.40);
}

/// Two quarter turns around a point in the middle.
BracketShape brace() {
  constexpr double outer = 0.42, stem = 0.24, tip = 0.06, turn = 0.16;
  Polyline line;
  const auto curve = [&](double x0, double y0, double x1, double y1) {
    for (int i = 0; i <= 6; ++i) {
      const double t = i / 6.0, ease = t * t * (3 - 2 * t);
      line.push_back({x0 + (x1 - x0) * ease, y0 + (y1 - y0) * t});
    }
  };
  curve(outer, -1, stem, -1 + turn);
  curve(stem, -turn, tip, 0);
  curve(tip, 0, stem, turn);
  curve(stem, 1 - turn, outer, 1);
  return swelling(line, 0.46);
}

BracketShape straight(const std::vector<Polyline>& lines, double width) {
  BracketShape shape{.width = width};
  for (const Polyline& line : lines) shape.strokes.push_back({line, bar});
  return shape;
}

}  // namespace

BracketShape bracket_shape(std::string_view bracket) {
  const auto is = [bracket](std::string_view open, std::string_view close) {
    return bracket == open || bracket == close;
  };
  if (is("(", ")")) return parenthesis();
  if (is("{", "}")) return brace();
  if (is("[", "]")) return straight({{{0.30, -1}, {0.12, -1}, {0.12, 1}, {0.30, 1}}}, 0.34);
  if (is("⌊", "⌋")) return straight({{{0.12, -1}, {0.12, 1}, {0.30, 1}}}, 0.34);
  if (is("⟨", "⟩")) return straight({{{0.30, -1}, {0.08, 0}, {0.30, 1}}}, 0.36);
  if (bracket == "‖") return straight({{{0.10, -1}, {0.10, 1}}, {{0.26, -1}, {0.26, 1}}}, 0.36);
  return straight({{{0.14, -1}, {0.14, 1}}}, 0.28);
}

std::vector<Point> tilde_shape() {
  Polyline wave;
  for (int i = 0; i <= 12; ++i) {
    const double t = i / 12.0;
    wave.push_back({2 * t - 1, 1 + std::sin(2 * std::numbers::pi * t)});
  }
  return wave;
}

}  // namespace orrery

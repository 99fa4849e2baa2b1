#include "core/encodings/axis_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/errors.h"

namespace orrery {
namespace {

constexpr const char* table_name = "axis_rope.positions";
constexpr const char* layout_key = "axis_rope.layout";

using Place = std::array<Position, 3>;

Place on_all(Position position) { return {position, position, position}; }

Place patch_at(const AxisLayout& layout, Position k) {
  const Position row = k / layout.columns % layout.rows, column = k % layout.columns;
  const Position frame = k / layout.columns / layout.rows;
  const Position time = layout.text_before + layout.time_step * frame;
  if (layout.kind == AxisLayoutKind::diagonal)
    return {time, time + row - (layout.rows - 1) / 2, time + column - (layout.columns - 1) / 2};
  return {time, layout.text_before + row, layout.text_before + column};
}

/// How far the patches reach, and the text after them begins.
Position extent(const AxisLayout& layout) {
  const Position time = layout.time_step * (layout.frames - 1);
  if (layout.kind == AxisLayoutKind::diagonal) return time + 1;
  Position last = time;
  for (const Position side : {layout.rows - 1, layout.columns - 1})
    if (side > last) last = side;
  return last + 1;
}

Place place_of(const AxisLayout& layout, Position token) {
  const Position patch = token - layout.text_before;
  const Position patches = layout.frames * layout.rows * layout.columns;
  if (layout.kind == AxisLayoutKind::text || patch < 0) return on_all(token);
  if (patch < patches) return patch_at(layout, patch);
  return on_all(token - patches + extent(layout));
}

AxisPositions given_positions(const AxisLayout& layout, PositionsIn tokens) {
  AxisPositions at(std::ssize(tokens), layout.given.cols());
  for (Index i = 0; i < at.rows(); ++i) {
    const Position token = tokens[static_cast<std::size_t>(i)];
    if (token < 0 || token >= layout.given.rows())
      throw UsageError(
          fmt::format("position {}", token),
          fmt::format("table {} has rows for 0 to {}", table_name, layout.given.rows() - 1),
          "give a row for every token");
    at.row(i) = layout.given.row(token);
  }
  return at;
}

AxisPositions whole_positions(const Matrix<double>& table) {
  if (table.cols() != 3 || table.rows() < 1)
    throw UsageError(fmt::format("{} [{}, {}]", table_name, table.rows(), table.cols()),
                     "must be [N, 3]: time, row and column of each token",
                     "repeat a position on axes that a token does not have");
  AxisPositions at(table.rows(), table.cols());
  for (Index i = 0; i < table.size(); ++i) {
    const double value = table.data()[i];
    if (!(std::abs(value) <= static_cast<double>(max_position)) || value != std::floor(value))
      throw UsageError(fmt::format("{}={}", table_name, value),
                       "must be whole numbers within ±2^53",
                       "multiply the axis until its positions are whole, and divide the base");
    at.data()[i] = static_cast<Position>(value);
  }
  return at;
}

ParamSpec count(const char* name, const char* symbol, const char* description, std::int64_t value,
                double min) {
  return {.key = fmt::format("axis_rope.{}", name),
          .symbol = symbol,
          .description = description,
          .kind = ParamKind::integer,
          .default_value = value,
          .min = min,
          .max = 0x1p14,
          .logarithmic = min > 0,
          .used_when = Condition{layout_key, {"grid", "diagonal"}}};
}

}  // namespace

AxisPositions axis_positions(const AxisLayout& layout, PositionsIn tokens) {
  check_positions(tokens);
  if (layout.given.rows() > 0) return given_positions(layout, tokens);
  AxisPositions at(std::ssize(tokens), 3);
  for (Index i = 0; i < at.rows(); ++i) {
    const Place place = place_of(layout, tokens[static_cast<std::size_t>(i)]);
    for (std::size_t axis = 0; axis < place.size(); ++axis)
      at(i, static_cast<Index>(axis)) = place[axis];
  }
  return at;
}

std::optional<Position> text_from(const AxisLayout& layout) {
  if (layout.given.rows() > 0) return std::nullopt;
  if (layout.kind == AxisLayoutKind::text) return -max_position;
  return layout.text_before + layout.frames * layout.rows * layout.columns;
}

std::vector<ParamSpec> axis_layout_params() {
  ParamSpec layout{
      .key = layout_key,
      .description = "Where the tokens lie on the axes time, row and column.",
      .kind = ParamKind::choice,
      .default_value = std::string("grid"),
      .choices = {
          {"text", "on all axes at $m$, as text does"},
          {"grid", "text, a grid of patches that starts where the text ends, text: Qwen2-VL"},
          {"diagonal",
           "the same, and rows and columns are centred on the time of their frame: "
           "VideoRoPE"}}};
  return {std::move(layout),
          count("text_before", "$b$", "Tokens of text before the grid.", 4, 0),
          count("frames", "$F$", "Frames of the grid; 1 for an image.", 2, 1),
          count("rows", "$R$", "Rows of patches in a frame.", 4, 1),
          count("columns", "$C$", "Columns of patches in a frame.", 4, 1),
          count("time_step", "$δ$", "Steps of time from one frame to the next; VideoRoPE has 2.", 1,
                1)};
}

TableSpec axis_positions_table() {
  return {.name = table_name,
          .shape = "[N, 3]",
          .description = "Time, row and column of tokens 0, 1, …, in place of axis_rope.layout.",
          .initial = "as axis_rope.layout has them",
          .drawn = false};
}

AxisLayout axis_layout_of(const EncodingSettings& settings) {
  const ParamSet& params = settings.params;
  const auto number = [&](const char* name) {
    return params.integer(fmt::format("axis_rope.{}", name));
  };
  AxisLayout layout{.text_before = number("text_before"),
                    .frames = number("frames"),
                    .rows = number("rows"),
                    .columns = number("columns"),
                    .time_step = number("time_step")};
  const std::string& kind = params.text(layout_key);
  if (kind == "text") layout.kind = AxisLayoutKind::text;
  if (kind == "diagonal") layout.kind = AxisLayoutKind::diagonal;
  if (!settings.tables) return layout;
  const auto table = settings.tables->find(table_name);
  if (table != settings.tables->end()) layout.given = whole_positions(table->second);
  return layout;
}

}  // namespace orrery

#include "core/encodings/axis_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
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

using Axes = std::vector<std::size_t>;

Axes one_after_another(const std::vector<Index>& sections) {
  Axes axes;
  for (std::size_t a = 0; a < sections.size(); ++a)
    axes.insert(axes.end(), static_cast<std::size_t>(sections[a]), a);
  return axes;
}

Axes interleaved(const std::vector<Index>& sections) {
  const std::size_t count = sections.size();
  Axes axes(static_cast<std::size_t>(std::accumulate(sections.begin(), sections.end(), Index{0})));
  for (std::size_t a = 1; a < count; ++a)
    for (Index i = 0; i < sections[a]; ++i) {
      const std::size_t pair = a + static_cast<std::size_t>(i) * count;
      if (pair >= axes.size())
        throw UsageError(fmt::format("section {} of axis {}", sections[a], a),
                         fmt::format("interleaves beyond the {} pairs", axes.size()),
                         "give the first axis the largest section");
      axes[pair] = a;
    }
  return axes;
}

/// Axes 1, 2, … in turn as long as they have pairs left, then axis 0.
Axes time_last(std::vector<Index> sections) {
  Axes axes;
  bool any = true;
  while (any) {
    any = false;
    for (std::size_t a = 1; a < sections.size(); ++a) {
      if (sections[a]-- <= 0) continue;
      axes.push_back(a);
      any = true;
    }
  }
  if (!sections.empty()) axes.insert(axes.end(), static_cast<std::size_t>(sections[0]), 0);
  return axes;
}

struct DesignName {
  AxisDesign design;
  const char* name;
  const char* description;
  double time, row;  ///< shares of the pairs that its source gives to these axes
};

constexpr std::array<DesignName, 5> designs{{
    {AxisDesign::chunked, "chunked",
     "M-RoPE of Qwen2-VL: fast pairs turn by time, then rows, slow ones by columns", 0.25, 0.375},
    {AxisDesign::interleaved, "interleaved", "M-RoPE of Qwen3-VL: the axes take turns", 0.375,
     0.3125},
    {AxisDesign::time_last, "time_last",
     "VideoRoPE: rows and columns in turn, and time on the slow pairs", 0.25, 0.375},
    {AxisDesign::time_still, "time_still", "HoPE: as VideoRoPE, and pairs of time do not turn",
     0.25, 0.375},
    {AxisDesign::axial, "axial",
     "vision transformers: each axis has frequencies of its own, and time none", 0, 0.5},
}};
/// MHRoPE is no design of pairs: all of them turn by the axis of the head.
constexpr const char* by_head = "per_head";
constexpr std::array<const char*, 3> axis_names{"time", "row", "column"};

const DesignName& design_of(const ParamSet& params) {
  for (const DesignName& one : designs)
    if (params.text("axis_rope.design") == one.name) return one;
  return designs.front();
}

Index head_axis_of(const ParamSet& params) {
  const auto found = std::ranges::find(axis_names, params.text("axis_rope.head_axis"));
  return found - axis_names.begin();
}

ParamSpec design_param() {
  ParamSpec spec{.key = "axis_rope.design",
                 .description = "Which axis turns which pairs.",
                 .kind = ParamKind::choice,
                 .default_value = std::string(designs.front().name)};
  for (const DesignName& one : designs) spec.choices.push_back({one.name, one.description});
  spec.choices.push_back({by_head, "MHRoPE: all pairs of a head turn by one axis"});
  return spec;
}

ParamSpec pairs_param(const char* axis, const char* symbol) {
  ParamSpec spec{.key = fmt::format("axis_rope.{}_pairs", axis),
                 .symbol = symbol,
                 .description = fmt::format("Pairs that turn by the {}; columns have the rest. "
                                            "−1: the share that the design's source has.",
                                            axis),
                 .kind = ParamKind::integer,
                 .default_value = std::int64_t{-1},
                 .min = -1,
                 .max = 2048,
                 .used_when = Condition{"axis_rope.design", {}}};
  for (const DesignName& one : designs) spec.used_when->any_of.emplace_back(one.name);
  return spec;
}

ParamSpec head_axis_param() {
  ParamSpec spec{.key = "axis_rope.head_axis",
                 .description = "The axis of the head: heads share them out.",
                 .kind = ParamKind::choice,
                 .default_value = std::string(axis_names.front()),
                 .used_when = Condition{"axis_rope.design", {by_head}}};
  for (const char* name : axis_names)
    spec.choices.push_back({name, fmt::format("all pairs turn by the {}", name)});
  return spec;
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

std::string_view name(AxisDesign design) {
  return std::ranges::find(designs, design, &DesignName::design)->name;
}

std::vector<std::size_t> axes_of_pairs(AxisDesign design, const std::vector<Index>& sections) {
  switch (design) {
    case AxisDesign::interleaved:
      return interleaved(sections);
    case AxisDesign::time_last:
    case AxisDesign::time_still:
      return time_last(sections);
    case AxisDesign::chunked:
    case AxisDesign::axial:
      break;
  }
  return one_after_another(sections);
}

std::vector<Index> axis_sections_of(const ParamSet& params, Index pairs) {
  if (params.text("axis_rope.design") == by_head) {
    std::vector<Index> sections(axis_names.size(), 0);
    sections[static_cast<std::size_t>(head_axis_of(params))] = pairs;
    return sections;
  }
  const DesignName& design = design_of(params);
  const auto share = [&](double part) {
    return static_cast<Index>(std::floor(part * static_cast<double>(pairs)));
  };
  const Index asked_time = params.integer("axis_rope.time_pairs");
  const Index asked_row = params.integer("axis_rope.row_pairs");
  const Index row = asked_row >= 0 ? asked_row : share(design.row);
  Index time = asked_time >= 0 ? asked_time : share(design.time);
  // An interleaved axis cannot have what is left over: its pairs end with its turns.
  if (asked_time < 0 && design.design == AxisDesign::interleaved) time = pairs - 2 * row;
  if (time >= 0 && time + row <= pairs) return {time, row, pairs - time - row};
  throw UsageError(
      fmt::format("axis_rope.time_pairs={} and axis_rope.row_pairs={}", asked_time, asked_row),
      fmt::format("leave no pairs of {} for columns", pairs), "lower one of them");
}

AxisDesign axis_design_of(const ParamSet& params) { return design_of(params).design; }

std::vector<ParamSpec> axis_design_params() {
  return {design_param(), pairs_param("time", "$s_t$"), pairs_param("row", "$s_r$"),
          head_axis_param()};
}

}  // namespace orrery

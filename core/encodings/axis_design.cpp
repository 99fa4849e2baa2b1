#include "core/encodings/axis_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>

#include "core/errors.h"

namespace orrery {
namespace {

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
constexpr const char* per_head = "per_head";
constexpr std::array<const char*, 3> axis_names{"time", "row", "column"};

const DesignName& design_of(const ParamSet& params) {
  for (const DesignName& one : designs)
    if (params.text("axis_rope.design") == one.name) return one;
  return designs.front();
}

Index head_axis_of(const ParamSet& params) {
  const auto found =
      std::find(axis_names.begin(), axis_names.end(), params.text("axis_rope.head_axis"));
  return found - axis_names.begin();
}

ParamSpec design_param() {
  ParamSpec spec{.key = "axis_rope.design",
                 .description = "Which axis turns which pairs.",
                 .kind = ParamKind::choice,
                 .default_value = std::string(designs.front().name)};
  for (const DesignName& one : designs) spec.choices.push_back({one.name, one.description});
  spec.choices.push_back({per_head, "MHRoPE: all pairs of a head turn by one axis"});
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
                 .used_when = Condition{"axis_rope.design", {per_head}}};
  for (const char* name : axis_names)
    spec.choices.push_back({name, fmt::format("all pairs turn by the {}", name)});
  return spec;
}

}  // namespace

std::string_view name(AxisDesign design) {
  return std::find_if(designs.begin(), designs.end(),
                      [&](const DesignName& known) { return known.design == design; })
      ->name;
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
  if (params.text("axis_rope.design") == per_head) {
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

#include "experiments/setup/searched_tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "core/encodings/rope_settings.h"
#include "core/errors.h"
#include "experiments/identify/defects.h"
#include "experiments/identify/describe_rope.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_summary.h"

namespace orrery {

SearchedTensor planted_tensor(const WrittenRope& rope, Random& random, Index heads,
                              AxisPositions positions) {
  const StageRounding bf16(Precision::bf16, {Stage::qk});
  const Index rows = positions.rows();
  SearchedTensor tensor{.heads = heads,
                        .before = normal_matrix<double>(random, heads * rows, rope.d_head),
                        .positions = std::move(positions)};
  bf16.apply<double>(Stage::qk, tensor.before);
  RowPlaces places{.positions = tensor.positions};
  for (Index h = 0; h < heads; ++h) places.heads.push_back(h);
  for (Index n = 0; n < rows; ++n) places.rows.push_back(n);
  tensor.after = apply_written(rope, places, tensor.before);
  bf16.apply<double>(Stage::qk, tensor.after);
  return tensor;
}

bool is_among(const std::vector<WrittenRope>& ropes, const WrittenRope& rope) {
  return std::ranges::any_of(
      ropes, [&](const WrittenRope& other) { return same_but_for_precision(other, rope); });
}

std::string place_text(std::size_t i, bool tied) {
  return fmt::format("{}{}", i + 1, tied && i > 0 ? " (tied)" : "");
}

Heatmap residual_heatmap(const WrittenRope& rope, const RotationSample& sample,
                         const std::string& name, std::string quantity) {
  return {
      .values = to_array<double>(residual_map(rope, sample), name,
                                 "residual in roundings, by channel and row", {"channel", "row"}),
      .x = {.label = "row", .symbol = "$n$"},
      .y = channel_axis(),
      .quantity = std::move(quantity),
      .meaning = Meaning::sequential};
}

Series residual_series(const WrittenRope& rope, const RotationSample& sample, std::string name) {
  const Matrix<double> residual = residual_map(rope, sample);
  Series series{.name = std::move(name), .color = encoding_color("rope")};
  for (Index n = 0; n < residual.cols(); ++n) {
    series.x.push_back(static_cast<double>(sample.places.positions(n, 0)));
    series.y.push_back(
        std::sqrt(residual.col(n).squaredNorm() / static_cast<double>(residual.rows())));
  }
  return series;
}

Axis residual_axis(std::string label) {
  return {.label = std::move(label),
          .unit = "roundings",
          .scale = AxisScale::symlog,
          .symlog_threshold = 1.0};
}

namespace {

constexpr const char* no_defect = "none";
constexpr std::string_view prefix = "rope.";

/// The key of a rope's setting here: without "rope.".
std::string_view own_key(std::string_view setting) {
  return setting.starts_with(prefix) ? setting.substr(prefix.size()) : setting;
}

ParamSpec defect_param(const std::string& defect, bool may_be_sound) {
  ParamSpec spec = choice_param(
      "defect", "Mistake of the implementation, as it was reported of programs.", defect, {});
  if (may_be_sound) spec.choices.push_back({no_defect, "The sound rope."});
  for (const RopeDefect& known : rope_defects())
    spec.choices.push_back({known.name, known.description});
  return spec;
}

/// A setting of ropes under its key without "rope.", of the sound rope and with another default.
ParamSpec of_sound_rope(const char* setting, std::string description, ParamValue value) {
  ParamSpec spec = find_rope_setting(setting)->spec;
  spec.key = own_key(setting);
  if (spec.used_when) spec.used_when->key = own_key(spec.used_when->key);
  spec.description = std::move(description);
  spec.default_value = std::move(value);
  return spec;
}

/// Scalings whose settings are all offered: the factor and L₀.
bool is_offered(const Choice& kind) {
  return kind.name == "none" || kind.name == "linear" || kind.name == "yarn" ||
         kind.name == "llama3";
}

ParamSpec scaling_param() {
  ParamSpec spec = of_sound_rope("rope.scaling", "How the sound rope stretches frequencies.",
                                 std::string("llama3"));
  std::erase_if(spec.choices, [](const Choice& kind) { return !is_offered(kind); });
  return spec;
}

ParamSpec fraction_param() {
  return choice_param({"fraction", "$r/d$"}, "Share of the channels that turn.", "all",
                      {{"all", "every channel"},
                       {"half", "the first half of them"},
                       {"proportional", "p-RoPE: a quarter of all pairs"}});
}

/// Not so near 1 that a scaling changes nothing.
ParamSpec factor_param() {
  ParamSpec spec = of_sound_rope("rope.factor", "Factor of the scaling.", 8.0);
  spec.min = 1.5;
  spec.max = 1024.0;
  return spec;
}

}  // namespace

std::vector<ParamSpec> written_rope_params(const std::string& defect, bool may_be_sound) {
  return {defect_param(defect, may_be_sound), dim_param(64),
          of_sound_rope("base", "Base of the sound rope's frequencies.", 500000.0),
          of_sound_rope("rope.pairing", "Which channels the sound rope turns together.",
                        std::string("half_split")),
          fraction_param(), scaling_param(), factor_param(),
          // Without a scaling it is the context that is looked at.
          log_count_param({"original_length", "$L₀$", "tokens"},
                          "Context of the training, before it is stretched.", 4096, 64, 0x1p20)};
}

WrittenRope sound_rope_of(const ParamSet& params) {
  WrittenRope rope{{.d_head = params.integer("dim")}};
  rope.rotary_dims = rope.d_head;
  const std::string& fraction = params.text("fraction");
  if (fraction == "half") rope.rotary_dims = rope.d_head / 4 * 2;
  if (fraction == "proportional") {
    rope.rotary_dims = rope.d_head / 8 * 2;
    rope.partial = RopePartial::proportional;
  }
  if (rope.rotary_dims < 2)
    throw UsageError(fmt::format("fraction={} of dim={}", fraction, rope.d_head),
                     "turns no pair of channels", "use fraction=all, or a greater dim");
  for (const char* setting :
       {"base", "rope.pairing", "rope.scaling", "rope.factor", "rope.original_length"})
    find_rope_setting(setting)->set(rope, params.value(own_key(setting)));
  return rope;
}

WrittenRope defective_rope_of(const ParamSet& params, Index rows) {
  WrittenRope sound = sound_rope_of(params);
  const std::string& name = params.text("defect");
  if (name == no_defect) return sound;
  if (const auto rope = find_rope_defect(name).inject(sound, rows)) return *rope;
  throw UsageError(fmt::format("defect={}", name),
                   fmt::format("cannot be made in a rope with {}", short_text(sound)),
                   "choose another scaling, fraction or base");
}

}  // namespace orrery

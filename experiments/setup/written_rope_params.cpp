#include "experiments/setup/written_rope_params.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "experiments/search/defects.h"
#include "experiments/search/describe_rope.h"
#include "experiments/setup/common_params.h"

namespace orrery::setup {
namespace {

constexpr const char* no_defect = "none";

ParamSpec defect_param(const std::string& defect, bool may_be_sound) {
  ParamSpec spec{.key = "defect",
                 .description = "Mistake of the implementation, as it was reported of programs.",
                 .kind = ParamKind::choice,
                 .default_value = defect};
  if (may_be_sound) spec.choices.push_back({no_defect, "The sound rope."});
  for (const RopeDefect& known : rope_defects())
    spec.choices.push_back({known.name, known.description});
  return spec;
}

ParamSpec scaling_param() {
  return {.key = "scaling",
          .description = "How the sound rope stretches frequencies.",
          .kind = ParamKind::choice,
          .default_value = std::string("llama3"),
          .choices = {{"none", "not at all"},
                      {"linear", "θ/s: position interpolation"},
                      {"yarn", "as YaRN's code does, with its attention factor"},
                      {"llama3", "by wavelength, as Llama 3.1 does"}}};
}

RopeScaling scaling_of(const ParamSet& params) {
  using enum RopeScalingKind;
  const std::string& kind = params.text("scaling");
  if (kind == "none") return {};
  RopeScaling scaling{.kind = kind == "linear" ? linear
                              : kind == "yarn" ? yarn
                                               : llama3,
                      .factor = params.real("factor")};
  if (kind != "linear")
    scaling.original_length = static_cast<double>(params.integer("original_length"));
  return scaling;
}

}  // namespace

std::vector<ParamSpec> written_rope_params(const std::string& defect, bool may_be_sound) {
  ParamSpec base{.key = "base",
                 .description = "Base of the sound rope's frequencies.",
                 .kind = ParamKind::real,
                 .default_value = 500000.0,
                 .min = 2.0,
                 .max = 1e12,
                 .logarithmic = true};
  ParamSpec pairing{.key = "pairing",
                    .description = "Which channels the sound rope turns together.",
                    .kind = ParamKind::choice,
                    .default_value = std::string("half_split"),
                    .choices = {{"half_split", "(t, t + r/2): GPT-NeoX, Hugging Face Llama"},
                                {"interleaved", "(2t, 2t+1): the paper, GPT-J, Meta's Llama"}}};
  ParamSpec fraction{.key = "fraction",
                     .symbol = "r/d",
                     .description = "Share of the channels that turn.",
                     .kind = ParamKind::choice,
                     .default_value = std::string("all"),
                     .choices = {{"all", "every channel"},
                                 {"half", "the first half of them"},
                                 {"proportional", "p-RoPE: a quarter of all pairs"}}};
  ParamSpec factor{.key = "factor",
                   .symbol = "s",
                   .description = "Factor of the scaling.",
                   .kind = ParamKind::real,
                   .default_value = 8.0,
                   .min = 1.5,
                   .max = 1024.0,
                   .used_when = Condition{"scaling", {"linear", "yarn", "llama3"}}};
  ParamSpec length =
      log_count_param({"original_length", "L₀", "tokens"},
                      "Context of the training, before it is stretched.", 4096, 64, 0x1p20);
  return {defect_param(defect, may_be_sound),
          dim_param(64),
          std::move(base),
          std::move(pairing),
          std::move(fraction),
          scaling_param(),
          std::move(factor),
          std::move(length)};
}

WrittenRope sound_rope_of(const ParamSet& params) {
  WrittenRope rope{.d_head = params.integer("dim")};
  rope.rotary_dims = rope.d_head;
  rope.base = params.real("base");
  if (params.text("pairing") == "interleaved") rope.pairing = RopePairing::interleaved;
  const std::string& fraction = params.text("fraction");
  if (fraction == "half") rope.rotary_dims = rope.d_head / 4 * 2;
  if (fraction == "proportional") {
    rope.rotary_dims = rope.d_head / 8 * 2;
    rope.partial = RopePartial::proportional;
  }
  if (rope.rotary_dims < 2)
    throw UsageError(fmt::format("fraction={} of dim={}", fraction, rope.d_head),
                     "turns no pair of channels", "use fraction=all, or a greater dim");
  rope.scaling = scaling_of(params);
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

}  // namespace orrery::setup

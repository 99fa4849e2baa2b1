#include "experiments/setup/written_rope_params.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "core/encodings/rope_settings.h"
#include "core/errors.h"
#include "experiments/identify/defects.h"
#include "experiments/identify/describe_rope.h"
#include "experiments/setup/common_params.h"

namespace orrery {
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

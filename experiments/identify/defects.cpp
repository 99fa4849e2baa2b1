#include "experiments/identify/defects.h"

#include <cmath>

#include "core/unknown_name.h"

namespace orrery {
namespace {

using Defective = std::optional<WrittenRope>;

bool is_scaled(const WrittenRope& rope) { return rope.scaling.kind != RopeScalingKind::none; }
bool is_partial(const WrittenRope& rope) {
  return rope.partial == RopePartial::truncated && rope.rotary_dims < rope.d_head;
}
bool is_proportional(const WrittenRope& rope) {
  return rope.partial == RopePartial::proportional && rope.rotary_dims < rope.d_head;
}
bool has_length(const WrittenRope& rope) {
  using enum RopeScalingKind;
  const RopeScalingKind kind = rope.scaling.kind;
  return kind == yarn || kind == ntk_by_parts || kind == llama3;
}

/// The rope after `change`, where it `applies`.
template <class Change>
Defective changed(const WrittenRope& sound, bool applies, Change change) {
  if (!applies) return std::nullopt;
  WrittenRope rope = sound;
  change(rope);
  return rope;
}

/// Rows that were there before decoding began, in a tensor of so many.
Index prompt_rows(Index rows) { return rows / 2; }

Defective with_rule(const WrittenRope& sound, PositionRule rule, Index rows) {
  return changed(sound, sound.rule == PositionRule::stated, [&](WrittenRope& rope) {
    rope.rule = rule;
    const bool begins = rule == PositionRule::zero_from || rule == PositionRule::next_from ||
                        rule == PositionRule::past_twice;
    if (begins) rope.from_row = prompt_rows(rows);
    // The factor goes with cos and sin.
    if (rule == PositionRule::none && amplitude_of(rope) != 1) rope.amplitude = 1.0;
  });
}

Defective with_format(const WrittenRope& sound, Stage stage, Precision format) {
  return changed(sound, unit_roundoff(sound.rounding.format(stage)) < unit_roundoff(format),
                 [&](WrittenRope& rope) { rope.rounding.set(stage, format); });
}

Defective with_unit(const WrittenRope& sound, AngleUnit unit) {
  return changed(sound, sound.unit == AngleUnit::radians,
                 [&](WrittenRope& rope) { rope.unit = unit; });
}

Defective with_amplitude(const WrittenRope& sound, bool applies, double amplitude) {
  return changed(sound, applies, [&](WrittenRope& rope) { rope.amplitude = amplitude; });
}

Defective with_wiring(const WrittenRope& sound, Wiring wiring) {
  return changed(sound, sound.wiring == Wiring::rotation && !sound.reordered,
                 [&](WrittenRope& rope) { rope.wiring = wiring; });
}

double yarn_factor(double s) { return 0.1 * std::log(s) + 1; }

std::vector<RopeDefect> defects_of_frequencies() {
  return {
      {"base_lost", "The base of the configuration is not read: 10000 is used.",
       "vllm #42624, DeepSpeed #8341, sglang #14745, mlx-lm #953",
       [](const WrittenRope& r, Index) {
         return changed(r, r.base != 10000, [](WrittenRope& w) { w.base = 10000; });
       }},
      {"scaling_skipped",
       "Frequencies are not scaled: `type` was read for `rope_type`, or neither.",
       "unsloth #6197, felafax #59, tiny-vllm #1",
       [](const WrittenRope& r, Index) {
         return changed(r, is_scaled(r), [](WrittenRope& w) { w.scaling = {}; });
       }},
      {"scaling_read_as_linear", "Every frequency is divided by the factor, whatever the kind.",
       "llama.cpp #8676",
       [](const WrittenRope& r, Index) {
         const bool other = is_scaled(r) && r.scaling.kind != RopeScalingKind::linear &&
                            r.scaling.kind != RopeScalingKind::factors;
         return changed(r, other, [](WrittenRope& w) {
           w.scaling = {.kind = RopeScalingKind::linear, .factor = w.scaling.factor};
         });
       }},
      {"scaling_on_local_layer", "The scaling of global layers is applied where there is none.",
       "vllm #29111, llama.cpp #14367",
       [](const WrittenRope& r, Index) {
         return changed(r, !is_scaled(r), [](WrittenRope& w) {
           w.scaling = {.kind = RopeScalingKind::linear, .factor = 8};
         });
       }},
      {"factor_squared", "The scaling is applied twice, by the square of its factor.",
       "vllm #56446",
       [](const WrittenRope& r, Index) {
         const bool applies = is_scaled(r) && r.scaling.kind != RopeScalingKind::factors &&
                              r.scaling.kind != RopeScalingKind::longrope;
         return changed(r, applies, [](WrittenRope& w) { w.scaling.factor *= w.scaling.factor; });
       }},
      {"original_length_stretched",
       "The stretched length stands where the length of training belongs.",
       "transformers #38224, Megatron #1418",
       [](const WrittenRope& r, Index) {
         return changed(r, has_length(r),
                        [](WrittenRope& w) { w.scaling.original_length *= w.scaling.factor; });
       }},
  };
}

std::vector<RopeDefect> defects_of_ramp_and_exponent() {
  return {
      {"yarn_ramp_of_paper",
       "The ramp is linear in rotations, as YaRN's paper has it, not in pairs, as its code does.",
       "arXiv 2309.00071 against its repository",
       [](const WrittenRope& r, Index) {
         return changed(r, r.scaling.kind == RopeScalingKind::yarn, [&](WrittenRope& w) {
           w.amplitude = amplitude_of(r);
           w.scaling.kind = RopeScalingKind::ntk_by_parts;
         });
       }},
      {"yarn_truncate_ignored",
       "The ends of YaRN's ramp are rounded where they should not, or not.",
       "GPT-OSS: truncate=false",
       [](const WrittenRope& r, Index) {
         return changed(r, r.scaling.kind == RopeScalingKind::yarn,
                        [](WrittenRope& w) { w.scaling.truncate = !w.scaling.truncate; });
       }},
      {"denominator_head_dim", "Exponents are $−2t/d$ of the whole head, where $r$ channels turn.",
       "pie #603",
       [](const WrittenRope& r, Index) {
         return changed(r, is_partial(r) && r.denominator == 0,
                        [](WrittenRope& w) { w.denominator = w.d_head; });
       }},
      {"exponent_halved", "Exponents are $−t/r$ in place of $−2t/r$.",
       "a slip of programs written by hand",
       [](const WrittenRope& r, Index) {
         return changed(r, r.denominator == 0,
                        [](WrittenRope& w) { w.denominator = 4 * pairs_of(w); });
       }},
      {"exponent_sign", "The minus of the exponent is missing: $\\mathrm{base}^{2t/r}$.",
       "labml #313",
       [](const WrittenRope& r, Index) {
         return changed(r, !is_scaled(r), [](WrittenRope& w) { w.inverted = true; });
       }},
      {"angles_in_degrees", "Angles are formed in degrees, of which cos and sin take radians.",
       "a slip of programs written by hand",
       [](const WrittenRope& r, Index) { return with_unit(r, AngleUnit::degrees); }},
      {"angles_as_degrees", "Angles in radians are taken for degrees, and made radians again.",
       "a slip of programs written by hand",
       [](const WrittenRope& r, Index) { return with_unit(r, AngleUnit::as_degrees); }},
  };
}

std::vector<RopeDefect> defects_of_channels() {
  return {
      {"wrong_pairing", "Channels are paired as the other half of all programs does.",
       "torchtitan #335, lattice #754, rasbt #747, AiDotNet #2074",
       [](const WrittenRope& r, Index) {
         return changed(r, !r.reordered && r.wiring == Wiring::rotation, [](WrittenRope& w) {
           w.pairing = w.pairing == RopePairing::half_split ? RopePairing::interleaved
                                                            : RopePairing::half_split;
         });
       }},
      {"rows_permuted",
       "The rows of a projection were permuted for the other pairing between the two tensors.",
       "torchtitan #1441, transformers' converter of Llama",
       [](const WrittenRope& r, Index) {
         return changed(r, !r.reordered && r.wiring == Wiring::rotation && pairs_of(r) > 2,
                        [](WrittenRope& w) { w.reordered = true; });
       }},
      {"clockwise", "Pairs turn by $−mθ$: the sign of sin, or the transposed matrix.",
       "nanochat #489",
       [](const WrittenRope& r, Index) {
         return changed(r, true, [](WrittenRope& w) { w.clockwise = !w.clockwise; });
       }},
      {"table_of_other_pairing",
       "cos and sin are laid out for the other pairing: right tables, wrong application.",
       "cascadia #69, Megatron-Bridge #4195",
       [](const WrittenRope& r, Index) { return with_wiring(r, Wiring::other_table); }},
      {"negation_missing", "rotate_half lacks its minus: pairs are no longer rotated.",
       "a slip of programs written by hand",
       [](const WrittenRope& r, Index) { return with_wiring(r, Wiring::no_negation); }},
      {"last_pair_misprinted",
       "The last two rows follow the misprint of eq. (34): $(−x_{d−1}, x_d)$ beside sin.",
       "RoFormer v1 to v4, eq. (34); hkproj/pytorch-llama #9",
       [](const WrittenRope& r, Index) { return with_wiring(r, Wiring::misprinted_last); }},
  };
}

std::vector<RopeDefect> defects_of_slices() {
  return {
      {"partial_ignored", "All channels turn, where only a part of them should.",
       "maxtext #4616, mlx-lm #1698, transformers #48630",
       [](const WrittenRope& r, Index) {
         return changed(r, is_partial(r), [](WrittenRope& w) {
           w.rotary_dims = w.d_head;
           w.begin = 0;
         });
       }},
      {"wrong_end_rotated", "The slice at the other end of the head turns.", "deepseek_v4",
       [](const WrittenRope& r, Index) {
         return changed(r, is_partial(r), [](WrittenRope& w) {
           w.begin = w.begin == 0 ? w.d_head - w.rotary_dims : 0;
         });
       }},
      {"proportional_as_partial", "p-RoPE is taken for partial RoPE: other pairs, other exponents.",
       "zml #660, nexusquant #12",
       [](const WrittenRope& r, Index) {
         return changed(r, is_proportional(r),
                        [](WrittenRope& w) { w.partial = RopePartial::truncated; });
       }},
      {"proportional_in_slice",
       "p-RoPE has its frequencies, but pairs within the slice rather than over the head.",
       "apple/coreai-models #66",
       [](const WrittenRope& r, Index) {
         return changed(r, is_proportional(r), [](WrittenRope& w) {
           w.partial = RopePartial::truncated;
           w.denominator = w.d_head;
         });
       }},
      {"sections_in_other_order",
       "Axes of M-RoPE lie in blocks where they should take turns, or the reverse.",
       "vllm-gaudi #1437, MNN #4133",
       [](const WrittenRope& r, Index) {
         return changed(r, r.sections.size() > 1, [](WrittenRope& w) {
           w.design =
               w.design == AxisDesign::chunked ? AxisDesign::interleaved : AxisDesign::chunked;
         });
       }},
      {"stride_unbounded", "Axes take turns to the last pair, past the end of their sections.",
       "mojo_opset #276",
       [](const WrittenRope& r, Index) {
         return changed(r, r.sections.size() > 1 && r.design == AxisDesign::interleaved,
                        [](WrittenRope& w) { w.unbounded_stride = true; });
       }},
  };
}

std::vector<RopeDefect> defects_of_factor() {
  return {
      {"attention_factor_missing", "cos and sin are not multiplied by the attention factor.",
       "mlx-lm #1507, exllamav3 #259",
       [](const WrittenRope& r, Index) { return with_amplitude(r, amplitude_of(r) != 1, 1.0); }},
      {"attention_factor_twice",
       "cos and sin are multiplied by the square of the attention factor.",
       "llama.cpp #17945, #7118",
       [](const WrittenRope& r, Index) {
         const double a = amplitude_of(r);
         return with_amplitude(r, a != 1, a * a);
       }},
      {"attention_factor_uncalled", "An attention factor is applied where the reference has none.",
       "atlas #342",
       [](const WrittenRope& r, Index) {
         const bool applies = is_scaled(r) && amplitude_of(r) == 1 && r.scaling.factor > 1;
         return with_amplitude(r, applies, yarn_factor(r.scaling.factor));
       }},
      {"attention_factor_on_all",
       "The attention factor multiplies the channels that do not turn as well.",
       "partial YaRN: mscale on $q$ as a whole",
       [](const WrittenRope& r, Index) {
         return changed(r, amplitude_of(r) != 1 && is_partial(r),
                        [](WrittenRope& w) { w.reach = FactorReach::all; });
       }},
  };
}

std::vector<RopeDefect> defects_of_positions() {
  return {
      {"not_rotated", "The tensor is not rotated: a NoPE layer taken for a rotary one.",
       "transformers #43756, smollm #130",
       [](const WrittenRope& r, Index rows) { return with_rule(r, PositionRule::none, rows); }},
      {"rotated_twice", "Positions count twice: cached keys are rotated again, or 2m is formed.",
       "mlx-node #33",
       [](const WrittenRope& r, Index rows) { return with_rule(r, PositionRule::doubled, rows); }},
      {"off_by_one", "Every position is one too large.", "onnxruntime-genai #2354",
       [](const WrittenRope& r, Index) {
         return changed(r, true, [](WrittenRope& w) { w.offset += 1; });
       }},
      {"decode_at_zero", "Every decoded token has position 0.", "mlx-vlm #1983",
       [](const WrittenRope& r, Index rows) {
         return with_rule(r, PositionRule::zero_from, rows);
       }},
      {"cache_off_by_one", "Tokens behind the prompt are one position too far.",
       "tiny-llm #46, moeut #6",
       [](const WrittenRope& r, Index rows) {
         return with_rule(r, PositionRule::next_from, rows);
       }},
      {"past_counted_twice", "The length of the cache is added to positions that include it.",
       "mlx-node #33",
       [](const WrittenRope& r, Index rows) {
         return with_rule(r, PositionRule::past_twice, rows);
       }},
      {"heads_for_positions", "$[N, H, d]$ is read as $[H, N, d]$: heads are taken for positions.",
       "transposed layout",
       [](const WrittenRope& r, Index rows) {
         return with_rule(r, PositionRule::head_index, rows);
       }},
  };
}

std::vector<RopeDefect> defects_of_precision() {
  return {
      {"positions_bf16", "Positions are bf16: from 256 on neighbours coincide.",
       "transformers #25681, gpt-neox #1003",
       [](const WrittenRope& r, Index) {
         return with_format(r, Stage::position, Precision::bf16);
       }},
      {"positions_fp16", "Positions are fp16: from 2048 on neighbours coincide.", "InternLM #237",
       [](const WrittenRope& r, Index) {
         return with_format(r, Stage::position, Precision::fp16);
       }},
      {"inv_freq_bf16", "Frequencies are rounded to bf16 with the weights of the model.",
       "transformers #25681",
       [](const WrittenRope& r, Index) {
         return with_format(r, Stage::inv_freq, Precision::bf16);
       }},
      {"inv_freq_fp16", "Frequencies are rounded to fp16 with the weights of the model.",
       "transformers #25681",
       [](const WrittenRope& r, Index) {
         return with_format(r, Stage::inv_freq, Precision::fp16);
       }},
      {"angle_bf16", "Angles are products in bf16.", "gpt-neox #1003",
       [](const WrittenRope& r, Index) { return with_format(r, Stage::angle, Precision::bf16); }},
      {"cos_sin_bf16", "Tables of cos and sin are bf16, where queries and keys are more precise.",
       "tables cached in the format of the weights",
       [](const WrittenRope& r, Index) { return with_format(r, Stage::cos_sin, Precision::bf16); }},
      {"cos_sin_fp16", "Tables of cos and sin are fp16, where queries and keys are more precise.",
       "tables cached in the format of the weights",
       [](const WrittenRope& r, Index) { return with_format(r, Stage::cos_sin, Precision::fp16); }},
  };
}

std::vector<RopeDefect> all_defects() {
  std::vector<RopeDefect> all;
  for (const auto& group :
       {defects_of_frequencies(), defects_of_ramp_and_exponent(), defects_of_channels(),
        defects_of_slices(), defects_of_factor(), defects_of_positions(), defects_of_precision()})
    all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace

const std::vector<RopeDefect>& rope_defects() {
  static const std::vector<RopeDefect> all = all_defects();
  return all;
}

const RopeDefect& find_rope_defect(std::string_view name) {
  std::vector<std::string> names;
  for (const RopeDefect& defect : rope_defects()) {
    if (defect.name == name) return defect;
    names.push_back(defect.name);
  }
  throw_unknown_name(name, "a defect", names);
}

}  // namespace orrery

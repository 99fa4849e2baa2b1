#include "core/encodings/rope_scaling_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.h"

namespace orrery {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view selector = "rope.scaling";
constexpr const char* factors_table = "rope.factors";
constexpr const char* short_table = "rope.short_factor";
constexpr const char* long_table = "rope.long_factor";

struct KindName {
  RopeScalingKind kind;
  const char* name;
  const char* description;
};

constexpr std::array<KindName, 9> kinds{{
    {RopeScalingKind::none, "none", "θ as it is"},
    {RopeScalingKind::linear, "linear", "θ/s: position interpolation, Chen et al. 2023"},
    {RopeScalingKind::ntk, "ntk", "base·s^(r/(r−2)): NTK-aware, fixed"},
    {RopeScalingKind::dynamic_ntk, "dynamic_ntk", "the same with s·L/L₀ − (s − 1) for s"},
    {RopeScalingKind::ntk_by_parts, "ntk_by_parts",
     "θ/s for slow pairs, θ for fast ones, linear in rotations between: YaRN's paper"},
    {RopeScalingKind::yarn, "yarn",
     "linear in t between, and cos and sin times a: YaRN's code, DeepSeek, GPT-OSS"},
    {RopeScalingKind::llama3, "llama3", "θ/s above a wavelength, θ below another: Llama 3.1"},
    {RopeScalingKind::longrope, "longrope",
     "θ_t/f_t, short factors for L ≤ L₀ and long ones above: Phi-3"},
    {RopeScalingKind::factors, "factors", "θ_t/f_t of your own list: table rope.factors"},
}};

ParamSpec scaling_param() {
  ParamSpec spec{.key = std::string(selector),
                 .description = "How frequencies are stretched to contexts beyond training.",
                 .kind = ParamKind::choice,
                 .default_value = std::string("none")};
  for (const KindName& kind : kinds) spec.choices.push_back({kind.name, kind.description});
  return spec;
}

ParamSpec number(std::string key, std::string symbol, std::string description, double value,
                 double min, double max, Names readers) {
  return {.key = std::move(key),
          .symbol = std::move(symbol),
          .description = std::move(description),
          .kind = ParamKind::real,
          .default_value = value,
          .min = min,
          .max = max,
          .used_when = Condition{std::string(selector), std::move(readers)}};
}

ParamSpec tokens(std::string key, std::string symbol, std::string description, std::int64_t value,
                 Names readers) {
  return {.key = std::move(key),
          .symbol = std::move(symbol),
          .unit = "tokens",
          .description = std::move(description),
          .kind = ParamKind::integer,
          .default_value = value,
          .min = 2,
          .max = 0x1p40,
          .logarithmic = true,
          .used_when = Condition{std::string(selector), std::move(readers)}};
}

ParamSpec truncate_param() {
  return {.key = "rope.truncate",
          .description =
              "Whether the ends of the ramp are rounded outward to whole pairs; GPT-OSS "
              "does not.",
          .kind = ParamKind::boolean,
          .default_value = true,
          .used_when = Condition{std::string(selector), {"yarn"}}};
}

ParamSpec factors(const char* key, std::string description, Names readers) {
  return {.key = key,
          .description = std::move(description),
          .kind = ParamKind::number_list,
          .default_value = std::vector<double>{},
          .min = 1e-300,
          .max = 1e300,
          .may_be_empty = true,
          .used_when = Condition{std::string(selector), std::move(readers)}};
}

/// The table of that name, or the parameter of the same name, or 1 for every pair.
std::vector<double> list_of(const EncodingSettings& settings, const char* name, Index pairs) {
  const std::vector<double>& numbers = settings.params.numbers(name);
  const bool has_table = settings.tables && settings.tables->contains(name);
  if (!numbers.empty() && has_table)
    throw UsageError(fmt::format("{} as a parameter", name), "is given as a table too",
                     "give one of them");
  if (!numbers.empty()) return numbers;
  const Matrix<double> row = table_or<double>(settings, name, 1, pairs, 1.0);
  return {row.data(), row.data() + row.size()};
}

void read_lists(const EncodingSettings& settings, Index pairs, RopeScaling& scaling) {
  const bool longrope = scaling.kind == RopeScalingKind::longrope;
  if (scaling.kind == RopeScalingKind::factors)
    scaling.factors = list_of(settings, factors_table, pairs);
  else
    refuse_table(settings, factors_table, "rope.scaling=factors");
  if (longrope) {
    scaling.factors = list_of(settings, short_table, pairs);
    scaling.long_factors = list_of(settings, long_table, pairs);
    return;
  }
  for (const char* name : {short_table, long_table})
    refuse_table(settings, name, "rope.scaling=longrope");
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
std::vector<ParamSpec> rope_scaling_params() {
  std::vector<ParamSpec> specs{
      scaling_param(),
      number("rope.factor", "s", "How many times the context is stretched.", 4.0, 1.0, 1e6,
             {"linear", "ntk", "dynamic_ntk", "ntk_by_parts", "yarn", "llama3", "longrope"}),
      tokens("rope.original_length", "L₀", "Context of the training, before it is stretched.", 4096,
             {"dynamic_ntk", "ntk_by_parts", "yarn", "llama3", "longrope"}),
      tokens("rope.length", "L",
             "Length of the sequence, its last position + 1: dynamic NTK and LongRoPE choose one "
             "set of frequencies for all its positions by it.",
             16384, {"dynamic_ntk", "longrope"}),
      number("rope.beta_fast", "β_fast", "Pairs with at least so many rotations in L₀ keep θ.",
             32.0, 1e-3, 1e6, {"ntk_by_parts", "yarn"}),
      number("rope.beta_slow", "β_slow", "Pairs with at most so many rotations in L₀ have θ/s.",
             1.0, 1e-3, 1e6, {"ntk_by_parts", "yarn"}),
      truncate_param(),
      number("rope.mscale", "",
             "With rope.mscale_all_dim, a = g(mscale)/g(mscale_all_dim), g(x) = 0.1 x ln s + 1; "
             "0: not given.",
             0.0, 0.0, 100.0, {"yarn"}),
      number("rope.mscale_all_dim", "", "See rope.mscale; 0: not given, and a = 0.1 ln s + 1.", 0.0,
             0.0, 100.0, {"yarn"}),
      number("rope.low_freq_factor", "", "Wavelengths above L₀ over this have θ/s.", 1.0, 1e-3, 1e6,
             {"llama3"}),
      number("rope.high_freq_factor", "", "Wavelengths below L₀ over this keep θ.", 4.0, 1e-3, 1e6,
             {"llama3"}),
      number("rope.attention_factor", "a",
             "Multiplies cos and sin, that is q and k; logits gain a². 0: as the scaling has it.",
             0.0, 0.0, 100.0, {"ntk_by_parts", "yarn", "longrope", "factors"}),
      factors(factors_table,
              "What divides each pair's frequency, the fastest first, joined by +; none: all 1.",
              {"factors"}),
      factors(short_table, "LongRoPE's factors for sequences up to L₀, likewise.", {"longrope"}),
      factors(long_table, "LongRoPE's factors for longer ones.", {"longrope"})};
  specs[1].logarithmic = true;
  return specs;
}

std::vector<TableSpec> rope_scaling_tables() {
  const std::string shape = "[pairs]", initial = "1 for every pair";
  return {{.name = factors_table,
           .shape = shape,
           .description = "What divides each pair's frequency, with rope.scaling=factors.",
           .initial = initial,
           .drawn = false},
          {.name = short_table,
           .shape = shape,
           .description = "LongRoPE's factors for sequences up to L₀.",
           .initial = initial,
           .drawn = false},
          {.name = long_table,
           .shape = shape,
           .description = "LongRoPE's factors for longer ones.",
           .initial = initial,
           .drawn = false}};
}

RopeScaling rope_scaling_of(const EncodingSettings& settings, Index pairs) {
  RopeScaling scaling;
  const ParamSet& params = settings.params;
  if (!params.has(selector)) return scaling;
  const std::string& name = params.text(selector);
  for (const KindName& kind : kinds)
    if (name == kind.name) scaling.kind = kind.kind;
  const auto real = [&](const char* key, double& value) { value = params.real(key); };
  real("rope.factor", scaling.factor);
  scaling.original_length = static_cast<double>(params.integer("rope.original_length"));
  scaling.length = static_cast<double>(params.integer("rope.length"));
  real("rope.beta_fast", scaling.beta_fast);
  real("rope.beta_slow", scaling.beta_slow);
  scaling.truncate = params.boolean("rope.truncate");
  real("rope.mscale", scaling.mscale);
  real("rope.mscale_all_dim", scaling.mscale_all_dim);
  real("rope.low_freq_factor", scaling.low_freq_factor);
  real("rope.high_freq_factor", scaling.high_freq_factor);
  if (params.real("rope.attention_factor") != 0 && params.is_used("rope.attention_factor"))
    scaling.attention_factor = params.real("rope.attention_factor");
  read_lists(settings, pairs, scaling);
  return scaling;
}

}  // namespace orrery

#include "core/encodings/rope_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "core/errors.h"
#include "core/param_specs.h"

namespace orrery {
namespace {

using Names = std::vector<std::string>;

constexpr std::string_view scaling_key = "rope.scaling";
constexpr const char* attention_key = "rope.attention_factor";
constexpr const char* factors_table = "rope.factors";
constexpr const char* short_table = "rope.short_factor";
constexpr const char* long_table = "rope.long_factor";

struct KindName {
  RopeScalingKind kind;
  const char* name;
  const char* description;
};

constexpr std::array<KindName, 9> kinds{{
    {RopeScalingKind::none, "none", "$θ$ as it is"},
    {RopeScalingKind::linear, "linear", "$θ/s$: position interpolation, Chen et al. 2023"},
    {RopeScalingKind::ntk, "ntk", "$\\mathrm{base}·s^{r/(r−2)}$: NTK-aware, fixed"},
    {RopeScalingKind::dynamic_ntk, "dynamic_ntk", "the same with $s·L/L₀ − (s − 1)$ for $s$"},
    {RopeScalingKind::ntk_by_parts, "ntk_by_parts",
     "$θ/s$ for slow pairs, $θ$ for fast ones, linear in rotations between: YaRN's paper"},
    {RopeScalingKind::yarn, "yarn",
     "linear in $t$ between, and cos and sin times $a$: YaRN's code, DeepSeek, GPT-OSS"},
    {RopeScalingKind::llama3, "llama3", "$θ/s$ above a wavelength, $θ$ below another: Llama 3.1"},
    {RopeScalingKind::longrope, "longrope",
     "$θ_t/f_t$, short factors for $L ≤ L₀$ and long ones above: Phi-3"},
    {RopeScalingKind::factors, "factors", "$θ_t/f_t$ of your own list: table rope.factors"},
}};

/// A share of d such that ⌊share·d⌋ is r in floating-point numbers.
double share_of(Index r, Index d) {
  const auto part = static_cast<double>(r), whole = static_cast<double>(d);
  double share = part / whole;
  while (std::floor(share * whole) < part) share = std::nextafter(share, 1.0);
  return share;
}

/// r = ⌊share·d_head⌋.
void turn_share(RopeConvention& c, double share) {
  const auto d = static_cast<double>(c.d_head);
  const auto r = static_cast<Index>(std::floor(share * d));
  if (r < 2 || r % 2 != 0)
    throw UsageError(fmt::format("rope.fraction={} of d_head={}", share, c.d_head),
                     fmt::format("turns {} channels, and pairs need an even number, 2 or more", r),
                     fmt::format("try rope.fraction={}",
                                 static_cast<double>(std::max<Index>(2, r + r % 2)) / d));
  c.rotary_dims = r;
}

using Said = std::optional<ParamValue>;

RopeSetting base_setting() {
  return {base_param(), [](const RopeConvention& c) { return Said(c.base); },
          [](RopeConvention& c, const ParamValue& value) { c.base = std::get<double>(value); }};
}

RopeSetting pairing_setting() {
  return {choice_param("rope.pairing", "Which channels turn together.", "interleaved",
                       {{"interleaved", "$(2t, 2t+1)$: the paper, GPT-J, Meta's Llama"},
                        {"half_split", "$(t, t + r/2)$: GPT-NeoX, Hugging Face Llama"}}),
          [](const RopeConvention& c) { return Said(std::string(name(c.pairing))); },
          [](RopeConvention& c, const ParamValue& value) {
            const bool half = std::get<std::string>(value) == "half_split";
            c.pairing = half ? RopePairing::half_split : RopePairing::interleaved;
          }};
}

RopeSetting fraction_setting() {
  return {
      real_param({"rope.fraction", "$r/d$"},
                 "Share of the head's channels that turn; the rest carry no position.", 1.0, 0.0,
                 1.0),
      [](const RopeConvention& c) {
        return Said(c.rotary_dims == 0 ? 1.0 : share_of(c.rotary_dims, c.d_head));
      },
      [](RopeConvention& c, const ParamValue& value) { turn_share(c, std::get<double>(value)); }};
}

RopeSetting partial_setting() {
  return {{.key = "rope.partial",
           .description = "How a fraction below 1 is meant.",
           .kind = ParamKind::choice,
           .default_value = std::string("truncated"),
           .choices = {{"truncated",
                        "the first $r$ channels, frequencies $\\mathrm{base}^{−2t/r}$: GPT-NeoX"},
                       {"proportional",
                        "p-RoPE: frequencies $\\mathrm{base}^{−2t/d}$, the lowest set to 0"}},
           .idle = [](const ParamSet& params) { return params.real("rope.fraction") == 1.0; }},
          [](const RopeConvention& c) {
            const bool all = c.partial == RopePartial::proportional;
            return Said(std::string(all ? "proportional" : "truncated"));
          },
          [](RopeConvention& c, const ParamValue& value) {
            const bool all = std::get<std::string>(value) == "proportional";
            c.partial = all ? RopePartial::proportional : RopePartial::truncated;
          }};
}

RopeSetting scaling_setting() {
  ParamSpec spec{.key = std::string(scaling_key),
                 .description = "How frequencies are stretched to contexts beyond training.",
                 .kind = ParamKind::choice,
                 .default_value = std::string("none")};
  for (const KindName& kind : kinds) spec.choices.push_back({kind.name, kind.description});
  return {std::move(spec),
          [](const RopeConvention& c) { return Said(std::string(name(c.scaling.kind))); },
          [](RopeConvention& c, const ParamValue& value) {
            for (const KindName& kind : kinds)
              if (std::get<std::string>(value) == kind.name) c.scaling.kind = kind.kind;
          }};
}

/// A part of a scaling that the scalings `readers` read. It is a parameter of the type Kept, with
/// the scaling's own default.
template <auto member, class Kept>
RopeSetting part(ParamSpec spec, Names readers) {
  spec.default_value = static_cast<Kept>(RopeScaling{}.*member);
  spec.used_when = Condition{std::string(scaling_key), std::move(readers)};
  return {std::move(spec),
          [](const RopeConvention& c) { return Said(static_cast<Kept>(c.scaling.*member)); },
          [](RopeConvention& c, const ParamValue& value) {
            using Member = std::remove_reference_t<decltype(c.scaling.*member)>;
            c.scaling.*member = static_cast<Member>(std::get<Kept>(value));
          }};
}

template <double RopeScaling::*member>
RopeSetting number(const std::string& key, const std::string& symbol,
                   const std::string& description, double min, double max, Names readers) {
  return part<member, double>({.key = key,
                               .symbol = symbol,
                               .description = description,
                               .kind = ParamKind::real,
                               .min = min,
                               .max = max},
                              std::move(readers));
}

template <double RopeScaling::*member>
RopeSetting tokens(const std::string& key, const std::string& symbol,
                   const std::string& description, Names readers) {
  return part<member, std::int64_t>({.key = key,
                                     .symbol = symbol,
                                     .unit = "tokens",
                                     .description = description,
                                     .min = 2,
                                     .max = 0x1p40,
                                     .logarithmic = true},
                                    std::move(readers));
}

RopeSetting truncate_setting() {
  return part<&RopeScaling::truncate, bool>(
      {.key = "rope.truncate",
       .description =
           "Whether the ends of the ramp are rounded outward to whole pairs; GPT-OSS does not.",
       .kind = ParamKind::boolean},
      {"yarn"});
}

/// A parameter has no "none": its 0 stands for the scaling's own factor.
RopeSetting attention_factor_setting() {
  return {read_while(std::string(scaling_key), {"ntk_by_parts", "yarn", "longrope", "factors"},
                     real_param({attention_key, "$a$"},
                                "Multiplies cos and sin, that is $q$ and $k$; logits gain $a²$. 0: "
                                "as the scaling has it.",
                                0.0, 0.0, 100.0)),
          [](const RopeConvention& c) -> Said { return c.scaling.attention_factor; },
          [](RopeConvention& c, const ParamValue& value) {
            const double own = std::get<double>(value);
            c.scaling.attention_factor = own == 0 ? std::nullopt : std::optional(own);
          }};
}

template <std::vector<double> RopeScaling::*member>
RopeSetting factors(const char* key, const std::string& description, const char* reader) {
  RopeSetting setting = part<member, std::vector<double>>({.key = key,
                                                           .description = description,
                                                           .kind = ParamKind::number_list,
                                                           .min = 1e-300,
                                                           .max = 1e300,
                                                           .may_be_empty = true},
                                                          {reader});
  setting.value = [](const RopeConvention& c) {
    return (c.scaling.*member).empty() ? Said() : Said(c.scaling.*member);
  };
  return setting;
}

// NOLINTNEXTLINE(readability-function-size): a table, without control flow.
std::vector<RopeSetting> all_settings() {
  using S = RopeScaling;
  std::vector<RopeSetting> all{
      base_setting(),
      pairing_setting(),
      fraction_setting(),
      partial_setting(),
      scaling_setting(),
      number<&S::factor>(
          "rope.factor", "$s$", "How many times the context is stretched.", 1.0, 1e6,
          {"linear", "ntk", "dynamic_ntk", "ntk_by_parts", "yarn", "llama3", "longrope"}),
      tokens<&S::original_length>("rope.original_length", "$L₀$",
                                  "Context of the training, before it is stretched.",
                                  {"dynamic_ntk", "ntk_by_parts", "yarn", "llama3", "longrope"}),
      tokens<&S::length>(
          "rope.length", "$L$",
          "Length of the sequence, its last position + 1: dynamic NTK and LongRoPE choose one "
          "set of frequencies for all its positions by it.",
          {"dynamic_ntk", "longrope"}),
      number<&S::beta_fast>("rope.beta_fast", "$β_\\mathrm{fast}$",
                            "Pairs with at least so many rotations in $L₀$ keep $θ$.", 1e-3, 1e6,
                            {"ntk_by_parts", "yarn"}),
      number<&S::beta_slow>("rope.beta_slow", "$β_\\mathrm{slow}$",
                            "Pairs with at most so many rotations in $L₀$ have $θ/s$.", 1e-3, 1e6,
                            {"ntk_by_parts", "yarn"}),
      truncate_setting(),
      number<&S::mscale>(
          "rope.mscale", "",
          "With rope.mscale_all_dim, $a$ = g(mscale)/g(mscale_all_dim), $g(x) = 0.1 x \\ln s + "
          "1$; 0: not given.",
          0.0, 100.0, {"yarn"}),
      number<&S::mscale_all_dim>("rope.mscale_all_dim", "",
                                 "See rope.mscale; 0: not given, and $a = 0.1 \\ln s + 1$.", 0.0,
                                 100.0, {"yarn"}),
      number<&S::low_freq_factor>("rope.low_freq_factor", "",
                                  "Wavelengths above $L₀$ over this have $θ/s$.", 1e-3, 1e6,
                                  {"llama3"}),
      number<&S::high_freq_factor>("rope.high_freq_factor", "",
                                   "Wavelengths below $L₀$ over this keep $θ$.", 1e-3, 1e6,
                                   {"llama3"}),
      attention_factor_setting(),
      factors<&S::factors>(
          factors_table,
          "What divides each pair's frequency, the fastest first, joined by +; none: all 1.",
          "factors"),
      factors<&S::factors>(short_table, "LongRoPE's factors for sequences up to $L₀$, likewise.",
                           "longrope"),
      factors<&S::long_factors>(long_table, "LongRoPE's factors for longer ones.", "longrope")};
  for (RopeSetting& setting : all)
    if (setting.spec.key == "rope.factor") setting.spec.logarithmic = true;
  return all;
}

/// Whether a scaling reads the setting.
bool is_read(const ParamSpec& spec, RopeScalingKind kind) {
  if (!spec.used_when) return true;
  const Names& readers = spec.used_when->any_of;
  return std::ranges::find(readers, name(kind)) != readers.end();
}

/// The table of that name, or the parameter of the same name, or 1 for every pair.
std::vector<double> list_of(const EncodingSettings& settings, const char* name, Index pairs) {
  const std::vector<double>& numbers = settings.params.numbers(name);
  const bool has_table = settings.tables && settings.tables->contains(name);
  if (!numbers.empty() && has_table)
    throw UsageError(fmt::format("{} as a parameter", name), "is given as a table too",
                     "give one of them");
  if (!numbers.empty()) return numbers;
  EncodingSettings read = settings;
  read.made = nullptr;  // LongRoPE searches for its factors: they are not trained
  const Matrix<double> row = table_or<double>(read, name, 1, pairs, 1.0);
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

std::string_view name(RopeScalingKind kind) {
  return std::ranges::find(kinds, kind, &KindName::kind)->name;
}

const std::vector<RopeSetting>& rope_settings() {
  static const std::vector<RopeSetting> all = all_settings();
  return all;
}

const RopeSetting* find_rope_setting(std::string_view key) {
  for (const RopeSetting& setting : rope_settings())
    if (setting.spec.key == key) return &setting;
  return nullptr;
}

std::vector<ParamSpec> rope_params(bool with_sections) {
  std::vector<ParamSpec> specs;
  for (const RopeSetting& setting : rope_settings())
    if (!with_sections || setting.spec.key != "rope.partial") specs.push_back(setting.spec);
  return specs;
}

std::vector<TableSpec> rope_tables() {
  const std::string shape = "[pairs]", initial = "1 for every pair";
  return {{.name = factors_table,
           .shape = shape,
           .description = "What divides each pair's frequency, with rope.scaling=factors.",
           .initial = initial,
           .drawn = false},
          {.name = short_table,
           .shape = shape,
           .description = "LongRoPE's factors for sequences up to $L₀$.",
           .initial = initial,
           .drawn = false},
          {.name = long_table,
           .shape = shape,
           .description = "LongRoPE's factors for longer ones.",
           .initial = initial,
           .drawn = false}};
}

RopeConvention rope_convention_of(const EncodingSettings& settings) {
  const ParamSet& params = settings.params;
  check_head_of_pairs(settings.d_head);
  RopeConvention convention{.d_head = settings.d_head, .rotary_dims = settings.d_head};
  for (const auto& [spec, value, set] : rope_settings()) {
    const bool is_list = spec.kind == ParamKind::number_list;
    if (!is_list && params.has(spec.key) && (spec.key != attention_key || params.is_used(spec.key)))
      set(convention, params.value(spec.key));
  }
  if (params.has(scaling_key)) read_lists(settings, pairs_of(convention), convention.scaling);
  return convention;
}

std::vector<std::pair<std::string, ParamValue>> settings_of(const RopeConvention& convention) {
  std::vector<std::pair<std::string, ParamValue>> all;
  for (const auto& [spec, value_of, set] : rope_settings())
    if (is_read(spec, convention.scaling.kind))
      if (std::optional<ParamValue> value = value_of(convention))
        all.emplace_back(spec.key, *std::move(value));
  return all;
}

void check_settings(const RopeConvention& convention) {
  ParamSet params(rope_params(false));
  for (auto& [key, value] : settings_of(convention)) params.set_value(key, std::move(value));
}

}  // namespace orrery

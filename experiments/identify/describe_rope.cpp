#include "experiments/identify/describe_rope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/encodings/axis_layout.h"
#include "core/encodings/rope_scaling.h"
#include "core/encodings/rope_settings.h"
#include "core/params.h"

namespace orrery {
namespace {

constexpr std::array<const char*, 4> wiring_names{
    "rotation", "table of the other pairing", "sum without the minus", "last pair as misprinted"};

template <class Enum, std::size_t count>
const char* name_in(const std::array<const char*, count>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

std::string digits(double value) { return fmt::format("{:.6g}", value); }

/// 500000 rather than 5e+05.
std::string whole(double value) {
  return value == std::round(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : digits(value);
}

bool has_length(RopeScalingKind kind) {
  using enum RopeScalingKind;
  return kind == dynamic_ntk || kind == ntk_by_parts || kind == yarn || kind == llama3 ||
         kind == longrope;
}

/// "by pair, times 1 (14 pairs), 0.98, 0.93": frequencies over the series, equal ratios once.
std::string list_words(const std::vector<double>& divisors) {
  constexpr std::size_t most = 12;
  std::vector<std::string> ratios;
  for (std::size_t t = 0; t < divisors.size();) {
    const std::string ratio = fmt::format("{:.4g}", 1 / divisors[t]);
    std::size_t end = t;
    while (end < divisors.size() && fmt::format("{:.4g}", 1 / divisors[end]) == ratio) ++end;
    ratios.push_back(end - t > 1 ? fmt::format("{} ({} pairs)", ratio, end - t) : ratio);
    t = end;
  }
  const std::size_t more = ratios.size() > most ? ratios.size() - most : 0;
  ratios.resize(ratios.size() - more);
  return fmt::format("by pair, times {}{}", fmt::join(ratios, ", "), more > 0 ? ", …" : "");
}

std::string scaling_words(const RopeScaling& s) {
  if (s.kind == RopeScalingKind::none) return "none";
  if (s.kind == RopeScalingKind::factors) return list_words(s.factors);
  std::string text = fmt::format("{} by {}", name(s.kind), whole(s.factor));
  if (has_length(s.kind)) text += fmt::format(" from {} tokens", whole(s.original_length));
  if (s.kind == RopeScalingKind::yarn && !s.truncate) text += ", ramp not truncated";
  if (s.kind == RopeScalingKind::dynamic_ntk)
    text += fmt::format(" at length {}", whole(std::max<double>(s.length, s.original_length)));
  if (s.kind == RopeScalingKind::longrope)
    text += s.length > s.original_length ? ", long factors" : ", short factors";
  return text;
}

/// How each sequence of a batch is padded; of many the first ones.
std::string paddings_words(const WrittenRope& rope, std::size_t most) {
  std::string rows;
  for (std::size_t i = 0; i < std::min(rope.paddings.size(), most); ++i)
    rows += fmt::format("{}{} in sequence {}", i == 0 ? "" : ", ", rope.paddings[i], i);
  if (rope.paddings.size() > most) rows += fmt::format(" and {} more", rope.paddings.size() - most);
  const std::string at = rope.padding == 0 ? "" : fmt::format(" at position {}", rope.padding);
  return fmt::format(
      "count from the first token of each sequence of the batch, rows of padding{}: {}", at, rows);
}

/// Where texts begin; of many the first ones.
std::string restarts_words(const WrittenRope& rope) {
  constexpr std::size_t most = 12;
  if (!rope.paddings.empty()) return paddings_words(rope, most);
  const std::vector<Index>& starts = rope.starts;
  const Index padding = starts.empty() ? 0 : starts.front();
  std::string after;
  if (padding > 0)
    after = fmt::format(", after {} row{} of padding{}", padding, padding == 1 ? "" : "s",
                        rope.padding == 0 ? "" : fmt::format(" at position {}", rope.padding));
  if (starts.size() < 2) return "count from the first token" + after;
  const auto shown = starts.begin() + static_cast<std::ptrdiff_t>(std::min(starts.size(), most));
  const std::string more =
      starts.size() > most ? fmt::format(" and {} more", starts.size() - most) : "";
  return fmt::format("start again at rows {}{}: {} texts packed{}",
                     fmt::join(starts.begin(), shown, ", "), more, starts.size(), after);
}

std::string positions_words(const WrittenRope& rope) {
  std::string text = "as stated";
  switch (rope.rule) {
    case PositionRule::stated:
      break;
    case PositionRule::doubled:
      text = "twice the stated ones";
      break;
    case PositionRule::zero_from:
      text = fmt::format("0 from row {} on", rope.from_row);
      break;
    case PositionRule::next_from:
      text = fmt::format("one too far from row {} on", rope.from_row);
      break;
    case PositionRule::past_twice:
      text = fmt::format("{} too far from row {} on", rope.from_row, rope.from_row);
      break;
    case PositionRule::head_index:
      text = "the number of the head";
      break;
    case PositionRule::none:
      return "all 0: not rotated";
    case PositionRule::restarts:
      return restarts_words(rope);
    case PositionRule::row_number:
      text = "the number of the row";
      break;
  }
  if (rope.offset != 0) text += fmt::format(", {:+}", rope.offset);
  return text;
}

std::string stages_words(const StageRounding& rounding) {
  std::string text;
  for (const Stage stage : {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin})
    if (rounding.rounds(stage))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(stage),
                          name(rounding.format(stage)));
  return text.empty() ? "exact" : text;
}

std::string channels_words(const WrittenRope& rope) {
  if (rope.partial == RopePartial::proportional)
    return fmt::format("p-RoPE, {} of {}", rope.rotary_dims, rope.d_head);
  if (rope.rotary_dims == rope.d_head) return fmt::format("all {}", rope.d_head);
  return fmt::format("{} to {} of {}", rope.begin, rope.begin + rope.rotary_dims - 1, rope.d_head);
}

std::string exponents_words(const WrittenRope& rope) {
  const Index width = rope.denominator ? rope.denominator : 2 * pairs_of(rope);
  return fmt::format("{}2t/{}", rope.inverted ? "+" : "−", width);
}

std::string unit_words(const WrittenRope& rope) {
  switch (rope.unit) {
    case AngleUnit::radians:
      return "in radians";
    case AngleUnit::degrees:
      return "in degrees, of which cos and sin take radians";
    case AngleUnit::as_degrees:
      return "taken for degrees: divided by 57.3";
    case AngleUnit::turns:
      return "2π times the position: whole turns";
  }
  return "";
}

std::string axes_words(const WrittenRope& rope) {
  if (rope.sections.empty()) return "one";
  std::string series;
  if (rope.series == AxisSeries::own) series = ", frequencies of its own for each";
  if (rope.series == AxisSeries::in_turn) series = ", frequencies in turn";
  if (!rope.axis_order.empty())
    series += fmt::format(", of axes {}", fmt::join(rope.axis_order, ", "));
  return fmt::format("sections {}, {}{}{}", fmt::join(rope.sections, "+"), name(rope.design),
                     rope.unbounded_stride ? ", stride unbounded" : "", series);
}

/// In full where it has few digits, or by the scale of logits that it holds: a number that is
/// rounded here is another one in fp32.
std::string factor_digits(const WrittenRope& rope) {
  const double a = amplitude_of(rope);
  const auto is = [&](double value) { return std::abs(a - value) <= 1e-15 * a; };
  std::string few = digits(a), more = fmt::format("{:.12g}", a);
  if (is(std::stod(few))) return few;
  const double own = attention_factor(rope.scaling), root = std::sqrt(rope.d_head);
  if (is(own / root)) return fmt::format("{}/√{}", digits(own), rope.d_head);
  return is(std::stod(more)) ? more : few;
}

std::string factor_words(const WrittenRope& rope) {
  const bool all = rope.reach == FactorReach::all && amplitude_of(rope) != 1;
  return factor_digits(rope) + (all ? " on all channels" : "");
}

/// All fields, in the order in which they are told.
std::vector<RopeFact> all_facts(const WrittenRope& rope) {
  return {{"pairing", std::string(name(rope.pairing))},
          {"base", whole(rope.base)},
          {"scaling", scaling_words(rope.scaling)},
          {"attention factor", factor_words(rope)},
          {"channels", channels_words(rope)},
          {"exponents", exponents_words(rope)},
          {"angles", unit_words(rope)},
          {"direction", rope.clockwise ? "clockwise" : "counter-clockwise"},
          {"wiring", name_in(wiring_names, rope.wiring)},
          {"order of channels after", rope.reordered ? "that of the other pairing" : "as before"},
          {"axes", axes_words(rope)},
          {"positions", positions_words(rope)},
          {"precision", stages_words(rope.rounding)}};
}

WrittenRope usual(const WrittenRope& rope) {
  WrittenRope plain{
      {.d_head = rope.d_head, .rotary_dims = rope.d_head, .pairing = RopePairing::half_split}};
  plain.rounding = {Precision::fp32, {Stage::inv_freq, Stage::angle, Stage::cos_sin}};
  return plain;
}

/// Whether the encoding `rope` can be set to compute the same.
bool is_setting(const WrittenRope& rope) {
  return rope.wiring == Wiring::rotation && !rope.clockwise && !rope.reordered &&
         rope.rule == PositionRule::stated && rope.offset == 0 && rope.begin == 0 &&
         rope.denominator == 0 && !rope.inverted && rope.unit == AngleUnit::radians &&
         rope.sections.empty() && rope.reach == FactorReach::rotated &&
         (!rope.amplitude || rope.scaling.kind != RopeScalingKind::none);
}

/// Whether readers expect the setting though its value is the default.
bool is_always_said(std::string_view key) {
  return key == "base" || key == "rope.pairing" || key == "rope.factor" ||
         key == "rope.original_length";
}

}  // namespace

std::vector<RopeFact> facts_of(const WrittenRope& rope) {
  const std::vector<RopeFact> all = all_facts(rope), plain = all_facts(usual(rope));
  std::vector<RopeFact> facts;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i < 2 || (all[i].second != plain[i].second && all[i].first != "exponents") ||
        (all[i].first == "exponents" && (rope.denominator != 0 || rope.inverted)))
      facts.push_back(all[i]);
  return facts;
}

std::string short_text(const WrittenRope& rope) {
  std::string text;
  for (const auto& [field, value] : facts_of(rope)) {
    if (!text.empty()) text += "; ";
    text += field == "pairing" ? value + " pairs" : field + " " + value;
  }
  return text;
}

std::string setting_text(const WrittenRope& rope) {
  if (!is_setting(rope)) return "";
  RopeConvention convention = static_cast<const RopeConvention&>(rope);
  if (rope.amplitude) convention.scaling.attention_factor = rope.amplitude;
  std::string text = "encoding=rope";
  for (const auto& [key, value] : settings_of(convention))
    if (is_always_said(key) || value != find_rope_setting(key)->spec.default_value)
      text += fmt::format(" {}={}", key, to_text(value));
  return text;
}

std::vector<RopeDifference> differences_of(const WrittenRope& a, const WrittenRope& b) {
  const std::vector<RopeFact> of_a = all_facts(a), of_b = all_facts(b);
  std::vector<RopeDifference> differences;
  for (std::size_t i = 0; i < of_a.size(); ++i)
    if (of_a[i].second != of_b[i].second)
      differences.push_back({of_a[i].first, of_a[i].second, of_b[i].second});
  return differences;
}

}  // namespace orrery

#include "experiments/studies/relative_invariance/shift_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/largest.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {
namespace in_shift_words {

constexpr double same_share = 0.05;  ///< of a change: far less than a line's width over decades

using Curves = std::vector<const ShiftCurve*>;

bool are_alike(const ShiftCurve& a, const ShiftCurve& b) {
  for (std::size_t i = 0; i < a.error.size(); ++i) {
    const bool gap = std::isnan(a.error[i]), other_gap = std::isnan(b.error[i]);
    if (gap != other_gap) return false;
    if (gap) continue;
    if (std::abs(a.error[i] - b.error[i]) > same_share * smaller(a.error[i], b.error[i]))
      return false;
  }
  return true;
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

std::vector<std::string> encodings_of(const Curves& curves) {
  std::vector<std::string> names;
  for (const ShiftCurve* curve : curves) add_once(names, label_in_sentence(curve->encoding));
  return names;
}

std::vector<std::string> pipelines_of(const Curves& curves) {
  std::vector<std::string> names;
  for (const ShiftCurve* curve : curves) add_once(names, pipeline_words(curve->pipeline));
  return names;
}

/// "RoPE, fp32"; "sinusoidal in each"; one encoding after the other where they are in different
/// pipelines.
std::string words_of(const Curves& curves, std::size_t pipelines) {
  const std::vector<std::string> of = encodings_of(curves), in = pipelines_of(curves);
  if (pipelines == 1) return listed(of);
  if (of.size() * in.size() == curves.size()) {
    if (in.size() == pipelines) return listed(of) + " in each";
    return fmt::format("{}{}{}", listed(of), in.size() == 1 ? ", " : " in ", listed(in));
  }
  std::string words;
  for (const std::string& name : of) {
    Curves own;
    for (const ShiftCurve* curve : curves)
      if (encodings_of({curve}).front() == name) own.push_back(curve);
    words += (words.empty() ? "" : "; ") + words_of(own, pipelines);
  }
  return words;
}

/// What is measured of a curve.
enum class Verdict { kept, moved, hidden, unknown };

/// Kept where rounding accounts for the whole change.
Verdict verdict_of(const ShiftCurve& curve) {
  if (curve.known == 0 || curve.overflows) return Verdict::unknown;
  if (!curve.angle_bound.empty() && !curve.exact_positions)
    return curve.worst_share() <= 1 ? Verdict::kept : Verdict::moved;
  if (curve.worst(curve.error) <= curve.bound)
    return curve.relative ? Verdict::kept : Verdict::hidden;
  return Verdict::moved;
}

/// "5 roundings of fp64", the most of those in the first pipeline; "48 000 of fp32" in another.
std::string roundings(const std::vector<ShiftCurve>& curves,
                      const std::vector<std::string>& encodings) {
  std::vector<std::pair<std::string, Largest>> by_format;
  for (const ShiftCurve& curve : curves) {
    if (curve.known == 0 || std::ranges::find(encodings, curve.encoding) == encodings.end())
      continue;
    const std::string format = pipeline_words(curve.pipeline);
    auto found =
        std::ranges::find_if(by_format, [&](const auto& one) { return one.first == format; });
    if (found == by_format.end()) found = by_format.insert(found, {format, Largest()});
    found->second.see(curve.worst(curve.ulps));
  }
  std::string words;
  for (const auto& [format, most] : by_format) {
    const std::string count = grouped_number(std::ceil(most.value()));
    words += words.empty()
                 ? fmt::format("{} rounding{} of {}", count, count == "1" ? "" : "s", format)
                 : fmt::format(", {} of {}", count, format);
  }
  return words;
}

bool never_changes(const std::vector<ShiftCurve>& curves, const std::string& encoding) {
  return std::ranges::all_of(curves, [&](const ShiftCurve& curve) {
    return curve.encoding != encoding || curve.worst(curve.error) == 0;
  });
}

/// "no encoding and ALiBi keep their logits exactly, RoPE to 5 roundings of fp64".
std::string kept_words(const std::vector<ShiftCurve>& curves, const Curves& kept) {
  Curves exactly, roughly;
  std::vector<std::string> rough;
  for (const ShiftCurve* curve : kept) {
    const bool exact = never_changes(curves, curve->encoding);
    (exact ? exactly : roughly).push_back(curve);
    if (!exact) rough.push_back(curve->encoding);
  }
  std::string words;
  const auto keep = [&](const Curves& those) {
    const bool one = encodings_of(those).size() == 1;
    return fmt::format("{} {} logits", listed(encodings_of(those)),
                       one ? "keeps its" : "keep their");
  };
  if (!exactly.empty()) words = keep(exactly) + " exactly";
  if (roughly.empty()) return words;
  return words + (words.empty() ? keep(roughly) : ", " + listed(encodings_of(roughly))) + " to " +
         roundings(curves, rough);
}

std::string moved_words(const Curves& moved, bool first) {
  Largest most;
  for (const ShiftCurve* curve : moved) most.see(curve->worst(curve->error));
  const std::vector<std::string> names = encodings_of(moved);
  return fmt::format("{} move{} {} by {:.2g}", listed(names), names.size() == 1 ? "s" : "",
                     first ? (names.size() == 1 ? "its logits" : "their logits")
                           : (names.size() == 1 ? "its" : "theirs"),
                     most.value());
}

}  // namespace in_shift_words
}  // namespace

std::string pipeline_words(const Pipeline& pipeline) {
  if (pipeline.name == "exact_fp32") return "fp32 with exact angles";
  std::string format(name(pipeline.format));
  if (pipeline.name.starts_with("fused_")) return "fused " + format;
  return format;
}

std::vector<ShiftGroup> groups_of(const std::vector<ShiftCurve>& curves) {
  using namespace in_shift_words;
  std::vector<std::string> pipelines;
  std::vector<ShiftGroup> groups;
  for (const ShiftCurve& curve : curves) {
    add_once(pipelines, curve.pipeline.name);
    const auto same = std::ranges::find_if(
        groups, [&](const ShiftGroup& group) { return are_alike(*group.curves.front(), curve); });
    if (same != groups.end())
      same->curves.push_back(&curve);
    else
      groups.push_back({{&curve}, ""});
  }
  for (ShiftGroup& group : groups) {
    group.words = words_of(group.curves, pipelines.size());
    const ShiftCurve& first = *group.curves.front();
    if (first.known > 0 && first.worst(first.error) == 0) group.words += ": no change";
  }
  return groups;
}

std::string invariance_title(const std::vector<ShiftCurve>& curves) {
  using namespace in_shift_words;
  Curves kept, moved, hidden, unknown;
  for (const ShiftCurve& curve : curves) {
    if (curve.pipeline.name != curves.front().pipeline.name) continue;
    const Verdict verdict = verdict_of(curve);
    (verdict == Verdict::kept     ? kept
     : verdict == Verdict::moved  ? moved
     : verdict == Verdict::hidden ? hidden
                                  : unknown)
        .push_back(&curve);
  }
  std::string title;
  const auto add = [&](const std::string& words) { title += (title.empty() ? "" : "; ") + words; };
  if (!kept.empty()) add(kept_words(curves, kept));
  if (!moved.empty()) add(moved_words(moved, kept.empty()));
  if (!hidden.empty())
    add(fmt::format("rounding may hide what a shift does to {}", listed(encodings_of(hidden))));
  if (!unknown.empty())
    add(fmt::format("no shift can be tried with {}", listed(encodings_of(unknown))));
  return "Shifted, " + title;
}

}  // namespace orrery

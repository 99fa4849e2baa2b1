#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/reports/compare.h"
#include "experiments/results/json_fields.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

using CheckPair = ResultComparison::CheckPair;
using Data = ResultComparison::Data;
using PointPair = SweepComparison::PointPair;
using Repeats = SweepComparison::Repeats;
using Summary = SweepComparison::Summary;

using Json = nlohmann::ordered_json;

template <class Items, class Convert>
Json list_json(const Items& items, Convert convert) {
  Json list = Json::array();
  for (const auto& item : items) list.push_back(convert(item));
  return list;
}

Json text_json(const TextDifference& one) {
  return {{"name", one.name}, {"a", one.a}, {"b", one.b}};
}

Json scalar_json(const NumberDifference& one) {
  return {{"name", one.name},
          {"a", number_json(one.a)},
          {"b", number_json(one.b)},
          {"same", one.same()},
          {"difference", number_json(one.difference())},
          {"relative", number_json(one.relative())},
          {"ulp", ulp_distance(one.a, one.b)}};
}

Json check_json(const CheckPair& one) {
  Json json = scalar_json(one.measured);
  json["holds_a"] = one.holds_a;
  json["holds_b"] = one.holds_b;
  return json;
}

Json data_json(const Data& one) {
  return {{"name", one.name},
          {"other", one.other},
          {"numbers", one.numbers},
          {"differing", one.differing},
          {"largest", number_json(one.largest)}};
}

Json result_json(const ResultComparison& one) {
  return {{"settings", list_json(one.settings, text_json)},
          {"scalars", list_json(one.scalars, scalar_json)},
          {"checks", list_json(one.checks, check_json)},
          {"data", list_json(one.data, data_json)},
          {"only_a", one.only_a},
          {"only_b", one.only_b}};
}

Json moments_json(const SampleMoments& one) {
  return {{"n", one.n},
          {"mean", number_json(one.mean)},
          {"sd", number_json(one.deviation)},
          {"standard_error", number_json(one.standard_error)}};
}

Json repeats_json(const Repeats& one) {
  return {{"setting", one.setting},
          {"scalar", one.scalar},
          {"a", moments_json(one.a)},
          {"b", moments_json(one.b)},
          {"difference", number_json(one.test.difference)},
          {"t", number_json(one.test.t)},
          {"test", one.paired ? "paired" : "welch"},
          {"degrees_of_freedom", number_json(one.test.degrees)},
          {"p", number_json(one.test.p)},
          {"p_holm", number_json(one.p_holm)},
          {"interval_95", numbers_json({one.test.low, one.test.high})}};
}

Json point_json(const PointPair& one) {
  return {{"label", one.label},
          {"label_b", one.label_b.empty() ? one.label : one.label_b},
          {"id_a", one.id_a},
          {"id_b", one.id_b},
          {"status_a", name_of(one.status_a)},
          {"status_b", name_of(one.status_b)},
          {"result", result_json(one.result)}};
}

Json summary_json(const Summary& one) {
  return {{"scalar", one.scalar},
          {"points", one.points},
          {"differing", one.differing},
          {"largest_relative", number_json(one.largest)},
          {"where", one.where}};
}

Json sweep_json(const SweepComparison& one) {
  return {{"settings", list_json(one.settings, text_json)},
          {"matched", one.matched},
          {"scalars", list_json(one.scalars, summary_json)},
          {"differing", list_json(one.differing, point_json)},
          {"only_a", one.only_a},
          {"only_b", one.only_b},
          {"not_compared", one.not_compared},
          {"without_result", one.without_result},
          {"repeats", list_json(one.repeats, repeats_json)}};
}

/// Aligned columns; the first is text, the others are numbers.
class Columns {
 public:
  explicit Columns(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.size() == 1; }

  std::string text() const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const auto& row : rows_) {
      text += fmt::format("  {:<{}}", row[0], widths[0]);
      for (std::size_t i = 1; i < row.size(); ++i)
        text += fmt::format("  {:>{}}", row[i], widths[i]);
      text += "\n";
    }
    return text;
  }

 private:
  std::vector<std::vector<std::string>> rows_{};
};

std::string shown(const std::string& text) { return text.empty() ? "(none)" : text; }

std::string differences_text(const std::string& title, const std::vector<TextDifference>& list) {
  if (list.empty()) return {};
  std::string text = title + "\n";
  for (const TextDifference& one : list)
    text += fmt::format("  {}: {} -> {}\n", one.name, shown(one.a), shown(one.b));
  return text;
}

std::string ulp_text(double a, double b) {
  const std::uint64_t distance = ulp_distance(a, b);
  constexpr std::uint64_t countable =
      1000000;  // above this, the relative difference is more informative
  return distance < countable ? fmt::format("{}", distance) : "many";
}

std::string scalars_text(const ResultComparison& result) {
  Columns columns({"scalar", "A", "B", "B - A", "relative", "ulp"});
  std::size_t same = 0;
  for (const NumberDifference& one : result.scalars) {
    if (one.same())
      ++same;
    else
      columns.add({one.name, short_number(one.a), short_number(one.b),
                   short_number(one.difference()), short_number(one.relative()),
                   ulp_text(one.a, one.b)});
  }
  std::string text = columns.empty() ? "" : columns.text();
  if (same > 0) text += fmt::format("  {} scalars are equal to the bit\n", same);
  return text;
}

std::string verdict(bool holds) { return holds ? "holds" : "FAILS"; }

std::string checks_text(const ResultComparison& result) {
  Columns columns({"check", "A", "B", "A measured", "B measured"});
  for (const CheckPair& one : result.checks)
    columns.add({one.name, verdict(one.holds_a), verdict(one.holds_b), short_number(one.measured.a),
                 short_number(one.measured.b)});
  return columns.empty() ? "" : columns.text();
}

std::string data_text(const ResultComparison& result) {
  Columns columns({"data", "differing", "of", "largest |B - A|"});
  std::string others;
  for (const Data& one : result.data) {
    if (one.other.empty())
      columns.add({one.name, fmt::format("{}", one.differing), fmt::format("{}", one.numbers),
                   short_number(one.largest)});
    else
      others += fmt::format("  {}: {}\n", one.name, one.other);
  }
  return (columns.empty() ? "" : columns.text()) + others;
}

std::string only_text(const std::vector<std::string>& names, char side) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("  only in {}: {}\n", side, name);
  return text;
}

std::string numbers_text(const ResultComparison& result) {
  return scalars_text(result) + checks_text(result) + data_text(result) +
         only_text(result.only_a, 'A') + only_text(result.only_b, 'B');
}

std::string summary_text(const SweepComparison& sweep) {
  Columns columns({"scalar", "differs at", "largest relative", "at"});
  for (const Summary& one : sweep.scalars)
    columns.add({one.scalar, fmt::format("{} of {}", one.differing, one.points),
                 short_number(one.largest), one.where});
  return columns.empty() ? "" : columns.text();
}

std::string heading_of(const PointPair& pair) {
  if (pair.label_b.empty()) return fmt::format("{} ({} and {})", pair.label, pair.id_a, pair.id_b);
  return fmt::format("{} ({}) and {} ({})", pair.label, pair.id_a, pair.label_b, pair.id_b);
}

std::string points_text(const SweepComparison& sweep) {
  constexpr std::size_t most = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, sweep.differing.size()); ++i) {
    const PointPair& pair = sweep.differing[i];
    text += heading_of(pair) + "\n";
    if (pair.status_a != pair.status_b)
      text += fmt::format("  {} in A, {} in B\n", name_of(pair.status_a), name_of(pair.status_b));
    text += numbers_text(pair.result);
  }
  if (sweep.differing.size() > most)
    text += fmt::format("{} more points differ; --json lists them all\n",
                        sweep.differing.size() - most);
  return text;
}

std::string repeats_text(const SweepComparison& sweep) {
  if (sweep.repeats.empty()) return {};
  Columns columns({"repeats", "n", "mean A", "mean B", "B - A", "95% from", "to", "test", "t", "df",
                   "p", "p (Holm)"});
  for (const Repeats& one : sweep.repeats)
    columns.add(
        {one.setting + ": " + one.scalar,
         one.a.n == one.b.n ? fmt::format("{}", one.a.n) : fmt::format("{}, {}", one.a.n, one.b.n),
         short_number(one.a.mean), short_number(one.b.mean), short_number(one.test.difference),
         short_number(one.test.low), short_number(one.test.high), one.paired ? "paired" : "Welch",
         fmt::format("{:.3f}", one.test.t), fmt::format("{:.1f}", one.test.degrees),
         fmt::format("{:.3g}", one.test.p), fmt::format("{:.3g}", one.p_holm)});
  return "Over repeats (Student's t, two-sided; of pairs where the seeds are the same)\n" +
         columns.text();
}

std::string sweep_text(const SweepComparison& sweep) {
  std::string text = differences_text("Settings", sweep.settings);
  text +=
      fmt::format("{} points in both, {} of them differ\n", sweep.matched, sweep.differing.size());
  text += only_text(sweep.only_a, 'A') + only_text(sweep.only_b, 'B');
  return text + summary_text(sweep) + points_text(sweep) + repeats_text(sweep);
}

std::string result_text(const ResultComparison& result) {
  return differences_text("Settings", result.settings) + "Numbers\n" + numbers_text(result);
}

}  // namespace

Json to_json(const Comparison& comparison) {
  Json json{{"schema", "orrery.comparison/1"},
            {"same_numbers", comparison.same_numbers()},
            {"tolerance", comparison.tolerance},
            {"program", list_json(comparison.program, text_json)},
            {"inputs", list_json(comparison.inputs, text_json)}};
  if (comparison.sweeps)
    json["sweep"] = sweep_json(comparison.sweep);
  else
    json["result"] = result_json(comparison.result);
  return json;
}

std::string comparison_text(const Comparison& comparison) {
  std::string text = differences_text("Program", comparison.program) +
                     differences_text("Input files (SHA-256)", comparison.inputs);
  text += comparison.sweeps ? sweep_text(comparison.sweep) : result_text(comparison.result);
  if (comparison.same_numbers()) return text + "All numbers are the same.\n";
  const SweepComparison& sweep = comparison.sweep;
  const bool differs = !comparison.sweeps || !sweep.differing.empty() || !sweep.only_a.empty() ||
                       !sweep.only_b.empty();
  if (!differs) return text + "All numbers that can be compared are the same.\n";
  return text + "Numbers differ. " +
         (comparison.tolerance > 0
              ? fmt::format("Relative differences up to {:.3g} count as none.\n",
                            comparison.tolerance)
              : "They are compared to the bit: --tolerance 1e-9 leaves roundings out.\n");
}

}  // namespace orrery

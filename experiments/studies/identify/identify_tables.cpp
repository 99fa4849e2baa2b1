#include "experiments/studies/identify/identify_question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "experiments/identify/report_json.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/searched_tensor.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {
namespace in_identify_tables {

using Reports = std::vector<TensorReport>;

std::size_t tied_in(const TensorReport& report) {
  return static_cast<std::size_t>(
      std::ranges::count_if(report.hypotheses, [](const auto& one) { return one.tied; }));
}

/// "half_split pairs; base 10000; rows 0–23 at 7–30".
std::string sentence_of(const TensorReport& report) {
  return report.hypotheses.front().text + (report.rows.empty() ? "" : "; " + report.rows);
}

std::string verdict_text(const TensorReport& report) {
  if (!report.explained)
    return fmt::format("no {} that is known explains it; the nearest:", report.one);
  const std::size_t tied = tied_in(report);
  if (tied == 0) return "nothing is left to explain";
  const std::string what = sentence_of(report);
  if (report.has_expected && report.as_expected)
    return fmt::format("{}: as the configuration says{}", what,
                       report.moved.empty() ? "" : ", " + report.moved);
  if (tied > 1)
    return fmt::format("{}: one of {} {} that this tensor cannot tell apart", what, tied,
                       report.several);
  return fmt::format("{}: explained by one {} alone", what, report.one);
}

std::string first_explanation(const TensorReport& report) {
  if (!report.explained) return "not explained";
  return report.hypotheses.empty() ? "all hidden" : report.hypotheses.front().text;
}

/// What is known of one tensor, hypothesis by hypothesis.
Table words_table(std::string name, const TensorReport& report) {
  TableBuilder table(std::move(name),
                     as_marked(fmt::format("{} {} {}: {}", report.name, report.shape, report.format,
                                           verdict_text(report))),
                     {"hypothesis", "what", "words"});
  const auto add = [&](const char* what, const std::string& words) {
    if (!words.empty()) table.row({"", what, words});
  };
  for (const Deviation& deviation : report.deviations)
    add("deviates",
        fmt::format("{} {} instead of {}", deviation.field, deviation.found, deviation.expected));
  for (std::size_t i = 0; i < report.hypotheses.size(); ++i) {
    const HypothesisReport& h = report.hypotheses[i];
    table.row({fmt::format("{}", i + 1), report.one, h.text});
    add("residual", fmt::format("{:.3g}, largest {:.3g} roundings of {}", h.residual, h.largest,
                                report.format));
    if (h.is_expected)
      add("expected", "as expected");
    else
      add("defect", h.defect.empty() ? h.defect_description
                                     : fmt::format("{}: {} ({})", h.defect, h.defect_description,
                                                   h.defect_source));
    if (!h.tells.empty()) add("tells", (h.tied ? "cannot be told from 1: " : "") + h.tells);
    add("setting", h.setting);
  }
  for (const std::string& note : report.notes) add("note", note);
  return std::move(table).finish_printed();
}

/// Which explanation holds for how many tensors, and which disagree.
Table explanations_table(const Reports& reports) {
  constexpr std::size_t most = 12;
  std::map<std::string, std::vector<std::string>> groups;
  for (const TensorReport& report : reports)
    groups[first_explanation(report)].push_back(report.name);
  TableBuilder table("explanations",
                     fmt::format("{} tensors, {} explanation{}", reports.size(), groups.size(),
                                 groups.size() == 1 ? ": all agree" : "s"),
                     {"tensors", "explanation", "which"});
  for (auto& [explanation, names] : groups) {
    const std::size_t more = names.size() > most ? names.size() - most : 0;
    names.resize(names.size() - more);
    table.row({fmt::format("{} of {}", names.size() + more, reports.size()), explanation,
               fmt::format("{}{}", fmt::join(names, ", "),
                           more > 0 ? fmt::format(" and {} more", more) : "")});
  }
  return std::move(table).finish_printed();
}

Table hypotheses_table(const Reports& reports) {
  TableBuilder table("hypotheses", "what may have happened to each tensor, best first",
                     {"hypothesis", "tensor", "residual [roundings]", "largest [roundings]",
                      "evidence", "tied", "expected", "defect", "setting", "tells"});
  for (const TensorReport& report : reports)
    for (const HypothesisReport& h : report.hypotheses)
      table.row({h.text, report.name, h.residual, h.largest, h.evidence, h.tied ? 1 : 0,
                 h.is_expected ? 1 : 0, h.defect, h.setting, h.tells});
  return std::move(table).finish();
}

Table deviations_table(const Reports& reports) {
  TableBuilder table("deviations", "in what tensors differ from what was expected",
                     {"tensor", "field", "expected", "found"});
  for (const TensorReport& report : reports)
    for (const Deviation& one : report.deviations)
      table.row({report.name, one.field, one.expected, one.found});
  return std::move(table).finish();
}

/// The hypotheses of one tensor, or the first of each of several.
TableFigure hypotheses_drawn(const Reports& reports) {
  if (reports.size() > 1) {
    TableFigure drawn{.header = {"tensor", "explanation", "residual"}};
    for (const TensorReport& report : reports)
      drawn.rows.push_back({report.name, first_explanation(report),
                            report.hypotheses.empty()
                                ? ""
                                : fmt::format("{:.3g}", report.hypotheses.front().residual)});
    return drawn;
  }
  const TensorReport& report = reports.front();
  TableFigure drawn{.header = {"", report.one, "residual", "differs from the first"}};
  for (std::size_t i = 0; i < report.hypotheses.size(); ++i) {
    const HypothesisReport& h = report.hypotheses[i];
    drawn.rows.push_back(
        {place_text(i, h.tied), h.text, fmt::format("{:.3g}", h.residual), h.tells});
  }
  return drawn;
}

void add_numbers(const TensorReport& report, Result& result) {
  if (report.hypotheses.empty()) return;
  const HypothesisReport& first = report.hypotheses.front();
  result.scalars = {
      {.name = "residual",
       .unit = "roundings",
       .value = first.residual,
       .description = "root mean square residual of the first hypothesis: " + first.text},
      {.name = "tied",
       .value = static_cast<double>(tied_in(report)),
       .description = "hypotheses that this tensor cannot tell apart"}};
  if (report.one == "rope" && !first.setting.empty())
    result.next = NextStep{.title = "Run the first hypothesis",
                           .about = "Shows the long-term decay with",
                           .experiment = "long_term_decay",
                           .words = first.setting};
}

void add_checks(const Reports& reports, Result& result) {
  std::size_t expected = 0;
  double deviating = 0, unexplained = 0;
  for (const TensorReport& report : reports) {
    expected += report.has_expected;
    // A residual that is NaN explains nothing, and is no number of tensors.
    const double nothing = report.hypotheses.empty() ? 0 : 0 * report.hypotheses.front().residual;
    if (report.has_expected)
      deviating += nothing + (report.as_expected ? 0 : 1);
    else
      unexplained += nothing + (report.explained ? 0 : 1);
  }
  const FindingsOn all(result);
  if (expected > 0)
    all.at_most("as_expected", "what is expected explains each tensor (tensors that deviate)",
                "expect", deviating, 0);
  if (expected < reports.size())
    all.at_most("first_hypothesis_explains",
                "the first hypothesis explains each tensor to within rounding (tensors that it "
                "does not)",
                "eq. (14)", unexplained, 0);
}

}  // namespace in_identify_tables
}  // namespace

void add_reports(const std::vector<TensorReport>& reports, const std::string& caption,
                 Result& result) {
  using namespace in_identify_tables;
  const bool several = reports.size() > 1;
  if (!several) add_numbers(reports.front(), result);
  add_checks(reports, result);
  result.files.push_back({"identify.json", identify_json(reports)});
  if (several) result.tables.push_back(explanations_table(reports));
  for (std::size_t i = 0; i < reports.size(); ++i)
    result.tables.push_back(
        words_table(several ? fmt::format("tensor_{}", i + 1) : "tensor", reports[i]));
  for (Table table : {hypotheses_table(reports), deviations_table(reports)})
    if (!std::holds_alternative<std::vector<double>>(table.columns.front().values))
      result.tables.push_back(std::move(table));
  result.figures.push_back(
      {"hypotheses",
       fmt::format("Which {} {}", reports.front().one,
                   reports.front().one == "rope"
                       ? (several ? "turned these tensors" : "turned this tensor")
                       : "this is"),
       caption, hypotheses_drawn(reports)});
}

}  // namespace orrery

#include "experiments/findings/identify_text.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

std::string residual_words(const TensorReport& report, const HypothesisReport& hypothesis) {
  return fmt::format("residual {:.3g}, largest {:.3g} roundings of {}", hypothesis.residual,
                     hypothesis.largest, report.format);
}

std::string defect_words(const HypothesisReport& hypothesis) {
  if (hypothesis.is_expected) return "     as expected\n";
  if (hypothesis.defect.empty())
    return hypothesis.defect_description.empty()
               ? ""
               : fmt::format("     {}\n", hypothesis.defect_description);
  return fmt::format("     defect {}: {} ({})\n", hypothesis.defect, hypothesis.defect_description,
                     hypothesis.defect_source);
}

std::string hypothesis_text(const TensorReport& report, const HypothesisReport& hypothesis,
                            std::size_t number) {
  std::string text = fmt::format("  {}. {}\n     {}\n", number, hypothesis.text,
                                 residual_words(report, hypothesis));
  text += defect_words(hypothesis);
  if (!hypothesis.tells.empty())
    text += fmt::format("     {}{}\n", hypothesis.tied ? "cannot be told from 1: " : "",
                        hypothesis.tells);
  if (!hypothesis.setting.empty()) text += fmt::format("     {}\n", hypothesis.setting);
  return text;
}

std::string verdict_text(const TensorReport& report) {
  if (report.has_expected && report.as_expected) return "as the configuration says";
  if (!report.explained)
    return fmt::format("no {} that is known explains it; the nearest:", report.one);
  std::size_t tied = 0;
  for (const HypothesisReport& hypothesis : report.hypotheses) tied += hypothesis.tied ? 1 : 0;
  if (tied > 1)
    return fmt::format("{} {} that this tensor cannot tell apart", tied, report.several);
  if (tied == 0) return "nothing is left to explain";
  return fmt::format("explained by one {} alone", report.one);
}

std::string deviations_text(const TensorReport& report) {
  std::string text;
  for (const Deviation& deviation : report.deviations)
    text += fmt::format("  deviates: {} {} instead of {}\n", deviation.field, deviation.found,
                        deviation.expected);
  return text;
}

std::string report_text(const TensorReport& report) {
  std::string text =
      fmt::format("{} {} {}: {}\n", report.name, report.shape, report.format, verdict_text(report));
  text += deviations_text(report);
  std::size_t number = 0;
  for (const HypothesisReport& hypothesis : report.hypotheses)
    text += hypothesis_text(report, hypothesis, ++number);
  for (const std::string& note : report.notes) text += fmt::format("  note: {}\n", note);
  return text;
}

std::string first_explanation(const TensorReport& report) {
  if (!report.explained) return "not explained";
  return report.hypotheses.empty() ? "all hidden" : report.hypotheses.front().text;
}

std::string names_text(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  const std::vector<std::string> some(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(names.size() < most ? names.size() : most));
  return fmt::format("{}{}", fmt::join(some, ", "),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

std::string summary_text(const std::vector<TensorReport>& reports) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const TensorReport& report : reports)
    groups[first_explanation(report)].push_back(report.name);
  std::string text = fmt::format("{} tensors, {} explanation{}\n", reports.size(), groups.size(),
                                 groups.size() == 1 ? ": all agree" : "s");
  for (const auto& [explanation, names] : groups)
    text += fmt::format("  {} of {}: {}\n    {}\n", names.size(), reports.size(), explanation,
                        names_text(names));
  return text + "\n";
}

Json hypothesis_json(const HypothesisReport& hypothesis) {
  Json facts = Json::object();
  for (const auto& [field, value] : hypothesis.facts) facts[field] = value;
  Json defect = nullptr;
  if (!hypothesis.defect.empty() || !hypothesis.defect_description.empty())
    defect = {{"name", hypothesis.defect},
              {"description", hypothesis.defect_description},
              {"source", hypothesis.defect_source}};
  return {{"text", hypothesis.text},       {"facts", std::move(facts)},
          {"defect", std::move(defect)},   {"expected", hypothesis.is_expected},
          {"tied", hypothesis.tied},       {"residual", hypothesis.residual},
          {"largest", hypothesis.largest}, {"evidence", hypothesis.evidence},
          {"tells", hypothesis.tells},     {"setting", hypothesis.setting}};
}

Json report_json(const TensorReport& report) {
  Json deviations = Json::array(), hypotheses = Json::array();
  for (const Deviation& deviation : report.deviations)
    deviations.push_back(
        {{"field", deviation.field}, {"expected", deviation.expected}, {"found", deviation.found}});
  for (const HypothesisReport& hypothesis : report.hypotheses)
    hypotheses.push_back(hypothesis_json(hypothesis));
  return {{"name", report.name},
          {"shape", report.shape},
          {"format", report.format},
          {"explained", report.explained},
          {"as_expected", report.has_expected ? Json(report.as_expected) : Json(nullptr)},
          {"deviations", std::move(deviations)},
          {"hypotheses", std::move(hypotheses)},
          {"notes", report.notes}};
}

}  // namespace

std::string identify_text(const std::vector<TensorReport>& reports) {
  std::string text = reports.size() > 1 ? summary_text(reports) : "";
  for (const TensorReport& report : reports) text += report_text(report);
  return text;
}

std::string identify_json(const std::vector<TensorReport>& reports) {
  Json tensors = Json::array();
  for (const TensorReport& report : reports) tensors.push_back(report_json(report));
  // Names of a file need not be UTF-8.
  return Json{{"tensors", std::move(tensors)}}.dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace orrery

#include "experiments/identify/report_json.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

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
          {"rows", report.rows},
          {"moved", report.moved},
          {"deviations", std::move(deviations)},
          {"hypotheses", std::move(hypotheses)},
          {"notes", report.notes}};
}

}  // namespace

std::string identify_json(const std::vector<TensorReport>& reports) {
  Json tensors = Json::array();
  for (const TensorReport& report : reports) tensors.push_back(report_json(report));
  // Names of a file need not be UTF-8.
  return Json{{"tensors", std::move(tensors)}}.dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace orrery

#include "experiments/sweeps/catalogue_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/results/json_fields.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/text/enum_names.h"

namespace orrery {
namespace {

using nlohmann::ordered_json;

ordered_json table_json(const EncodingSummary::Table& table) {
  return {{"name", table.name},
          {"shape", table.shape},
          {"description", plain_text(table.description)},
          {"initial", plain_text(table.initial)}};
}

const EnumNames<ParamKind> kind_names{{ParamKind::boolean, "boolean"},
                                      {ParamKind::integer, "integer"},
                                      {ParamKind::real, "real"},
                                      {ParamKind::choice, "choice"},
                                      {ParamKind::choice_list, "choice_list"},
                                      {ParamKind::number_list, "number_list"},
                                      {ParamKind::file, "file"},
                                      {ParamKind::text, "text"}};

/// As the help of `describe` states it: enough to write valid values.
ordered_json param_json(const ParamSpec& spec) {
  ordered_json json{{"key", spec.key},
                    {"kind", name_in(kind_names, spec.kind)},
                    {"symbol", plain_text(spec.symbol)},
                    {"unit", spec.unit},
                    {"description", plain_text(spec.description)},
                    {"default", to_text(spec.default_value)}};
  const bool is_number = spec.kind == ParamKind::integer || spec.kind == ParamKind::real;
  const bool is_list = spec.kind == ParamKind::choice_list || spec.kind == ParamKind::number_list;
  if (is_number || spec.kind == ParamKind::number_list) {
    json["min"] = spec.min;
    json["max"] = spec.max;
  }
  if (spec.kind == ParamKind::integer) json["multiple_of"] = spec.multiple_of;
  if (is_number) json["logarithmic"] = spec.logarithmic;
  if (is_list) json["may_be_empty"] = spec.may_be_empty;
  if (spec.kind == ParamKind::file) json["file_types"] = spec.file_types;
  if (!spec.group.empty()) json["group"] = spec.group;
  for (const Choice& choice : spec.choices)
    json["choices"].push_back(
        {{"name", choice.name}, {"description", plain_text(choice.description)}});
  if (spec.used_when)
    json["used_when"] = {{"key", spec.used_when->key}, {"any_of", spec.used_when->any_of}};
  return json;
}

/// "θ = base  [sec. 3.3]"
std::string sourced_text(const Formula& formula) {
  const std::string text = formula_text(formula.tex);
  return formula.source.empty() ? text : fmt::format("{}  [{}]", text, formula.source);
}

ordered_json experiment_json(const ExperimentInfo& info) {
  return {{"experiment", info.name},
          {"version", info.version},
          {"title", info.title},
          {"question", plain_text(info.question)},
          {"equations", equations_of(info)},
          {"params", json_list(info.params, param_json)}};
}

ordered_json encoding_json(const EncodingSummary& encoding) {
  return {{"encoding", encoding.name},
          {"label", encoding.label},
          {"title", encoding.title},
          {"statement", plain_text(encoding.statement)},
          {"formulas", formula_texts(encoding.formulas)},
          {"source", encoding.source},
          {"doors", encoding.doors},
          {"params", json_list(encoding.params, param_json)},
          {"tables", json_list(encoding.tables, table_json)}};
}

ordered_json preset_json(const SweepSpec& preset) {
  ordered_json values = ordered_json::object();
  for (const SweepSpec::Axis& axis : preset.axes) values[axis.key] = axis.values;
  return {{"preset", preset.name},
          {"experiment", preset.experiment->info.name},
          {"description", preset.description},
          {"values", std::move(values)},
          {"zip", preset.zips},
          {"repeats", preset.repeats},
          {"seed", preset.seed}};
}

[[noreturn]] void refuse_name(const std::string& name) {
  std::vector<std::string> names;
  for (const Experiment* experiment : experiment_catalogue())
    names.push_back(experiment->info.name);
  for (const EncodingSummary& encoding : encoding_list()) names.push_back(encoding.name);
  for (const std::string& preset : preset_names()) names.push_back(preset);
  throw UsageError(name, "is neither an experiment, an encoding nor a preset",
                   remedy_for_unknown(name, names, "orrery list shows all names"));
}

}  // namespace

std::vector<std::string> formula_texts(const std::vector<Formula>& formulas) {
  std::vector<std::string> texts;
  for (const Formula& formula : formulas) texts.push_back(sourced_text(formula));
  return texts;
}

std::vector<std::string> equations_of(const ExperimentInfo& info) {
  std::vector<std::string> texts = formula_texts(info.formulas);
  for (const FormulasOfChoice& choice : info.formulas_of_choices)
    for (const Formula& formula : choice.formulas)
      texts.push_back(fmt::format("{}={}: {}", choice.key, choice.value, sourced_text(formula)));
  return texts;
}

SweepSpec find_preset(const std::string& name) {
  const std::vector<std::string> presets = preset_names();
  if (std::find(presets.begin(), presets.end(), name) == presets.end()) refuse_name(name);
  return preset_named(name);
}

ordered_json description_json(const std::string& name) {
  if (const Experiment* experiment = known_experiment(name))
    return experiment_json(experiment->info);
  if (const EncodingSummary* encoding = find_encoding_summary(name))
    return encoding_json(*encoding);
  return preset_json(find_preset(name));
}

ordered_json list_json(bool experiments, bool encodings, bool presets) {
  ordered_json json;
  if (experiments)
    for (const Experiment* e : experiment_catalogue())
      json["experiments"].push_back({{"name", e->info.name},
                                     {"version", e->info.version},
                                     {"title", e->info.title},
                                     {"question", plain_text(e->info.question)}});
  if (encodings)
    for (const EncodingSummary& e : encoding_list())
      json["encodings"].push_back({{"name", e.name},
                                   {"title", e.title},
                                   {"statement", plain_text(e.statement)},
                                   {"doors", e.doors},
                                   {"source", e.source}});
  if (presets)
    for (const std::string& name : preset_names()) {
      const SweepSpec preset = preset_named(name);
      json["presets"].push_back({{"name", name},
                                 {"experiment", preset.experiment->info.name},
                                 {"description", preset.description}});
    }
  return json;
}

}  // namespace orrery

#include "tests/experiments/studies/moved_controls.h"

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <variant>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/results/figure_json.h"
#include "tests/support/experiment_run.h"

namespace orrery::test {
namespace {

/// Settings with which a run takes a millisecond or two.
Settings small_settings(const std::string& experiment) {
  static const std::map<std::string, Settings> all{
      {"score_spectrogram",
       {{"max_distance", "1024"},
        {"columns", "40"},
        {"dim", "16"},
        {"heads", "4"},
        {"context", "300"}}},
      {"long_term_decay", {{"max_distance", "64"}, {"dim", "16"}, {"draws", "4"}}},
      {"relative_invariance",
       {{"dim", "16"}, {"tokens", "8"}, {"span", "16"}, {"precision", "exact+eager_bf16"}}},
      {"attention_map", {{"max_tokens", "20"}, {"dim", "16"}}},
      {"score_decomposition",
       {{"max_tokens", "8"}, {"dim", "16"}, {"show", "equation+terms+sum+profiles+shares"}}},
      {"rotation", {{"dim", "32"}}},
      {"encoding_matrix",
       {{"dim", "16"},
        {"positions", "16"},
        {"show", "maps+cos_sin+profiles+staircases+index_maps"}}},
      {"spectrum", {{"dim", "32"}, {"search", "1024"}}},
      {"norm_preservation", {{"dim", "16"}, {"draws", "4"}}},
      {"linear_attention",
       {{"dim", "16"},
        {"tokens", "16"},
        {"favor_features", "32"},
        {"draws", "2"},
        {"most_features", "64"}}},
      {"sequence_length",
       {{"dim", "16"}, {"train_length", "32"}, {"max_length", "64"}, {"draws", "2"}}},
      {"equal_half_distance", {{"dim", "16"}}},
      {"model_layers", {{"context", "4096"}}},
      {"model_heads", {{"length", "12"}}},
      {"lens", {{"length", "14"}}},
      {"patch", {{"length", "14"}}},
      {"settle", {{"length", "32"}, {"questions", "pairing"}, {"edits", "pairing"}}},
      {"passport", {{"length", "14"}, {"parts", "4"}, {"repeated", "4"}, {"targets", "2"}}},
      {"semantic_reversal", {{"dim", "16"}, {"context", "512"}, {"draws", "2"}}},
      {"attend", {{"dim", "16"}, {"tokens", "8"}, {"first_position", "1001"}}},
      {"apply", {{"dim", "16"}}},
      {"identify", {{"dim", "16"}, {"tokens", "12"}}},
      {"defects", {{"dim", "16"}, {"draws", "2"}}},
      {"training",
       {{"steps", "2"}, {"batch", "2"}, {"tokens", "12"}, {"dim", "4"}, {"heads", "2"}}}};
  const auto found = all.find(experiment);
  return found == all.end() ? Settings{} : found->second;
}

std::string fingerprint(const std::shared_ptr<const Array>& array) {
  std::size_t sum = 0;
  const auto add = [&](const auto& values) {
    for (const auto value : values)
      sum = 1000003 * sum + std::hash<double>()(static_cast<double>(value));
  };
  if (array) std::visit(add, array->values);
  return std::to_string(sum);
}

std::string bits(double value) { return std::to_string(std::hash<double>()(value)); }
std::string bits(const std::string& value) { return value + '\n'; }
template <class Value>
std::string bits(const std::vector<Value>& values) {
  std::string all;
  for (const Value& value : values) all += bits(value) + ' ';
  return all;
}

/// All that is drawn, without title and caption, which name the settings.
std::string drawn_in(const Figure& figure) {
  nlohmann::ordered_json json =
      figure_json(figure, [](const auto& array, std::string_view) { return fingerprint(array); });
  json.erase("caption");
  json.erase("title");
  return json.dump();
}

/// The settings with one value changed, unless it is refused.
void add_changed(std::vector<ParamSet>& all, const ParamSet& params, const std::string& key,
                 ParamValue value) {
  ParamSet changed = params;
  try {
    changed.set_value(key, std::move(value));
  } catch (const UsageError&) {
    return;
  }
  if (!(changed == params)) all.push_back(std::move(changed));
}

}  // namespace

ParamSet small_params(const Experiment& experiment) {
  return params_for(experiment, small_settings(experiment.info.name));
}

Inputs some_inputs(const Experiment& experiment) {
  const ParamSet params(experiment.info.params);
  if (!params.has("text")) return {};
  std::string words = "one two three four five six seven eight nine ten";
  for (int more = 11; more <= 40; ++more) words += " w" + std::to_string(more);
  Inputs inputs = load_inputs(params).inputs;  // a model beside its text
  inputs.insert_or_assign("text", Text{"test.txt", words});
  return inputs;
}

std::map<std::string, Drawn> figures_of(const Experiment& experiment, const ParamSet& params,
                                        const Inputs& inputs) {
  std::map<std::string, Drawn> contents;
  try {
    SilentProgress progress;
    const Result result = experiment.run(params, inputs, progress);
    for (const Figure& figure : result.figures) contents[figure.id] = {figure, drawn_in(figure)};
  } catch (const Error&) {
  }
  return contents;
}

std::vector<ParamSet> changes_of(const ParamSet& params, const ParamSpec& spec) {
  std::vector<ParamSet> all;
  const auto add = [&](ParamValue value) { add_changed(all, params, spec.key, std::move(value)); };
  if (spec.kind == ParamKind::boolean) add(!params.boolean(spec.key));
  if (spec.kind == ParamKind::integer)
    for (const std::int64_t next : {2 * params.integer(spec.key), params.integer(spec.key) + 2})
      add(next);
  if (spec.kind == ParamKind::real) add(2 * params.real(spec.key));
  for (const Choice& choice : spec.choices)
    spec.kind == ParamKind::choice ? add(choice.name) : add(std::vector<std::string>{choice.name});
  return all;
}

std::map<std::string, std::string> findings_of(const Experiment& experiment, const ParamSet& params,
                                               const Inputs& inputs) {
  std::map<std::string, std::string> found;
  try {
    SilentProgress progress;
    const Result result = experiment.run(params, inputs, progress);
    for (const Figure& figure : result.figures) found[figure.id] = drawn_in(figure);
    for (const Scalar& scalar : result.scalars) found["scalar " + scalar.name] = bits(scalar.value);
    for (const Table& table : result.tables)
      for (const Column& column : table.columns)
        found["table " + table.name + "." + column.name] =
            std::visit([](const auto& values) { return bits(values); }, column.values);
    for (const auto& array : result.arrays) found["array " + array->name] = fingerprint(array);
    for (const ResultFile& file : result.files)
      if (file.path == "passport.json") {
        auto document = nlohmann::json::parse(file.bytes);
        document.erase("how");  // what was set
        found["file " + file.path] = document.dump();
      }
  } catch (const Error& refusal) {
    found["refused"] = refusal.what();
  }
  return found;
}

std::vector<ParamSet> moves_of(const ParamSet& params, const ParamSpec& spec) {
  std::vector<ParamSet> all = changes_of(params, spec);
  const auto add = [&](ParamValue value) { add_changed(all, params, spec.key, std::move(value)); };
  if (spec.kind == ParamKind::integer) {
    const std::int64_t now = params.integer(spec.key);
    for (const std::int64_t next : {now / 2, now + 1, now - 1, now - 2, now + 5, now / 4, now / 16,
                                    16 * now, now + 100, now - 100})
      add(next);
    add(static_cast<std::int64_t>(spec.min));
  }
  if (spec.kind == ParamKind::real)
    for (const double factor : {0.5, 100.0, 0.01}) add(factor * params.real(spec.key));
  if (spec.kind == ParamKind::real)
    for (const double step : {0.25, -0.25, 3.0}) add(params.real(spec.key) + step);
  if (spec.kind == ParamKind::choice_list && spec.may_be_empty) add(std::vector<std::string>{});
  if (spec.kind == ParamKind::number_list) {
    add(std::vector<double>{1.0, 3.0});
    std::vector<double> next = params.numbers(spec.key);
    for (double& number : next) number += 1;
    add(std::move(next));
  }
  return all;
}

}  // namespace orrery::test

// Laws that every experiment of the catalogue obeys.
#include "experiments/studies/catalogue.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/results/csv.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/encoding_summary.h"
#include "tests/support/experiment_run.h"
#include "tests/support/sampled.h"

using namespace orrery;

namespace {

Result run(const Experiment& experiment, const ParamSet& params) {
  SilentProgress progress;
  return experiment.run(params, load_inputs(params).inputs, progress);
}

/// Computed once for all laws.
const Result& run_default(const Experiment& experiment) {
  static std::map<std::string, Result> results;
  const auto known = results.find(experiment.info.name);
  if (known != results.end()) return known->second;
  return results[experiment.info.name] = run(experiment, test::affordable_params(experiment));
}

/// Everything a result holds, as text.
std::string bytes_of(const Result& result) {
  std::string text = json_text(to_json(result));
  for (const Figure& figure : result.figures) text += csv_text(table_of(figure));
  for (const auto& array : result.arrays)
    for (std::size_t i = 0; i < array->size(); ++i) text += number_text((*array)[i]) + "\n";
  return text;
}

std::size_t length_of(const Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

/// Several encodings where an experiment compares some, of those that it takes.
void choose_several(ParamSet& params) {
  if (!params.has("encoding") || params.spec("encoding").kind != ParamKind::choice_list) return;
  std::vector<std::string> several;
  for (const Choice& choice : params.spec("encoding").choices)
    for (const char* name : {"none", "sinusoidal", "rope", "alibi"})
      if (choice.name == name) several.push_back(name);
  params.set_value("encoding", several);
}

class StopAtOnce : public Progress {
 public:
  void update(double, std::string_view) override {}
  bool stop_requested() const override { return true; }
};

class Recorder : public Progress {
 public:
  void update(double fraction, std::string_view) override { fractions.push_back(fraction); }
  bool stop_requested() const override { return false; }
  std::vector<double> fractions;
};

}  // namespace

TEST_CASE("Every check of every experiment holds at the defaults, in exact too") {
  for (const Experiment* experiment : experiment_catalogue()) {
    ParamSet params = test::affordable_params(*experiment);
    if (params.has("precision")) params.set("precision", "exact");
    for (const Result& result : {run_default(*experiment), run(*experiment, params)}) {
      // What one's own arrays give is no claim.
      const bool claims = experiment->info.name != "attend" && experiment->info.name != "apply";
      CHECK(result.checks.empty() != claims);
      for (const Check& check : result.checks) {
        INFO(experiment->info.name << ": " << check.statement << " " << check.measured);
        CHECK(check.holds());
      }
    }
  }
}

TEST_CASE("The same parameters give the same bytes") {
  std::size_t seen = 0;
  for (const Experiment* experiment : experiment_catalogue()) {
    if (!test::is_tried(seen++)) continue;
    INFO(experiment->info.name);
    const Result again = run(*experiment, test::affordable_params(*experiment));
    CHECK(bytes_of(again) == bytes_of(run_default(*experiment)));
  }
}

TEST_CASE("An experiment is found, with its defaults, by the name that the list gives it") {
  for (const Experiment* experiment : experiment_catalogue()) {
    INFO(experiment->info.name);
    CHECK(known_experiment(experiment->info.name) == experiment);
    CHECK(default_params(*experiment) == ParamSet(experiment->info.params));
  }
}

TEST_CASE("Results are whole: figures captioned, columns of one length, names distinct") {
  for (const Experiment* experiment : experiment_catalogue()) {
    INFO(experiment->info.name);
    const Result result = run_default(*experiment);
    CHECK_FALSE(result.figures.empty());
    CHECK_FALSE(result.tables.empty());
    std::set<std::string> names;
    for (const Figure& figure : result.figures) {
      CHECK_FALSE(figure.title.empty());
      for (const auto& [key, value] : result.provenance.params)
        if (!value.empty()) CHECK(figure.caption.find("= " + value) != std::string::npos);
      CHECK(names.insert(figure.id).second);
    }
    for (const Table& table : result.tables)
      for (const Column& column : table.columns)
        CHECK(length_of(column) == length_of(table.columns.front()));
  }
}

TEST_CASE("Axes of distances, queries and keys say so by role, whatever their experiment") {
  std::size_t distances = 0, maps = 0;
  for (const Experiment* experiment : experiment_catalogue()) {
    for (const Figure& figure : run_default(*experiment).figures) {
      INFO(experiment->info.name << " " << figure.id);
      if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
        const bool by_distance =
            plot->x.symbol == "$m − n$" || plot->x.label == "relative distance";
        CHECK((plot->x.role == AxisRole::relative_distance) == by_distance);
        distances += by_distance;
      }
      if (const auto* map = std::get_if<Heatmap>(&figure.content)) {
        CHECK((map->y.role == AxisRole::query_position) == (map->y.label == "query"));
        CHECK((map->x.role == AxisRole::key_position) == (map->x.label == "key"));
        maps += map->x.role == AxisRole::key_position;
      }
    }
  }
  CHECK(distances > 5);
  CHECK(maps > 5);
}

TEST_CASE("Roles name encodings of the catalogue, and no two arrays of an encoding share one") {
  std::size_t seen = 0;
  for (const Experiment* experiment : experiment_catalogue()) {
    if (!test::is_tried(seen++)) continue;
    ParamSet params = test::affordable_params(*experiment);
    choose_several(params);
    const Result result = run(*experiment, params);
    for (const Figure& figure : result.figures)
      for (const std::string& name : figure.role.encodings)
        CHECK(find_encoding_summary(name) != nullptr);
    std::set<std::string> roles;
    for (const auto& array : result.arrays) {
      INFO(experiment->info.name << " " << array->name);
      const FigureRole& role = array->role;
      if (!role.encoding().empty())
        CHECK(roles.insert(role.kind + " " + role.encoding() + " " + role.term).second);
    }
  }
}

TEST_CASE("An experiment stops when it is asked to") {
  for (const Experiment* experiment : experiment_catalogue()) {
    StopAtOnce stop;
    const ParamSet params = test::affordable_params(*experiment);
    const LoadedInputs loaded = load_inputs(params);
    CHECK_THROWS_AS(experiment->run(params, loaded.inputs, stop), Stopped);
  }
}

TEST_CASE("Progress never goes back nor past 1") {
  std::size_t seen = 0;
  for (const Experiment* experiment : experiment_catalogue()) {
    if (!test::is_tried(seen++)) continue;
    INFO(experiment->info.name);
    Recorder progress;
    ParamSet params = test::affordable_params(*experiment);
    choose_several(params);
    experiment->run(params, load_inputs(params).inputs, progress);
    CHECK(std::is_sorted(progress.fractions.begin(), progress.fractions.end()));
    CHECK(progress.fractions.size() > 1);
    CHECK(progress.fractions.back() <= 1);
  }
}

TEST_CASE(
    "Parameters are fully declared: a sentence each, a range for numbers, choices explained") {
  for (const Experiment* experiment : experiment_catalogue()) {
    CHECK(experiment->info.question.back() == '?');
    for (const ParamSpec& spec : experiment->info.params) {
      INFO(experiment->info.name << " " << spec.key);
      CHECK(spec.description.back() == '.');
      const bool is_number = spec.kind == ParamKind::integer || spec.kind == ParamKind::real;
      if (is_number) CHECK((std::isfinite(spec.min) && std::isfinite(spec.max)));
      for (const Choice& choice : spec.choices) CHECK_FALSE(choice.description.empty());
    }
  }
}

TEST_CASE("An unknown experiment is refused with the nearest name") {
  CHECK_THROWS_WITH(find_experiment("long_term_decya"),
                    "long_term_decya: is not an experiment; did you mean long_term_decay?");
}

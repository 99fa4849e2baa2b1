#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/c/arrays.h"
#include "experiments/c/handles.h"
#include "experiments/figure/export.h"
#include "experiments/results/figure_json.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/memory.h"
#include "experiments/results/params_json.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/plugins.h"
#include "experiments/setup/provenance.h"
#include "experiments/sweeps/assignments.h"
#include "experiments/sweeps/catalogue_json.h"
#include "experiments/sweeps/plan.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/verify/claims.h"

namespace orrery {
namespace {

void give_list(const char* what, orrery_result** result) {
  const std::string part = what == nullptr ? "all" : what;
  const std::vector<std::string> parts{"all", "experiments", "encodings", "presets"};
  if (std::ranges::find(parts, part) == parts.end()) throw_unknown_name(part, "a list", parts);
  const auto wanted = [&](const char* name) { return part == "all" || part == name; };
  give(result, list_json(wanted("experiments"), wanted("encodings"), wanted("presets")));
}

using nlohmann::ordered_json;

SweepSpec spec_of(const std::string& experiment, const std::vector<std::string>& words) {
  SweepSpec spec = sweep_spec_named(experiment);
  apply_words(spec, words);
  return spec;
}

ordered_json point_json(const PlanPoint& point) {
  const std::vector<ParamSpec>& specs = point.params.specs();
  return {{"label", point.label},
          {"repeat", point.repeat},
          {"swept", params_json(point.swept, specs)},
          {"settings", params_json(stated_settings(point.params), specs)}};
}

ordered_json points_json(const Plan& plan) {
  return {{"experiment", plan.experiment->info.name},
          {"points", json_list(plan.points, point_json)}};
}

/// The one point of the words, with the arrays that are given in place of files.
ParamSet point_of(const SweepSpec& spec) {
  const std::vector<Combination> points = combinations_of(spec).points;
  if (points.size() == 1 && spec.repeats == 1) return points.front().params;
  throw UsageError(fmt::format("{} points", points.size() * static_cast<std::size_t>(spec.repeats)),
                   "one is computed at a time", "ask orrery_points for the settings of each");
}

/// Words "q=(array)" for the file parameters that have arrays.
std::vector<std::string> announced_words(const Experiment& experiment, const Given& given,
                                         const char* settings) {
  std::vector<std::string> words = words_of(settings);
  const ParamSet params(experiment.info.params);
  for (const std::string& name : given.names())
    if (params.has(name) && params.spec(name).kind == ParamKind::file)
      words.push_back(fmt::format("{}={}", name, name_of_given));
  return words;
}

/// The arrays of a result, and those that its figures alone show.
class NamedArrays {
 public:
  explicit NamedArrays(std::vector<std::shared_ptr<const Array>> arrays)
      : arrays_(std::move(arrays)) {}

  std::string place(const std::shared_ptr<const Array>& array, const std::string& figure,
                    std::string_view role) {
    for (const auto& known : arrays_)
      if (known == array) return known->name;
    for (const auto& [shown, name] : renamed_)
      if (shown == array) return name;
    Array copy = *array;
    copy.name = fmt::format("{}.{}", figure, role);
    renamed_.emplace_back(array, copy.name);
    arrays_.push_back(std::make_shared<const Array>(std::move(copy)));
    return arrays_.back()->name;
  }
  std::vector<std::shared_ptr<const Array>> take() && { return std::move(arrays_); }

 private:
  std::vector<std::shared_ptr<const Array>> arrays_;
  std::vector<std::pair<std::shared_ptr<const Array>, std::string>> renamed_{};
};

orrery_result handle_of(Result found, const std::vector<std::string>& notes) {
  ordered_json json = to_json(found);
  NamedArrays arrays(found.arrays);
  json["drawn"] = ordered_json::array();
  for (const Figure& figure : found.figures)
    json["drawn"].push_back(
        figure_json(figure, [&](const std::shared_ptr<const Array>& array, std::string_view role) {
          return arrays.place(array, figure.id, role);
        }));
  json["notes"] = notes;
  return {.json = json_line(json), .arrays = std::move(arrays).take(), .found = std::move(found)};
}

void run(const std::string& name, const char* settings, Given given,
         const orrery_progress* progress, orrery_result** result) {
  const Experiment& experiment = *sweep_spec_named(name).experiment;
  const SweepSpec spec = spec_of(name, announced_words(experiment, given, settings));
  const ParamSet params = point_of(spec);
  const Inputs inputs = given.take_inputs(params);
  given.require_all_taken(params);
  if (experiment.check) experiment.check(params, inputs);
  require_memory(experiment, params);
  CallerProgress told(progress);
  Result found = experiment.run(params, inputs, told);
  check_obeyed(params, found);
  give(result, handle_of(std::move(found), spec.notes));
}

std::vector<Choice> named(std::initializer_list<const char*> names) {
  std::vector<Choice> choices;
  for (const char* name : names) choices.push_back({name, ""});
  return choices;
}

ParamSpec real_setting(const char* key, double value, double most) {
  return {.key = key, .kind = ParamKind::real, .default_value = value, .min = 0, .max = most};
}

ParamSet draw_settings(const char* settings) {
  return params_from(ParamSet({{.key = "format",
                                .kind = ParamKind::choice,
                                .default_value = std::string("svg"),
                                .choices = named({"svg", "png", "pdf"})},
                               {.key = "theme",
                                .kind = ParamKind::choice,
                                .default_value = std::string(auto_theme),
                                .choices = named({"auto", "light", "dark", "print"})},
                               real_setting("width", 0, 1e4),
                               real_setting("height", 0, 1e4),
                               real_setting("scale", 2, 16)}),
                     words_of(settings));
}

const Figure& figure_named(const Result& result, const char* name) {
  if (result.figures.empty())
    throw UsageError("the result", "has no figures", "run another experiment");
  if (name == nullptr) return result.figures.front();
  std::vector<std::string> ids;
  for (const Figure& figure : result.figures) {
    if (figure.id == name) return figure;
    ids.push_back(figure.id);
  }
  throw_unknown_name(name, "a figure of this result", ids);
}

std::string drawn(const Result& result, const char* name, const char* settings) {
  const ParamSet params = draw_settings(settings);
  ExportOptions options{.png_scale = params.real("scale")};
  if (params.real("width") > 0) options.page.width = params.real("width");
  if (params.real("height") > 0) options.page.height = params.real("height");
  return figure_file(figure_named(result, name), params.text("format"), params.text("theme"),
                     options);
}

void draw(const orrery_result& result, const char* name, const char* settings,
          unsigned char** bytes, std::size_t* size) {
  if (!result.found) throw UsageError("the result", "is not of orrery_run", "draw those that are");
  const std::string picture = drawn(*result.found, name, settings);
  // malloc, as the caller frees it through C.
  auto* copy = static_cast<unsigned char*>(std::malloc(picture.size()));
  if (copy == nullptr) throw std::bad_alloc();
  std::copy(picture.begin(), picture.end(), copy);
  *bytes = copy;
  *size = picture.size();
}

ordered_json verified(const char* settings, const orrery_progress* progress) {
  ParamSpec only{.key = "only", .kind = ParamKind::file, .default_value = std::string()};
  const ParamSet params = params_from(
      ParamSet({{.key = "seed", .default_value = std::int64_t{0}, .min = 0, .max = 0x1p53},
                {.key = "draws", .default_value = std::int64_t{4}, .min = 1, .max = 1000},
                std::move(only)}),
      words_of(settings));
  CallerProgress told(progress);
  return claims_json(matching_claims(
      verify_paper(
          {.seed = params.integer("seed"), .draws = static_cast<int>(params.integer("draws"))},
          told),
      params.text("only")));
}

}  // namespace

}  // namespace orrery

extern "C" {

orrery_status orrery_list(const char* what, orrery_result** result) {
  return orrery::guarded([&] { orrery::give_list(what, result); });
}

orrery_status orrery_describe(const char* name, orrery_result** result) {
  return orrery::guarded([&] {
    orrery::require(name, "the name");
    orrery::give(result, orrery::description_json(name));
  });
}

orrery_status orrery_load_plugin(const char* file) {
  return orrery::guarded([&] {
    orrery::require(file, "the file");
    orrery::load_plugin(file);
  });
}

}  // extern "C"

extern "C" {

orrery_status orrery_points(const char* experiment, const char* settings, orrery_result** result) {
  return orrery::guarded([&] {
    orrery::require(experiment, "the experiment");
    const auto spec = orrery::spec_of(experiment, orrery::words_of(settings));
    orrery::give(result, orrery::points_json(orrery::make_plan(spec, {})));
  });
}

orrery_status orrery_run(const char* experiment, const char* settings, const orrery_array* inputs,
                         size_t input_count, const orrery_progress* progress,
                         orrery_result** result) {
  return orrery::guarded([&] {
    orrery::require(experiment, "the experiment");
    orrery::run(experiment, settings, orrery::Given(inputs, input_count), progress, result);
  });
}

orrery_status orrery_draw(const orrery_result* result, const char* figure, const char* settings,
                          unsigned char** bytes, size_t* size) {
  return orrery::guarded([&] {
    orrery::require(result, "the result");
    orrery::require(bytes, "the place for the bytes");
    orrery::require(size, "the place for the size");
    orrery::draw(*result, figure, settings, bytes, size);
  });
}

void orrery_free(void* bytes) { std::free(bytes); }

orrery_status orrery_verify(const char* settings, const orrery_progress* progress,
                            orrery_result** result) {
  return orrery::guarded([&] { orrery::give(result, orrery::verified(settings, progress)); });
}

}  // extern "C"

#include "experiments/sweeps/sweep_layout.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "experiments/figure/export.h"
#include "experiments/files/file.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/params_json.h"
#include "experiments/results/point_id.h"
#include "experiments/results/result_json.h"
#include "experiments/studies/catalogue.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* sum_key = "sha256";
constexpr const char* points_key = "points";

// ---- Writing
// -------------------------------------------------------------------------------------

Json point_json(const PlanPoint& point) {
  Settings params;
  for (const std::string& word : point.params.overrides()) {
    const std::size_t equals = word.find('=');
    params.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  Json json{{"id", point.id},
            {"label", point.label},
            {"params", params_json(params, point.params.specs())},
            {"swept", params_json(point.swept, point.params.specs())},
            {"repeat", point.repeat}};
  if (reads_seed(point.params)) json["seed"] = point.params.integer("seed");
  if (!point.files.empty())
    json["files"] = json_list(point.files, [](const InputFile& file) -> Json {
      return {{"key", file.key}, {"path", file.path}, {"content", content_id(file)}};
    });
  return json;
}

// ---- Reading
// -------------------------------------------------------------------------------------

PlanRecord::Point point_record(const Json& json) {
  PlanRecord::Point point{.id = name_field(json, "id"),
                          .label = text_field(json, "label"),
                          .params = settings_field(json, "params"),
                          .swept = settings_field(json, "swept"),
                          .repeat = int_field(json, "repeat", 0, max_repeats - 1)};
  if (json.contains("seed")) point.seed = integer_field(json, "seed");
  if (json.contains("files"))
    point.file_contents =
        list_from(json, "files", [](const Json& file) { return text_field(file, "content"); });
  return point;
}

/// How a text goes on after its last field, with the SHA-256 of what it is without it.
std::string ending_with(const std::string& sum) {
  return fmt::format(",\n  \"{}\": \"{}\"\n}}\n", sum_key, sum);
}
constexpr std::string_view ending = "\n}\n";

/// Throws MalformedJson unless the SHA-256 in a plan's text is that of the rest.
void require_sum(std::string_view text, const Json& json) {
  if (!json.contains(sum_key)) return;
  const std::string sum = text_field(json, sum_key);
  const std::string end = ending_with(sum);
  Sha256 hash;
  if (text.ends_with(end)) hash.update(text.substr(0, text.size() - end.size()));
  hash.update(ending);
  if (hash.hex() != sum) throw MalformedJson("it differs from its SHA-256");
}

/// The text's JSON without its points, which are handed over one after the other.
template <class Take>
Json json_without_points(std::string_view text, Take take) {
  bool in_points = false, had_points = false;
  return json_in(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth == 1 && event == Event::key) {
      in_points = parsed == points_key;
      if (in_points && std::exchange(had_points, true))
        throw MalformedJson("'points' is there twice");
    }
    if (!in_points || depth != 2 || event != Event::object_end) return true;
    take(parsed);
    return false;
  });
}

std::optional<double> length_from(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(number_field(json, key)) : std::nullopt;
}

std::optional<bool> choice_from(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(json[key] == true) : std::nullopt;
}

Page page_from(const Json& json) {
  return {.width = length_from(json, "width"),
          .height = length_from(json, "height"),
          .text_size = number_field(json, "text_size"),
          .title = choice_from(json, "title"),
          .caption = choice_from(json, "caption")};
}

Json page_json(const Page& page) {
  Json json{{"text_size", number_json(page.text_size)}};
  if (page.width) json["width"] = number_json(*page.width);
  if (page.height) json["height"] = number_json(*page.height);
  if (page.title) json["title"] = *page.title;
  if (page.caption) json["caption"] = *page.caption;
  return json;
}

FigureOptions figures_from(const Json& json) {
  FigureOptions figures{.formats = texts_field(json, "formats"),
                        .theme = text_field(json, "theme"),
                        .formulas = json.contains("formulas") && json["formulas"] == true};
  if (json.contains("only")) figures.only = texts_field(json, "only");
  if (json.contains("page")) figures.page = page_from(field(json, "page"));
  try {
    check_page(figures.page);
    check_figure_file("png", figures.theme);
    for (const std::string& format : figures.formats) check_figure_file(format, figures.theme);
  } catch (const UsageError& error) {
    throw MalformedJson(error.what());
  }
  return figures;
}

Shard shard_from(const Json& json) {
  const int count = int_field(json, "count", 1, max_shards);
  return {.index = int_field(json, "index", 1, count), .count = count};
}

Plan::Whole whole_from(const Json& json, Shard shard, std::size_t own) {
  Plan::Whole whole{.id = name_field(json, "sweep"),
                    .points = static_cast<std::size_t>(integer_field(
                        json, "sweep_points", 0, std::numeric_limits<std::int64_t>::max()))};
  whole.request = text_if_any(json, "request");
  if (shard.count == 1) throw MalformedJson("'count' is 1, and a whole sweep is no shard");
  const auto index = static_cast<std::size_t>(shard.index);
  const auto count = static_cast<std::size_t>(shard.count);
  const std::size_t held = whole.points < index ? 0 : (whole.points - index) / count + 1;
  if (own != held)
    throw MalformedJson(fmt::format("it has {} points, and shard {}/{} of {} points has {}", own,
                                    index, count, whole.points, held));
  return whole;
}

/// @param points  those of the plan, which `json` lacks
PlanRecord record_from(const Json& json, std::vector<PlanRecord::Point> points) {
  PlanRecord record{.experiment = text_field(json, "experiment"),
                    .version = int_field(json, "version", 0),
                    .seed = integer_field(json, "seed"),
                    .repeats = int_field(json, "repeats", 1, max_repeats),
                    .swept = texts_field(json, "swept"),
                    .combinations = static_cast<std::size_t>(integer_field(
                        json, "combinations", 0, std::numeric_limits<std::int64_t>::max())),
                    .figures = figures_from(field(json, "figures"))};
  if (!list_field(json, points_key).empty())
    throw MalformedJson("'points' has something that is not an object");
  record.points = std::move(points);
  for (const PlanRecord::Point& point : record.points)
    if (point.repeat >= record.repeats)
      throw MalformedJson(fmt::format("'repeat' is {}, which is not from 0 to {}", point.repeat,
                                      record.repeats - 1));
  require_distinct(record.points, "points", [](const auto& point) { return point.id; });
  const bool is_part = text_field(json, "schema") == shard_schema;
  if (is_part || json.contains("shard")) record.shard = shard_from(field(json, "shard"));
  if (is_part) record.whole = whole_from(field(json, "shard"), record.shard, record.points.size());
  return record;
}

// ---- Against this program
// ------------------------------------------------------------------------

/// This program would not make such a plan.
[[noreturn]] void refuse_plan(const std::string& display_name, std::string difference) {
  throw PlanError(display_name, {std::move(difference)});
}

const Experiment& experiment_of(const PlanRecord& record, const std::string& display_name) {
  try {
    const Experiment& experiment = find_experiment(record.experiment);
    if (record.version != experiment.info.version)
      refuse_plan(display_name, fmt::format("{} version {} -> {}", record.experiment,
                                            record.version, experiment.info.version));
    return experiment;
  } catch (const UsageError& error) {
    refuse_plan(display_name, error.what());
  }
}

ParamSet params_of(const PlanRecord::Point& record, ParamSet params,
                   const std::string& display_name) {
  try {
    for (const auto& [key, value] : record.params) params.set(key, value);
  } catch (const UsageError& error) {
    refuse_plan(display_name, fmt::format("point {}: {}", record.id, error.what()));
  }
  return params;
}

void require_same_files(const PlanRecord::Point& record, const std::vector<InputFile>& files,
                        const std::string& display_name) {
  if (record.file_contents.empty()) return;
  if (record.file_contents.size() != files.size())
    refuse_plan(display_name, fmt::format("point {} reads other files now", record.id));
  for (std::size_t i = 0; i < files.size(); ++i)
    if (record.file_contents[i] != content_id(files[i]))
      refuse_plan(display_name, fmt::format("point {}: the content of {}={} has changed", record.id,
                                            files[i].key, files[i].path));
}

/// @param defaults  what they have in common is then there once for all points
PlanPoint point_from(const PlanRecord::Point& record, const Experiment& experiment,
                     const ParamSet& defaults, InputCache& inputs,
                     const std::string& display_name) {
  PlanPoint point{.id = record.id,
                  .label = record.label,
                  .params = params_of(record, defaults, display_name),
                  .swept = record.swept,
                  .repeat = record.repeat,
                  .files = {}};
  point.files = inputs.load(point.params)->files;
  require_same_files(record, point.files, display_name);
  if (point_id(experiment.info, point.params, point.files) != point.id)
    refuse_plan(display_name,
                fmt::format("point {} ({}) has other defaults, or a plug-in of another build, now",
                            point.id, point.label));
  return point;
}

/// The plan, with an empty list at the end in place of its points.
Json frame_json(const Plan& plan) {
  Json json{{"schema", plan.whole ? shard_schema : plan_schema},
            {"experiment", plan.experiment->info.name},
            {"version", plan.experiment->info.version},
            {"seed", plan.root_seed},
            {"repeats", plan.repeats},
            {"swept", plan.swept},
            {"combinations", plan.crossed},
            {"figures", to_json(plan.figures)}};
  if (plan.whole)
    json["shard"] = {{"index", plan.shard.index},
                     {"count", plan.shard.count},
                     {"sweep", plan.whole->id},
                     {"sweep_points", plan.whole->points}};
  if (plan.whole && !plan.whole->request.empty()) json["shard"]["request"] = plan.whole->request;
  json[points_key] = Json::array();
  return json;
}

/// Written over several lines, as an item of a list in an object.
void add_item(const Json& json, std::string& text) {
  text += "\n    ";
  for (const char letter : json.dump(2, ' ', false, Json::error_handler_t::replace)) {
    text += letter;
    if (letter == '\n') text += "    ";
  }
}

}  // namespace

Json to_json(const Plan& plan) {
  Json json = frame_json(plan);
  for (const PlanPoint& point : plan.points) json[points_key].push_back(point_json(point));
  return json;
}

Json to_json(const FigureOptions& figures) {
  Json json{{"formats", figures.formats}, {"theme", figures.theme}};
  if (!figures.only.empty()) json["only"] = figures.only;
  if (figures.formulas) json["formulas"] = true;
  if (figures.page != Page{}) json["page"] = page_json(figures.page);
  return json;
}

std::string request_id(const SweepSpec& spec, const FigureOptions& figures) {
  const ExperimentInfo& info = spec.experiment->info;
  const ParamSet& params = default_params(*spec.experiment);
  Json axes = Json::array();
  for (const SweepSpec::Axis& axis : spec.axes) {
    if (params.spec(axis.key).kind == ParamKind::file) return {};
    axes.push_back({axis.key, axis.values});
  }
  const Json json{info.name,    info.version, axes,        spec.zips,
                  spec.repeats, spec.seed,    spec.paired, to_json(figures)};
  return sha256_hex(json_line(json));
}

std::string plan_text(const Plan& plan) {
  std::string text = json_text(frame_json(plan));
  if (!plan.points.empty()) {
    text.resize(text.size() - std::string_view("]\n}\n").size());
    for (const PlanPoint& point : plan.points) {
      if (&point != &plan.points.front()) text += ',';
      add_item(point_json(point), text);
    }
    text += "\n  ]\n}\n";
  }
  const std::string sum = sha256_hex(text);
  text.resize(text.size() - ending.size());
  return text + ending_with(sum);
}

PlanRecord plan_record(std::string_view text, const std::string& display_name) {
  const auto refuse = [&](const std::exception& error) {
    return DataError(display_name, fmt::format("is not a plan ({})", error.what()),
                     "delete it and run the same orrery sweep again with this folder as --out: it "
                     "writes the plan anew and keeps every whole point");
  };
  try {
    std::vector<PlanRecord::Point> points;
    std::optional<MalformedJson> damage;  // the schema is looked at first
    const Json json = json_without_points(text, [&](const Json& point) {
      try {
        if (!damage) points.push_back(point_record(point));
      } catch (const MalformedJson& error) {
        damage = error;
      }
    });
    if (const std::string schema = text_field(json, "schema");
        schema != plan_schema && schema != shard_schema)
      throw MalformedJson(fmt::format("'schema' is neither {} nor {}", plan_schema, shard_schema));
    if (damage) throw MalformedJson(*damage);
    require_sum(text, json);
    return record_from(json, std::move(points));
  } catch (const MalformedJson& error) {
    throw refuse(error);
  }
}

namespace {
Plan plan_as_listed(const PlanRecord& record, const std::string& display_name) {
  Plan plan{.experiment = &experiment_of(record, display_name),
            .root_seed = record.seed,
            .repeats = record.repeats,
            .swept = record.swept,
            .crossed = record.combinations,
            .figures = record.figures,
            .points = {}};
  InputCache inputs;
  const ParamSet& defaults = default_params(*plan.experiment);
  for (const PlanRecord::Point& point : record.points)
    plan.points.push_back(point_from(point, *plan.experiment, defaults, inputs, display_name));
  return plan;
}
}  // namespace

Plan plan_from(const PlanRecord& record, const std::string& display_name) {
  Plan plan = plan_as_listed(record, display_name);
  if (!record.whole) return part_of(std::move(plan), record.shard);
  plan.shard = record.shard;
  plan.whole = record.whole;
  return plan;
}

std::optional<Plan> whole_plan_from(const PlanRecord& record, const std::string& display_name) {
  if (record.whole) return std::nullopt;
  return plan_as_listed(record, display_name);
}

}  // namespace orrery

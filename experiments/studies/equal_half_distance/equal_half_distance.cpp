#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/half_distance.h"
#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/model/experiment.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/table_builder.h"
#include "experiments/studies/equal_half_distance/decay_parameter.h"

namespace orrery::studies {
namespace {
namespace in_equal_half_distance {

constexpr double half = 0.5;
constexpr double tolerance = 1e-10;                    // of the curve at the half distance
constexpr int search_steps = 128;                      // over the whole range of a setting
constexpr std::size_t most_calls = search_steps + 60;  // as search_half promises

/// A file for the table of each encoding whose biases are trained.
std::vector<ParamSpec> table_params() {
  std::vector<ParamSpec> specs;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const TableSpec* table = bias_table(entry.info);
    if (!table) continue;
    specs.push_back(
        {.key = bias_table_key(entry.info.name),
         .description = fmt::format("Trained bias {} of a .npy, .npz or .safetensors file; without "
                                    "one, $−\\ln(1 + r)$, $r$ the first distance of each bucket.",
                                    table->shape),
         .kind = ParamKind::file,
         .default_value = std::string(),
         .file_types = {"npy", "npz", "safetensors"},
         .used_when = Condition{"encoding", {entry.info.name}}});
  }
  return specs;
}

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs{
      encodings_param({"rope", "alibi", "t5", "sinusoidal"}),
      dim_param(64),
      log_count_param(
          {"half_distance", "$h$", "tokens"},
          "Distance at which every curve is made to equal one half; RoPE's may reach it before.",
          64, 1, 8192),
      max_distance_param(16384),
      {.key = "measure",
       .description = "What falls to one half; both are 1 at distance 0 for every encoding.",
       .kind = ParamKind::choice,
       .default_value = std::string("logit"),
       .choices = {{"logit", "$L(r)/L(0)$: the mean logit of like tokens"},
                   {"weight", "$e^{L(r) − L(0)}$: what softmax makes of it, up to the row's sum"}}},
      {.key = "match",
       .symbol = "$L_c$",
       .description = "Logit of like tokens by content alone, the same for every encoding.",
       .kind = ParamKind::real,
       .default_value = 8.0,
       .min = 0.01,
       .max = 1000.0,
       .logarithmic = true},
      heads_param(),
      count_param("head", "Which head is meant, counted from 0.", 4, 0, 255)};
  for (ParamSpec& spec : table_params()) specs.push_back(std::move(spec));
  return with_encoding_params(std::move(specs));
}

ExperimentView view() {
  return {.controls = {"encoding", "half_distance", "max_distance"},
          .tabs = {{"own_defaults", "At the given settings"}, {"settings", "Settings found"}}};
}

std::vector<Question> questions() {
  return {{.words = "How can encodings be compared fairly?",
           .answer = "Each one is set so that its mean logit has fallen by half at the same "
                     "distance. What is left is the shape of its fall: move $h$, that distance.",
           .control = "half_distance"}};
}

std::vector<IgnoredParams> ignored() { return {{.keys = {"rope.rotary_value"}}}; }

ExperimentInfo make_info() {
  return {
      .name = "equal_half_distance",
      .version = 2,
      .title = "Equal half distance",
      .question = "How do encodings differ once each has lost half its logit at one distance?",
      .formulas =
          {{R"(\frac{L(h)}{L(0)} = \frac{1}{2})", ""},
           {R"(L(r) = \text{mean of } \ell_{r,0} \text{ over like contents}, \quad \mathbf{x}_m = \mathbf{x}_0, \text{ any direction})",
            "", in_descriptions},
           {R"(\text{RoPE: } \frac{L(r)}{L(0)} = \frac{B_r}{d/2}; \quad \text{ALiBi: } 1 - s \, r / L_c; \quad \text{T5: } 1 + c \, b(r) / L_c)",
            "", in_descriptions},
           {R"(\text{a curve that is not monotone may be at one half before } h)", "",
            in_descriptions}},
      .formulas_of_choices = {{"measure", "weight", {{R"(e^{L(h) - L(0)} = \frac{1}{2})", ""}}}},
      .symbols = {{"L", "mean logit of like tokens at a distance"}, {"h", "half distance"}},
      .params = declared_params(),
      .view = view(),
      .questions = questions(),
      .ignored = ignored()};
}

void check_distances(const ParamSet& params) {
  const std::int64_t h = params.integer("half_distance");
  if (h <= params.integer("max_distance")) return;
  throw UsageError(fmt::format("half_distance={}", h),
                   fmt::format("must be at most max_distance={}", params.integer("max_distance")),
                   fmt::format("try max_distance={}", 2 * h));
}

/// The findings on one encoding.
struct Finding {
  std::string name{};
  HalfSearch search{};
  DecayParameter::Kind kind{};
  double setting{};  ///< NaN unless found
  std::string setting_text{};
  double default_setting{};
  std::string default_text{};
  std::vector<double> equal{};  ///< the curve at the setting; empty unless found
  std::vector<double> own{};    ///< at the default

  bool without_value{};  ///< at some setting the curve has no value at the half distance

  bool can_be_set() const {
    return kind == DecayParameter::Kind::param || kind == DecayParameter::Kind::scale;
  }
  bool found() const { return can_be_set() && search.outcome == HalfOutcome::found; }
};

Finding examine(const DecayParameter& parameter, Index h, Progress& progress) {
  std::size_t calls = 0;
  bool without_value = false;
  const auto value = [&](double u) {
    checkpoint(progress, ++calls, most_calls, "setting of " + parameter.name());
    const std::optional<double> there = parameter.value(u, h);
    without_value = without_value || !there;
    return there.value_or(std::numeric_limits<double>::quiet_NaN());
  };
  Finding finding{.name = parameter.name(), .kind = parameter.kind()};
  finding.search = search_half(value, finding.can_be_set() ? search_steps : 1);
  finding.without_value = without_value;
  finding.default_setting = parameter.default_setting();
  finding.default_text = parameter.setting_text(finding.default_setting);
  finding.own = parameter.default_curve();
  finding.setting = std::numeric_limits<double>::quiet_NaN();
  if (!finding.found()) return finding;
  finding.setting = parameter.value_at(finding.search.u);
  finding.setting_text = parameter.setting_text(finding.setting);
  finding.equal = parameter.curve(finding.search.u);
  return finding;
}

double or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

/// Where the curve at the setting found is first at one half.
double first_at_half(const Finding& finding) {
  return or_nan(first_at_or_below(finding.equal, half + tolerance));
}

/// ", first at r = 38.9" where that is before the half distance, else nothing.
std::string earlier_text(const Finding& finding, std::int64_t h) {
  const double first = first_at_half(finding);
  return first < static_cast<double>(h) - half ? fmt::format(", first at $r$ = {:.4g}", first) : "";
}

std::string note_of(const Finding& finding, std::int64_t h) {
  if (finding.kind == DecayParameter::Kind::nothing) return "no position in its mean logit";
  if (finding.kind == DecayParameter::Kind::untrained) return "no decay before training";
  switch (finding.search.outcome) {
    case HalfOutcome::never_falls:
      return fmt::format("never: {:.3g} at least at r = {}", finding.search.value, h);
    case HalfOutcome::falls_earlier:
      return fmt::format("below one half at r = {} at every setting", h);
    case HalfOutcome::undefined:
      return fmt::format("no value at r = {}", h);
    case HalfOutcome::found:
      break;
  }
  const std::string earlier = earlier_text(finding, h);
  return earlier.empty() ? "first there" : plain_text(earlier.substr(2));
}

std::string label_of(const Finding& finding) {
  return finding.kind == DecayParameter::Kind::untrained ? untrained_label(finding.name)
                                                         : encoding_label(finding.name);
}

Check check_of(const Finding& finding, std::int64_t h) {
  const std::string label = label_of(finding);
  const std::string equation = fmt::format("L({})/L(0) = 1/2", h);
  const std::string settings = finding.can_be_set() ? "at every setting" : "as given";
  if (finding.search.outcome == HalfOutcome::undefined)
    return {.name = finding.name + "_is_halved",
            .statement = label + ": the curve is a number at every setting tried",
            .equation = equation,
            .measured = std::numeric_limits<double>::quiet_NaN(),
            .bound = tolerance};
  if (finding.found())
    return {.name = finding.name + "_is_halved",
            .statement = fmt::format("{} at {}: the curve is 1/2 at $r$ = {}{} (difference)", label,
                                     finding.setting_text, h, earlier_text(finding, h)),
            .equation = equation,
            .measured = std::abs(finding.search.value - half),
            .bound = tolerance};
  if (finding.search.outcome == HalfOutcome::falls_earlier)
    return {.name = finding.name + "_falls_earlier",
            .statement = label + ": at or below one half there " + settings + " (slowest)",
            .equation = equation,
            .measured = finding.search.value,
            .bound = half};
  return {.name = finding.name + "_never_falls",
          .statement = label + ": above one half there " + settings + " (lowest value)",
          .equation = equation,
          .measured = finding.search.value,
          .relation = Relation::at_least,
          .bound = half};
}

/// Whether the encoding's bias table is made up, because none is given.
bool has_made_up_table(const std::string& name, const ParamSet& params) {
  return bias_table(find_encoding(name).info) && params.text(bias_table_key(name)).empty();
}

/// The settings, and what a bias table is when none is given.
std::string caption_for(const ParamSet& params) {
  std::string caption;
  for (const std::string& name : params.list("encoding"))
    if (has_made_up_table(name, params))
      caption +=
          encoding_label(name) + "'s table: $−\\ln(1 + \\text{first distance of the bucket})$ · ";
  return caption + caption_of(params);
}

std::string measure_label(const ParamSet& params) {
  return params.text("measure") == "weight" ? "weight against distance 0"
                                            : "mean logit against distance 0";
}

LinePlot plot_of(const ParamSet& params) {
  const bool weight = params.text("measure") == "weight";
  const std::int64_t h = params.integer("half_distance");
  return {
      .x = distance_axis(),
      .y = {.label = measure_label(params), .symbol = weight ? "$e^{L(r) − L(0)}$" : "$L(r)/L(0)$"},
      .rules = {{Rule::Direction::horizontal, half, "one half"},
                {Rule::Direction::vertical, static_cast<double>(h), fmt::format("$h$ = {}", h),
                 "half_distance"}}};
}

std::vector<double> distances_of(const ParamSet& params) {
  std::vector<double> distances(static_cast<std::size_t>(params.integer("max_distance")) + 1);
  for (std::size_t r = 0; r < distances.size(); ++r) distances[r] = static_cast<double>(r);
  return distances;
}

Figure equal_figure(const ParamSet& params, const std::vector<Finding>& findings) {
  LinePlot plot = plot_of(params);
  const std::vector<double> distances = distances_of(params);
  const std::int64_t h = params.integer("half_distance");
  for (const Finding& f : findings) {
    const std::string label = encoding_label(f.name);
    plot.series.push_back(named(
        {.x = distances,
         .y = f.found() ? f.equal : f.own,
         .style = f.found() ? LineStyle::solid : LineStyle::dotted,
         .color = encoding_color(f.name),
         .choice = f.name},
        f.found() ? label + ", " + f.setting_text + earlier_text(f, h) : label + ", as given"));
  }
  return {"equal_half_distance",
          fmt::format("Encodings at equal half distance, $h$ = {} tokens",
                      params.integer("half_distance")),
          caption_for(params), std::move(plot)};
}

Figure own_figure(const ParamSet& params, const std::vector<Finding>& findings) {
  LinePlot plot = plot_of(params);
  const std::vector<double> distances = distances_of(params);
  for (const Finding& f : findings) {
    const auto at = first_at_or_below(f.own, half);
    plot.series.push_back(
        {.name = fmt::format("{}: {}", encoding_label(f.name),
                             at ? fmt::format("half at {:.1f}", *at) : std::string("not halved")),
         .x = distances,
         .y = f.own,
         .color = encoding_color(f.name),
         .choice = f.name});
  }
  return {"own_defaults", "The same at the given settings: each decays at its own rate",
          caption_for(params), std::move(plot)};
}

Figure table_figure(const ParamSet& params, const std::vector<Finding>& findings) {
  const std::int64_t h = params.integer("half_distance");
  TableFigure table{.header = {"encoding", "as given", "half at", fmt::format("for $h$ = {}", h),
                               "reaches one half"}};
  for (const Finding& f : findings) {
    const auto at = first_at_or_below(f.own, half);
    table.rows.push_back({encoding_label(f.name), f.default_text,
                          at ? fmt::format("{:.2f} tokens", *at) : "–",
                          f.found() ? f.setting_text : "–", note_of(f, h)});
  }
  return {"settings", fmt::format("Settings that halve the mean logit at {} tokens", h),
          caption_for(params), std::move(table)};
}

Table settings_table(const std::vector<Finding>& findings, std::int64_t h) {
  TableBuilder table("settings",
                     "the setting of each encoding whose curve is one half at the half distance; "
                     "value: the curve there, or the nearest it came",
                     {{"encoding"},
                      {"given_setting"},
                      {"given_half_distance", "tokens"},
                      {"setting"},
                      {"setting_text"},
                      {"value"},
                      {"residual"},
                      {"first_distance", "tokens"},
                      {"note"}});
  for (const Finding& f : findings)
    table.row({f.name, f.default_setting, or_nan(first_at_or_below(f.own, half)), f.setting,
               f.found() ? f.setting_text : "", f.search.value, f.search.value - half,
               first_at_half(f), note_of(f, h)});
  return std::move(table).finish();
}

Table curves_table(const ParamSet& params, const std::vector<Finding>& findings) {
  Table table{.name = "curves",
              .caption = "the measure by distance, at the settings found and as given",
              .columns = {{"distance", "tokens", distances_of(params)}}};
  for (const Finding& f : findings) {
    if (f.found()) table.columns.push_back({"equal_" + f.name, "", f.equal});
    table.columns.push_back({"given_" + f.name, "", f.own});
  }
  return table;
}

void add_scalars(const Finding& f, const ParamSet& params, Result& result) {
  std::string label = label_of(f);
  if (has_made_up_table(f.name, params)) label += " with the table $−\\ln(1 + r)$";
  result.scalars.push_back(
      {.name = f.name + "_setting",
       .value = f.setting,
       .description =
           label + ": " + (f.found() ? f.setting_text : "no setting makes it one half there")});
  result.scalars.push_back(
      {.name = f.name + "_first_half_distance",
       .unit = "tokens",
       .value = first_at_half(f),
       .description = label + ": first distance at one half with that setting"});
  result.scalars.push_back({.name = f.name + "_given_half_distance",
                            .unit = "tokens",
                            .value = or_nan(first_at_or_below(f.own, half)),
                            .description = label + ": half distance as given"});
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::vector<std::string>& names = params.list("encoding");
  const std::int64_t h = params.integer("half_distance");
  Result result;
  std::vector<Finding> findings;
  for (std::size_t e = 0; e < names.size(); ++e) {
    SubProgress part = equal_part(progress, e, names.size());
    checkpoint(part, 0.0, "curve of " + names[e]);
    const DecayParameter parameter(names[e], params, inputs);
    findings.push_back(examine(parameter, h, part));
    add_scalars(findings.back(), params, result);
    // Where the curve has no value there is nothing to claim.
    if (!findings.back().without_value) result.checks.push_back(check_of(findings.back(), h));
  }
  result.figures.push_back(equal_figure(params, findings));
  result.figures.push_back(own_figure(params, findings));
  result.figures.push_back(table_figure(params, findings));
  result.tables.push_back(settings_table(findings, h));
  result.tables.push_back(curves_table(params, findings));
  return result;
}

}  // namespace in_equal_half_distance
}  // namespace

Experiment equal_half_distance_experiment() {
  using namespace in_equal_half_distance;
  return with_provenance(make_info(), compute, check_distances);
}

}  // namespace orrery::studies

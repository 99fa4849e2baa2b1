#include "experiments/equal_half_distance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "experiments/decay_dial.h"
#include "experiments/half_distance.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

constexpr double half = 0.5;
constexpr double tolerance = 1e-10;  // of the curve at the half distance
constexpr int search_steps = 128;    // over the whole range of a setting

std::vector<ParamSpec> declared_params() {
  return with_encoding_params(
      {encodings_param({"rope", "alibi", "t5", "sinusoidal"}),
       dim_param(64),
       {.key = "half_distance",
        .symbol = "h",
        .unit = "tokens",
        .description =
            "Distance at which every curve is made to equal one half; RoPE's may reach it before.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{64},
        .min = 1,
        .max = 8192,
        .logarithmic = true},
       max_distance_param(16384),
       {.key = "measure",
        .description = "What falls to one half; both are 1 at distance 0 for every encoding.",
        .kind = ParamKind::choice,
        .default_value = std::string("logit"),
        .choices = {{"logit", "L(r)/L(0): the mean logit of like tokens"},
                    {"weight", "e^(L(r) − L(0)): what softmax makes of it, up to the row's sum"}}},
       {.key = "match",
        .symbol = "L_c",
        .description = "Logit of like tokens by content alone, the same for every encoding.",
        .kind = ParamKind::real,
        .default_value = 8.0,
        .min = 0.01,
        .max = 1000.0,
        .logarithmic = true},
       heads_param(),
       {.key = "head",
        .description = "Which head is meant, counted from 0.",
        .kind = ParamKind::integer,
        .default_value = std::int64_t{4},
        .min = 0,
        .max = 255},
       {.key = "t5_table",
        .description =
            "Trained bias [buckets, heads] of a .npy, .npz or .safetensors file; without "
            "one, −ln(1 + r), r the first distance of each bucket.",
        .kind = ParamKind::file,
        .default_value = std::string(),
        .file_types = {"npy", "npz", "safetensors"},
        .used_when = Condition{"encoding", {"t5"}}}});
}

ExperimentInfo make_info() {
  return {.name = "equal_half_distance",
          .version = 2,
          .title = "Equal half distance",
          .question = "How do encodings differ once each has lost half its logit at one distance?",
          .equations = {"L(r) = mean of logit(r, 0) over like contents, x_m = x_0, any direction",
                        "RoPE: L(r)/L(0) = B_r/(d/2); ALiBi: 1 − s r/L_c; T5: 1 + c b(r)/L_c",
                        "find the setting with L(h)/L(0) = 1/2; a curve that is not monotone may "
                        "be there before"},
          .params = declared_params()};
}

void check_distances(const ParamSet& params) {
  const std::int64_t h = params.integer("half_distance");
  if (h <= params.integer("max_distance")) return;
  throw UsageError(fmt::format("half_distance={}", h),
                   fmt::format("must be at most max_distance={}", params.integer("max_distance")),
                   fmt::format("try max_distance={}", 2 * h));
}

/// What was found for one encoding.
struct Finding {
  std::string name{};
  HalfSearch search{};
  DecayDial::Kind kind{};
  double setting{};  ///< NaN unless found
  std::string setting_text{};
  double default_setting{};
  std::string default_text{};
  std::vector<double> equal{};  ///< the curve at the setting; empty unless found
  std::vector<double> own{};    ///< at the default

  bool without_value{};  ///< at some setting the curve has no value at the half distance

  bool can_be_set() const {
    return kind == DecayDial::Kind::base || kind == DecayDial::Kind::scale;
  }
  bool found() const { return can_be_set() && search.outcome == HalfOutcome::found; }
};

Finding examine(const DecayDial& dial, Index h, Progress& progress, double from, double to) {
  int calls = 0;
  bool without_value = false;
  const auto value = [&](double u) {
    const double done = smaller(1.0, ++calls / (search_steps + 60.0));
    checkpoint(progress, from + (to - from) * done, "setting of " + dial.name());
    const std::optional<double> there = dial.value(u, h);
    without_value = without_value || !there;
    return there.value_or(std::numeric_limits<double>::quiet_NaN());
  };
  Finding finding{.name = dial.name(), .kind = dial.kind()};
  finding.search = search_half(value, finding.can_be_set() ? search_steps : 1);
  finding.without_value = without_value;
  finding.default_setting = dial.default_setting();
  finding.default_text = dial.setting_text(finding.default_setting);
  finding.own = dial.default_curve();
  finding.setting = std::numeric_limits<double>::quiet_NaN();
  if (!finding.found()) return finding;
  finding.setting = dial.setting(finding.search.u);
  finding.setting_text = dial.setting_text(finding.setting);
  finding.equal = dial.curve(finding.search.u);
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
  return first < static_cast<double>(h) - half ? fmt::format(", first at r = {:.4g}", first) : "";
}

std::string note_of(const Finding& finding, std::int64_t h) {
  if (finding.kind == DecayDial::Kind::nothing) return "no position in its mean logit";
  if (finding.kind == DecayDial::Kind::untrained) return "no decay but what training gives it";
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
  return earlier.empty() ? "first there" : earlier.substr(2);
}

std::string label_of(const Finding& finding) {
  return finding.kind == DecayDial::Kind::untrained ? untrained_label(finding.name)
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
            .statement = fmt::format("{} at {}: the curve is 1/2 at r = {}{} (difference)", label,
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

/// The settings, and what T5's table is when none is given.
std::string caption_for(const ParamSet& params) {
  const bool own_table = params.is_used("t5_table") && params.text("t5_table").empty();
  return (own_table ? "T5's table: −ln(1 + first distance of the bucket) · " : "") +
         caption_of(params);
}

std::string measure_label(const ParamSet& params) {
  return params.text("measure") == "weight" ? "weight against distance 0"
                                            : "mean logit against distance 0";
}

LinePlot plot_of(const ParamSet& params) {
  const bool weight = params.text("measure") == "weight";
  const std::int64_t h = params.integer("half_distance");
  return {.x = {.label = "relative distance", .symbol = "m − n", .unit = "tokens"},
          .y = {.label = measure_label(params), .symbol = weight ? "e^(L(r) − L(0))" : "L(r)/L(0)"},
          .rules = {{Rule::Direction::horizontal, half, "one half"},
                    {Rule::Direction::vertical, static_cast<double>(h), fmt::format("h = {}", h)}}};
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
    plot.series.push_back({.name = f.found() ? label + ", " + f.setting_text + earlier_text(f, h)
                                             : label + ", as given",
                           .x = distances,
                           .y = f.found() ? f.equal : f.own,
                           .style = f.found() ? LineStyle::solid : LineStyle::dotted,
                           .color = encoding_color(f.name)});
  }
  return {"equal_half_distance",
          fmt::format("Encodings at equal half distance, h = {} tokens",
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
         .color = encoding_color(f.name)});
  }
  return {"own_defaults", "The same at the settings given: each decays at a pace of its own",
          caption_for(params), std::move(plot)};
}

Figure table_figure(const ParamSet& params, const std::vector<Finding>& findings) {
  const std::int64_t h = params.integer("half_distance");
  TableFigure table{.header = {"encoding", "as given", "half at", fmt::format("for h = {}", h),
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
  std::vector<std::string> name, text, note;
  std::vector<double> given, given_half, setting, value, residual, first;
  for (const Finding& f : findings) {
    name.push_back(f.name);
    text.push_back(f.found() ? f.setting_text : "");
    note.push_back(note_of(f, h));
    given.push_back(f.default_setting);
    given_half.push_back(or_nan(first_at_or_below(f.own, half)));
    setting.push_back(f.setting);
    value.push_back(f.search.value);
    residual.push_back(f.search.value - half);
    first.push_back(first_at_half(f));
  }
  return {.name = "settings",
          .caption =
              "the setting of each encoding whose curve is one half at the half distance; "
              "value: the curve there, or the nearest it came",
          .columns = {{"encoding", "", std::move(name)},
                      {"given_setting", "", std::move(given)},
                      {"given_half_distance", "tokens", std::move(given_half)},
                      {"setting", "", std::move(setting)},
                      {"setting_text", "", std::move(text)},
                      {"value", "", std::move(value)},
                      {"residual", "", std::move(residual)},
                      {"first_distance", "tokens", std::move(first)},
                      {"note", "", std::move(note)}}};
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
  if (f.name == "t5" && params.text("t5_table").empty()) label += " with the table −ln(1 + r)";
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

}  // namespace

const ExperimentInfo& EqualHalfDistance::info() const {
  static const ExperimentInfo info = make_info();
  return info;
}

Result EqualHalfDistance::run(const ParamSet& params, const Inputs& inputs,
                              Progress& progress) const {
  check_distances(params);
  const std::vector<std::string>& names = params.list("encoding");
  const std::int64_t h = params.integer("half_distance");
  Result result{.provenance = provenance_of(info(), params)};
  std::vector<Finding> findings;
  for (std::size_t e = 0; e < names.size(); ++e) {
    const double share = 1.0 / static_cast<double>(names.size());
    const double from = share * static_cast<double>(e);
    checkpoint(progress, from, "curve of " + names[e]);
    const DecayDial dial(names[e], params, inputs);
    findings.push_back(examine(dial, h, progress, from, smaller(1.0, from + share)));
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

}  // namespace orrery

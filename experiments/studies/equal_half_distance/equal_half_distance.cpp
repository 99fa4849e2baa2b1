#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/studies/equal_half_distance/decay_parameter.h"

namespace orrery {
namespace {
namespace in_equal_half_distance {

constexpr double half = 0.5;
constexpr double tolerance = 1e-10;  // of the curve at the half distance

/// A file for the table of each encoding whose biases are trained.
std::vector<ParamSpec> table_params() {
  std::vector<ParamSpec> specs;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const TableSpec* table = bias_table(entry.info);
    if (!table) continue;
    specs.push_back(read_while(
        "encoding", {entry.info.name},
        array_file_param(bias_table_key(entry.info.name),
                         fmt::format("Trained bias {} of a .npy, .npz or .safetensors file; "
                                     "without one, $−\\ln(1 + r)$, $r$ the first distance of each "
                                     "bucket.",
                                     table->shape))));
  }
  return specs;
}

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
      .params = with_encoding_params(joined(
          {{encodings_param({"rope", "alibi", "t5", "sinusoidal"}), dim_param(64),
            log_count_param({"half_distance", "$h$", "tokens"},
                            "Distance at which every curve is made to equal one half; RoPE's may "
                            "reach it before.",
                            64, 1, 8192),
            max_distance_param(16384),
            choice_param("measure",
                         "What falls to one half; both are 1 at distance 0 for every encoding.",
                         "logit",
                         {{"logit", "$L(r)/L(0)$: the mean logit of like tokens"},
                          {"weight",
                           "$e^{L(r) − L(0)}$: what softmax makes of it, up to the row's "
                           "sum"}}),
            log_real_param({"match", "$L_c$"},
                           "Logit of like tokens by content alone, the same for every encoding.", 8,
                           0.01, 1000),
            heads_param(), count_param("head", "Which head is meant, counted from 0.", 4, 0, 255)},
           table_params()})),
      .view = {.controls = {"encoding", "half_distance", "max_distance"},
               .tabs = {{"own_defaults", "At the given settings"}, {"settings", "Settings found"}}},
      .questions =
          {{.words = "How can encodings be compared fairly?",
            .answer = "Each one is set so that its mean logit has fallen by half at the same "
                      "distance. What is left is the shape of its fall: move $h$, that distance.",
            .control = "half_distance"}},
      .ignored = {{.keys = {"rope.rotary_value"}}}};
}

void check_distances(const ParamSet& params) {
  const std::int64_t h = params.integer("half_distance");
  if (h <= params.integer("max_distance")) return;
  throw UsageError(fmt::format("half_distance={}", h),
                   fmt::format("must be at most max_distance={}", params.integer("max_distance")),
                   fmt::format("try max_distance={}", 2 * h));
}

double or_nan(const std::optional<double>& value) {
  return value.value_or(std::numeric_limits<double>::quiet_NaN());
}

/// Where the curve at the setting found is first at one half.
double first_at_half(const HalvedDecay& finding) {
  return or_nan(first_at_or_below(finding.equal, half + tolerance));
}

/// ", first at r = 38.9" where that is before the half distance, else nothing.
std::string earlier_text(const HalvedDecay& finding, std::int64_t h) {
  const double first = first_at_half(finding);
  return first < static_cast<double>(h) - half ? fmt::format(", first at $r$ = {:.4g}", first) : "";
}

std::string note_of(const HalvedDecay& finding, std::int64_t h) {
  if (finding.untrained) return "no decay before training";
  if (!finding.can_be_set) return "no position in its mean logit";
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

std::string label_of(const HalvedDecay& finding) {
  return finding.untrained ? untrained_label(finding.name) : encoding_label(finding.name);
}

Check check_of(const HalvedDecay& finding, std::int64_t h) {
  const std::string settings = finding.can_be_set ? "at every setting" : "as given";
  Check check{.equation = fmt::format("L({})/L(0) = 1/2", h),
              .measured = finding.search.value,
              .bound = half};
  const auto claim = [&](const char* name, const std::string& words) {
    check.name = finding.name + name;
    check.statement = label_of(finding) + words;
  };
  if (finding.search.outcome == HalfOutcome::undefined) {
    claim("_is_halved", ": the curve is a number at every setting tried");
    check.measured = std::numeric_limits<double>::quiet_NaN();
    check.bound = tolerance;
  } else if (finding.found()) {
    claim("_is_halved", fmt::format(" at {}: the curve is 1/2 at $r$ = {}{} (difference)",
                                    finding.setting_text, h, earlier_text(finding, h)));
    check.measured = std::abs(finding.search.value - half);
    check.bound = tolerance;
  } else if (finding.search.outcome == HalfOutcome::falls_earlier) {
    claim("_falls_earlier", ": at or below one half there " + settings + " (slowest)");
  } else {
    claim("_never_falls", ": above one half there " + settings + " (lowest value)");
    check.relation = Relation::at_least;
  }
  return check;
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

LinePlot plot_of(const ParamSet& params) {
  const bool weight = params.text("measure") == "weight";
  const std::int64_t h = params.integer("half_distance");
  return {.x = distance_axis(),
          .y = {.label = weight ? "weight against distance 0" : "mean logit against distance 0",
                .symbol = weight ? "$e^{L(r) − L(0)}$" : "$L(r)/L(0)$"},
          .rules = {horizontal(half, "one half"),
                    vertical(static_cast<double>(h), fmt::format("$h$ = {}", h), "half_distance")}};
}

/// The curves at the settings found and as given: two figures and a table.
void add_curves(const ParamSet& params, const std::vector<HalvedDecay>& findings, Result& result) {
  const std::int64_t h = params.integer("half_distance");
  LinePlot equal = plot_of(params), own = plot_of(params);
  const auto distances = static_cast<std::size_t>(params.integer("max_distance")) + 1;
  Table table{.name = "curves",
              .caption = "the measure by distance, at the settings found and as given",
              .columns = {{"distance", "tokens", count_from_0(distances)}}};
  for (const HalvedDecay& f : findings) {
    const Series form = encoding_series(f.name);
    if (f.found())
      add_curve(table, equal, {"equal_" + f.name, "", f.equal},
                named(form, form.name + ", " + f.setting_text + earlier_text(f, h)));
    const auto at = first_at_or_below(f.own, half);
    Series given = form;
    given.name += at ? fmt::format(": half at {:.1f}", *at) : ": not halved";
    add_curve(table, own, {"given_" + f.name, "", f.own}, std::move(given));
    if (f.found()) continue;
    Series& unset = equal.series.emplace_back(own.series.back());
    unset.name = form.name + ", as given";
    unset.style = LineStyle::dotted;
  }
  result.figures.insert(
      result.figures.begin(),
      {{"equal_half_distance", fmt::format("Encodings at equal half distance, $h$ = {} tokens", h),
        caption_for(params), std::move(equal)},
       {"own_defaults", "The same at the given settings: each decays at its own rate",
        caption_for(params), std::move(own)}});
  result.tables.push_back(std::move(table));
}

void add_settings(const ParamSet& params, const std::vector<HalvedDecay>& findings,
                  Result& result) {
  const std::int64_t h = params.integer("half_distance");
  TableFigure drawn{.header = {"encoding", "as given", "half at", fmt::format("for $h$ = {}", h),
                               "reaches one half"}};
  TableBuilder table("settings",
                     "the setting of each encoding whose curve is one half at the half distance; "
                     "value: the curve there, or the nearest it came",
                     {"encoding", "given_setting", "given_half_distance [tokens]", "setting",
                      "setting_text", "value", "residual", "first_distance [tokens]", "note"});
  for (const HalvedDecay& f : findings) {
    const auto at = first_at_or_below(f.own, half);
    const std::string note = note_of(f, h);
    drawn.rows.push_back({encoding_label(f.name), f.default_text,
                          at ? fmt::format("{:.2f} tokens", *at) : "–",
                          f.found() ? f.setting_text : "–", note});
    table.row({f.name, f.default_setting, or_nan(at), f.setting, f.found() ? f.setting_text : "",
               f.search.value, f.search.value - half, first_at_half(f), note});
  }
  result.figures.push_back({"settings",
                            fmt::format("Settings that halve the mean logit at {} tokens", h),
                            caption_for(params), std::move(drawn)});
  result.tables.push_back(std::move(table).finish());
}

void add_scalars(const HalvedDecay& f, const ParamSet& params, Result& result) {
  std::string label = label_of(f);
  if (has_made_up_table(f.name, params)) label += " with the table $−\\ln(1 + r)$";
  const FindingsOn of(result, f.name, label);
  of.scalar("setting", f.setting,
            f.found() ? f.setting_text : "no setting makes it one half there");
  of.scalar("first_half_distance", first_at_half(f), "first distance at one half with that setting",
            "tokens");
  of.scalar("given_half_distance", or_nan(first_at_or_below(f.own, half)), "half distance as given",
            "tokens");
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const std::vector<std::string>& names = params.list("encoding");
  const std::int64_t h = params.integer("half_distance");
  Result result;
  std::vector<HalvedDecay> findings;
  for (std::size_t e = 0; e < names.size(); ++e) {
    SubProgress part = equal_part(progress, e, names.size());
    checkpoint(part, 0.0, "curve of " + names[e]);
    findings.push_back(halved_decay(names[e], params, inputs, part));
    add_scalars(findings.back(), params, result);
    // Where the curve has no value there is nothing to claim.
    if (!findings.back().without_value) result.checks.push_back(check_of(findings.back(), h));
  }
  add_settings(params, findings, result);
  add_curves(params, findings, result);
  return result;
}

}  // namespace in_equal_half_distance
}  // namespace

Experiment equal_half_distance_experiment() {
  using namespace in_equal_half_distance;
  return with_provenance(make_info(), compute, check_distances);
}

}  // namespace orrery

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/trained_head.h"
#include "experiments/studies/relative_invariance/curves.h"
#include "experiments/studies/relative_invariance/shift_words.h"

namespace orrery {
namespace {
namespace in_relative_invariance {

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> own{
      encodings_param({"rope", "alibi", "sinusoidal"}),
      contents_param("random"),
      trained_layer_param("contents"),
      read_while("contents", {"trained"},
                 count_param({"head", "$h$"}, "The head of the trained model, counted from 0.", 0,
                             0, trained_heads - 1)),
      of_random_contents(dim_param(64)),
      log_count_param({"tokens", "$N$", "tokens"}, "Tokens; all $N × N$ logits are compared.", 64,
                      2, 512),
      log_count_param({"span", "", "tokens"}, "The tokens have random positions in [0, span).", 512,
                      1, 1e6),
      log_count_param({"max_shift", "$s_\\mathrm{max}$", "tokens"},
                      "Shifts are the powers of two up to this.", std::int64_t{1} << 20, 1, 0x1p40),
      of_random_contents(projection_param()),
      pipelines_param({"exact", "eager_fp32", "eager_bf16"})};
  return with_encoding_params(
      joined({std::move(own), stage_params({.always = score_stages()}), {seed_param()}}));
}

ExperimentInfo make_info() {
  return {
      .name = "relative_invariance",
      .version = 4,
      .title = "Relative-position invariance",
      .question = "How far do the logits move when all positions are shifted by the same amount?",
      .formulas =
          {{R"(\langle f_q(\mathbf{x}_m, m), f_k(\mathbf{x}_n, n) \rangle = g(\mathbf{x}_m, \mathbf{x}_n, m - n))",
            "eq. (11)"},
           {R"(\mathrm{error}(s) = \max_{m,n<N} |\ell_{m+s,n+s} - \ell_{m,n}|, \quad s \le s_{\mathrm{max}})",
            ""},
           {R"(\mathrm{rounding}(s) = \max_{m,n<N} |\ell_{m+s,n+s} - \text{its value in exact}|)",
            "", in_descriptions}},
      .symbols = {{"f_q", "what makes a query of content and position"},
                  {"f_k", "what makes a key of content and position"},
                  {"g", "any function of the contents and the relative position"},
                  {"s", "shift of all positions"}},
      .params = declared_params(),
      .view = {.controls = {"encoding", "base", "span", "tokens"},
               .tabs = {{"invariance_error", "Change of logits"},
                        {"rounding_error", "Distance from exact"}}},
      .questions =
          {{.words = "Is DeBERTa relative?",
            .answer = "All positions are shifted by the same amount. The logits of DeBERTa do not "
                      "change, those of sinusoids do: move span, the distance between the tokens.",
            .settings = {{"encoding", "deberta+sinusoidal"}, {"precision", "exact"}},
            .control = "span"}},
      .ignored = {{.keys = {"rope.rotary_value"}}}};
}

std::vector<Position> shifts_up_to(Position largest) {
  std::vector<Position> shifts;
  for (Position s = 1; s <= largest; s *= 2) shifts.push_back(s);
  return shifts;
}

/// What is claimed of an encoding in a pipeline.
enum class ShiftClaim { none, invariance, rounding_of_angles, absoluteness };

/// None where no shift keeps the positions in the encoding's table; where the change of an absolute
/// encoding is so small in exact that rounding may hide it; and where a format too small for the
/// positions changes a relative encoding, for which there is no bound here. Rounded angles m θ do
/// not differ by (m − n) θ, so nothing keeps the scores but their size.
ShiftClaim claim_of(const ShiftCurve& curve) {
  if (curve.known == 0 || curve.overflows) return ShiftClaim::none;
  if (!curve.relative)
    return is_exact(curve.pipeline) || stands_out(curve.exact_change, curve.bound)
               ? ShiftClaim::absoluteness
               : ShiftClaim::none;
  if (curve.exact_positions) return ShiftClaim::invariance;
  return curve.angle_bound.empty() ? ShiftClaim::none : ShiftClaim::rounding_of_angles;
}

void add_check(const ShiftCurve& curve, Result& result) {
  const FindingsOn of(result, curve.key());
  const std::string label = curve.label_in_pipeline();
  const double change = curve.worst(curve.error);
  switch (claim_of(curve)) {
    case ShiftClaim::invariance:
      return of.at_most("is_invariant",
                        label +
                            (curve.reads_context ? " reads other tokens, but stays under a shift"
                                                 : " depends on $m − n$ only") +
                            ", up to rounding (largest change of a logit)",
                        "eq. (11)", change, curve.bound);
    case ShiftClaim::rounding_of_angles:
      return of.at_most("changes_as_its_angles_round",
                        label +
                            " changes by no more than the rounding of its angles $m θ$ accounts "
                            "for (largest share of that bound)",
                        "$|Δ \\mathrm{logit}| ≤ 4 u (m + s) ‖q‖‖k‖/\\sqrt{d}$, and rounding",
                        curve.worst_share(), 1);
    case ShiftClaim::absoluteness:
      return of.at_least(
          "is_absolute",
          label + " depends on absolute position: rounding cannot explain the change", "eq. (6)",
          change, curve.bound);
    case ShiftClaim::none:
      break;
  }
}

/// Why the change has no check, if it has none.
std::string unchecked_text(const ShiftCurve& curve) {
  if (curve.known == 0)
    return fmt::format("; unknown and not checked: no shift keeps every position at or below {}",
                       curve.last_position);
  if (curve.overflows) return "; not checked: fp16 has no number beyond 65504";
  if (claim_of(curve) != ShiftClaim::none) return "";
  if (curve.relative) return "; not checked: the format does not hold every position or angle";
  return hidden_text(curve.exact_change, curve.bound);
}

void add_scalars(const ShiftCurve& curve, Result& result) {
  const FindingsOn of(result, curve.key(), curve.label_in_pipeline());
  const std::string pipeline = curve.compared ? curve.pipeline.name : "";
  const std::string change = "largest change of a logit over all shifts";
  of.scalar("largest_error", curve.worst(curve.error), change + unchecked_text(curve)).pipeline =
      pipeline;
  // The change of an absolute encoding is no rounding error and is not counted in ulp.
  if (curve.relative)
    of.scalar("largest_ulp", curve.worst(curve.ulps),
              fmt::format("{}, in units in the last place of {} at the largest logit", change,
                          name(curve.pipeline.format)),
              "ulp")
        .pipeline = pipeline;
  if (!curve.rounding.empty())
    of.scalar("largest_rounding", curve.worst(curve.rounding),
              "largest distance of a logit from its exact value")
        .pipeline = pipeline;
}

constexpr std::array<LineStyle, 4> styles{LineStyle::solid, LineStyle::dashed, LineStyle::dotted,
                                          LineStyle::points};

/// Hues distinguish encodings and line styles pipelines, if there are enough styles. Otherwise the
/// pipelines of a single encoding are shades, and the curves of several have a hue each.
Series series_of(const ShiftCurve& curve, std::size_t place, std::size_t curves,
                 const std::vector<std::string>& pipelines) {
  const auto found = std::ranges::find(pipelines, curve.pipeline.name);
  const auto pipeline = static_cast<std::size_t>(found - pipelines.begin());
  const bool lines_enough = pipelines.size() <= styles.size();
  Series series{.name = pipelines.size() == 1
                            ? curve.label()
                            : fmt::format("{}, {}", curve.label(), curve.pipeline.name),
                .style = styles[pipeline % styles.size()],
                .color = lines_enough ? encoding_color(curve.encoding) : static_cast<int>(place),
                .choice = curve.encoding};
  if (!lines_enough && curves == pipelines.size())
    series.shade = static_cast<double>(place) / static_cast<double>(curves - 1);
  return series;
}

/// The bound of rounding errors as lines beside the curves: one per pipeline in which every relative
/// encoding here is invariant.
std::vector<Rule> bounds_of(const std::vector<std::string>& pipelines,
                            const std::vector<ShiftCurve>& curves) {
  std::vector<Rule> rules;
  for (const std::string& pipeline : pipelines) {
    const ShiftCurve* found = nullptr;
    bool invariant = true;
    for (const ShiftCurve& curve : curves) {
      if (curve.pipeline.name != pipeline || !curve.relative) continue;
      found = &curve;
      invariant = invariant && curve.exact_positions;
    }
    if (!found || !invariant) continue;
    rules.push_back(horizontal(
        found->bound, "what rounding may cost" +
                          (pipelines.size() == 1 ? "" : " in " + pipeline_words(found->pipeline))));
  }
  return rules;
}

LinePlot empty_plot(const char* label, double threshold) {
  return {
      .x = {.label = "common shift", .symbol = "$s$", .unit = "tokens", .scale = AxisScale::log2},
      .y = {.label = label, .scale = AxisScale::symlog, .symlog_threshold = threshold}};
}

Table table_of(const std::vector<Position>& shifts, const std::vector<ShiftCurve>& curves) {
  Table table{.name = "invariance",
              .caption =
                  "largest change of a logit, absolute and in units in the last place of the "
                  "pipeline's format, and largest distance from exact, by shift",
              .columns = {{"shift", "tokens", as_doubles(shifts)}}};
  const auto add = [&](const ShiftCurve& curve, const char* column, const char* unit,
                       const std::vector<double>& values) {
    if (!values.empty())
      table.columns.push_back({fmt::format("{}_{}", curve.key(), column), unit, values});
  };
  for (const ShiftCurve& curve : curves) {
    add(curve, "error", "", curve.error);
    add(curve, "ulp", "ulp", curve.ulps);
    add(curve, "rounding", "", curve.rounding);
  }
  return table;
}

void add_curves(const ParamSet& params, const std::vector<Position>& shifts,
                const std::vector<ShiftCurve>& curves, Result& result) {
  const std::vector<std::string>& pipelines = params.list("precision");
  double least = 1;
  for (const ShiftCurve& curve : curves)
    least = smaller(least, unit_roundoff(curve.pipeline.format));
  // A power of ten below every rounding error of the formats, so that 0 still has its place below.
  const double threshold = std::pow(10.0, std::floor(std::log10(least)) - 1);
  LinePlot changes = empty_plot("largest change of a logit", threshold),
           distances = empty_plot("largest distance of a logit", threshold);
  const auto series = [&](const ShiftCurve& curve, const std::vector<double>& values) {
    Series made = series_of(curve, static_cast<std::size_t>(&curve - curves.data()), curves.size(),
                            pipelines);
    made.x = as_doubles(shifts);
    made.y = values;
    return made;
  };
  std::string drawn;
  for (const ShiftGroup& group : groups_of(curves)) {
    Series one = series(*group.curves.front(), group.curves.front()->error);
    one.label = group.words;
    if (group.curves.size() > 1) {
      one.style = LineStyle::solid;
      drawn = " · curves within 5 % of one another are one line";
    }
    changes.series.push_back(std::move(one));
  }
  for (const ShiftCurve& curve : curves)
    if (!curve.rounding.empty()) distances.series.push_back(series(curve, curve.rounding));
  changes.rules = bounds_of(pipelines, curves);
  const std::int64_t tokens = params.integer("tokens");
  std::string beyond = has_trained_contents(params) ? beyond_trained(tokens) : "";
  if (!beyond.empty()) beyond = fmt::format(", {} tokens{}", tokens, beyond);
  result.figures.push_back({"invariance_error", invariance_title(curves) + beyond,
                            caption_of(params) + drawn, std::move(changes)});
  const std::string where =
      pipelines.size() == 1 ? "in " + pipeline_words(curves.front().pipeline) : "in each pipeline";
  if (!distances.series.empty())
    result.figures.push_back({"rounding_error",
                              "Distance of the logits from exact at each shift, " + where + beyond,
                              caption_of(params), std::move(distances)});
  result.tables.push_back(table_of(shifts, curves));
}

/// Every shift is computed twice: in the pipeline and in exact.
void check_work(const ParamSet& params) {
  check_last_position(params, params.integer("span") - 1);
  constexpr double operations_per_logit = 1000;  // its terms, and their roundings
  constexpr double rows_to_pack = 4;             // a matrix is rearranged before it is multiplied
  const auto n = static_cast<double>(params.integer("tokens"));
  const auto d =
      static_cast<double>(params.is_used("dim") ? params.integer("dim") : trained_d_model);
  const auto shifts = static_cast<double>(shifts_up_to(params.integer("max_shift")).size());
  const auto pipelines = static_cast<double>(params.list("precision").size());
  const double logits = n * n * (operations_per_logit + 4 * d * operations_per_product);
  double operations = 0, drawn = 6 * d * d;
  for (const std::string& name : params.list("encoding")) {
    const bool projects = find_encoding(name).uses(Door::input_term);
    operations += logits + 2 * n * d * operations_per_rotated_channel +
                  (projects ? 14 * (n + rows_to_pack) * d * d * operations_per_product : 0);
    drawn += pipelines * layer_heads * d * d * drawn_projections(name);
  }
  check_operations(
      fmt::format("tokens={} with dim={}, {} shifts and {} pipelines", n, d, shifts, pipelines),
      operations * shifts * pipelines + drawn * operations_per_normal,
      "lower tokens, dim or max_shift, or compare fewer encodings and pipelines");
}

Result compute(const ParamSet& params, const Inputs&, Progress& progress) {
  const std::vector<Position> shifts = shifts_up_to(params.integer("max_shift"));
  const std::vector<ShiftCurve> curves = measure_all(params, shifts, progress);
  Result result;
  for (const ShiftCurve& curve : curves) {
    add_scalars(curve, result);
    add_check(curve, result);
  }
  add_curves(params, shifts, curves, result);
  return result;
}

}  // namespace in_relative_invariance
}  // namespace

Experiment relative_invariance_experiment() {
  using namespace in_relative_invariance;
  return with_provenance(make_info(), compute, check_work);
}

}  // namespace orrery

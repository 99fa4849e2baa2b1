#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/parallel.h"
#include "core/random.h"
#include "experiments/identify/describe_rope.h"
#include "experiments/identify/rope_search.h"
#include "experiments/identify/structures.h"
#include "experiments/model/experiment.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/searched_tensor.h"
#include "experiments/studies/identify/identify_question.h"

namespace orrery {
namespace {
namespace in_identify {

ParamSpec without_files(ParamSpec spec) {
  if (!spec.used_when) spec.used_when = Condition{"before", {""}};
  return spec;
}

ExperimentView view() {
  return {.layout = ViewLayout::side_by_side,
          .left = "frequencies",
          .right = "rows",
          .controls = {"before", "after", "defect", "first_position"},
          .tabs = {{"hypotheses", "Hypotheses"}, {"residual_by_position", "What is left"}}};
}

bool base_is_lost(const ParamSet& params) { return params.text("defect") == "base_lost"; }

std::vector<IgnoredParams> ignored() { return {{.keys = {"base"}, .when = base_is_lost}}; }

ExperimentInfo make_info() {
  std::vector<ParamSpec> specs = identify_question_params();
  for (ParamSpec& spec : written_rope_params("base_lost", true))
    specs.push_back(without_files(std::move(spec)));
  specs.push_back(without_files(
      count_param({"tokens", "$N$", "tokens"}, "Rows of the planted tensor.", 96, 4, 1024)));
  specs.push_back(without_files(seed_param()));
  return {
      .name = "identify",
      .version = 2,
      .title = "Which rope turned this tensor",
      .question = "Which convention, or which bug, made q and k, logits or a bias?",
      .formulas =
          {{R"(\mathbf{q}_m = \mathbf{R}_{\Theta,m} \mathbf{W}_q \mathbf{x}_m, \quad \varphi_t = m\theta_t)",
            "eq. (14)"}},
      .params = std::move(specs),
      .view = view(),
      .paired_files = {{"before", "after", "finding a rotation"}},
      .ignored = ignored()};
}

/// [1, heads, N, d] of a tensor head by head.
Tensor as_tensor(const Matrix<double>& values, Index heads) {
  const auto size = [](Index one) { return static_cast<std::size_t>(one); };
  return {.name = "planted",
          .shape = {1, size(heads), size(values.rows() / heads), size(values.cols())},
          .values = {values.data(), values.data() + values.size()}};
}

/// Turned by the rope with its defect, in fp32 where that rounds to nothing coarser.
TensorReport report_planted(const ParamSet& params, IdentifyOptions options) {
  constexpr Index heads = 2;
  const Index rows = params.integer("tokens");
  WrittenRope rope = defective_rope_of(params, rows);
  for (const Stage stage : {Stage::inv_freq, Stage::angle, Stage::cos_sin})
    if (!rope.rounding.rounds(stage)) rope.rounding.set(stage, Precision::fp32);
  Random random(params.integer("seed"), "vectors of identify");
  options.tokens_first = false;
  options.positions = consecutive_positions(rows, params.integer("first_position"));
  const AxisPositions positions =
      Eigen::Map<const AxisPositions>(options.positions.data(), rows, 1);
  const SearchedTensor planted = planted_tensor(rope, random, heads, positions);
  return identify_tensors("planted", as_tensor(planted.before, heads),
                          as_tensor(planted.after, heads), options);
}

/// The same rope without what no program should do, or with another base where there is nothing of
/// that kind: what most would have expected.
WrittenRope usual_rope(const WrittenRope& found) {
  WrittenRope usual{static_cast<const RopeConvention&>(found)};
  usual.clockwise = false;
  usual.sections.clear();
  usual.rounding = found.rounding;
  for (const Stage stage : {Stage::position, Stage::inv_freq, Stage::angle})
    usual.rounding.set(stage, Precision::fp64);
  usual.rounding.set(Stage::inv_freq, Precision::fp32);
  usual.rounding.set(Stage::angle, Precision::fp32);
  if (differences_of(usual, found).empty()) usual.base = found.base == 10000 ? 500000 : 10000;
  return usual;
}

/// A rope with the name of its curve and its map.
struct Shown {
  std::string id{};
  std::string name{};
  WrittenRope rope{};
};

/// Hypotheses that differ in more than the precision of their stages, at most 3, numbered as in the
/// table, and the usual rope.
std::vector<Shown> shown_ropes(const RotationAnswer& answer, std::size_t most) {
  std::vector<Shown> shown;
  std::vector<const RopeHypothesis*> listed;
  std::vector<WrittenRope> ropes;
  for (const RopeHypothesis& found : answer.hypotheses) {
    const bool repeated = std::ranges::any_of(listed, [&](const auto* other) {
      return other->tied == found.tied && same_but_for_precision(other->rope, found.rope);
    });
    if (repeated || listed.size() >= most) continue;
    listed.push_back(&found);
    if (is_among(ropes, found.rope) || shown.size() >= 3) continue;
    ropes.push_back(found.rope);
    shown.push_back({fmt::format("hypothesis_{}", listed.size()),
                     fmt::format("hypothesis {}", listed.size()), found.rope});
  }
  shown.push_back({"usual_rope", "usual rope", usual_rope(answer.best().rope)});
  return shown;
}

Figure map_figure(const ParamSet& params, const RotationSample& sample, const Shown& shown) {
  const std::string id = "residual_of_" + shown.id;
  return {id, fmt::format("What the {} leaves: {}", shown.name, short_text(shown.rope)),
          caption_of(params), residual_heatmap(shown.rope, sample, id, "residual in roundings")};
}

Figure residuals_figure(const ParamSet& params, const RotationSample& sample,
                        const std::vector<Shown>& ropes) {
  LinePlot plot{.x = position_axis(), .y = residual_axis("residual, root mean square")};
  for (const Shown& shown : ropes) {
    const bool is_usual = shown.id == "usual_rope";
    Series series = residual_series(shown.rope, sample, shown.name);
    if (is_usual)
      series.style = LineStyle::dashed;
    else
      series.shade = static_cast<double>(plot.series.size()) / static_cast<double>(ropes.size());
    plot.series.push_back(std::move(series));
  }
  return {"residual_by_position", "The best hypotheses and the usual rope, by position",
          caption_of(params), std::move(plot)};
}

/// The frequency of each pair of a rope that turns, in rad per token.
Series frequencies_of_pairs(const std::vector<double>& theta, std::string name) {
  Series series{.name = std::move(name)};
  for (std::size_t t = 0; t < theta.size(); ++t) {
    if (!(std::abs(theta[t]) > 0)) continue;
    series.x.push_back(static_cast<double>(t));
    series.y.push_back(std::abs(theta[t]));
  }
  return series;
}

/// The frequencies that pairs show, over those of the first hypothesis and of what was expected.
Figure frequencies_figure(const ParamSet& params, const RotationQuestion& question,
                          const RotationAnswer& answer) {
  const WrittenRope& found = answer.best().rope;
  const RotationSample sample = sample_of(question.tensor, sampled_rows, sampled_heads);
  const PairPhasors phasors = pair_phasors(found, sample);
  const AxisPositions positions = turned_positions(found, sample.places);
  std::vector<double> measured;
  for (const FrequencyEstimate& estimate : estimate_frequencies(
           phasors, positions, axes_of(found, static_cast<std::size_t>(positions.cols()))))
    measured.push_back(std::isfinite(estimate.error) ? estimate.theta : 0);
  const WrittenRope other = question.expected ? *question.expected : usual_rope(found);
  LinePlot plot{.x = {.label = "pair", .symbol = "$t$", .role = AxisRole::pair},
                .y = {.label = "frequency",
                      .symbol = "$|θ_t|$",
                      .unit = "rad/token",
                      .scale = AxisScale::log10}};
  plot.series = {
      frequencies_of_pairs(measured, "measured"),
      frequencies_of_pairs(frequencies_of(found), "first hypothesis"),
      frequencies_of_pairs(frequencies_of(other), question.expected ? "expected" : "usual rope")};
  plot.series[0].style = LineStyle::points;
  plot.series[1].color = 1;
  plot.series[2].style = LineStyle::dashed;
  plot.series[2].color = 2;
  return {"frequencies", "Frequencies that pairs show: " + short_text(found), caption_of(params),
          std::move(plot)};
}

/// Where each row is turned, and where it was said to be.
Figure rows_figure(const ParamSet& params, const RotationQuestion& question,
                   const RotationAnswer& answer) {
  const WrittenRope& found = answer.best().rope;
  const AxisPositions& stated = question.tensor.positions;
  RowPlaces places{.positions = stated, .unit = question.tensor.unit};
  for (Index n = 0; n < stated.rows(); ++n) places.rows.push_back(n);
  const AxisPositions turned = turned_positions(found, places);
  LinePlot plot{.x = {.label = "row", .symbol = "$n$"},
                .y = {.label = "position", .symbol = "$p_n$", .unit = "tokens"}};
  const auto add = [&](const std::string& name, const auto& position_of, LineStyle style) {
    Series series{.name = name, .style = style, .color = static_cast<int>(plot.series.size())};
    for (Index n = 0; n < stated.rows(); ++n) {
      series.x.push_back(static_cast<double>(n));
      series.y.push_back(position_of(n));
    }
    plot.series.push_back(std::move(series));
  };
  for (Index axis = 0; axis < stated.cols(); ++axis)
    add(
        stated.cols() == 1 ? "turned at" : fmt::format("axis {}", axis),
        [&](Index n) { return question.tensor.unit * static_cast<double>(turned(n, axis)); },
        LineStyle::solid);
  if (stated.cols() == 1)
    add(
        "row number", [](Index n) { return static_cast<double>(n); }, LineStyle::dashed);
  return {"rows", "Where each row is turned", caption_of(params), std::move(plot)};
}

/// What the best hypotheses and the usual rope leave.
std::vector<Figure> residual_figures(const ParamSet& params, const RotationQuestion& question,
                                     const RotationAnswer& answer) {
  const RotationSample sample = sample_of(question.tensor, 256, 8);
  const std::vector<Shown> ropes =
      shown_ropes(answer, static_cast<std::size_t>(params.integer("most")));
  return {frequencies_figure(params, question, answer), rows_figure(params, question, answer),
          residuals_figure(params, sample, ropes), map_figure(params, sample, ropes.front()),
          map_figure(params, sample, ropes.back())};
}

/// A planted rope forms its angles in fp32.
void check_first_position(const ParamSet& params) {
  constexpr std::int64_t most = std::int64_t{1} << 20;
  const std::int64_t first = params.integer("first_position");
  if (first <= most) return;
  throw UsageError(fmt::format("first_position={}", first),
                   fmt::format("must be at most {} without files: further on the angles of a "
                               "program in fp32 are off by more than a twentieth of a radian",
                               most),
                   "give a smaller one, or the files before= and after=");
}

void check_params(const ParamSet& params) {
  if (!params.is_used("defect")) return;
  check_first_position(params);
  frequencies_of(defective_rope_of(params, params.integer("tokens")));
}

/// The axis of tokens is read of tensors with heads.
std::vector<ValueInUse> values_in_use(const Inputs& inputs) {
  std::vector<ValueInUse> used;
  const Tensor* before = tensor_of(inputs, "before");
  if (before && before->shape.size() <= 2)
    used.push_back({.key = "tokens_first", .why = "The tensors have one head."});
  if (const auto expect = inputs.find("expect"); expect != inputs.end()) {
    const std::vector<LayerPlan>& layers = std::get<ModelFile>(expect->second).plan->layers;
    if (std::ranges::none_of(layers, chooses_by_length))
      used.push_back({.key = "length", .why = "No layer of this file chooses frequencies by it."});
  }
  return used;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  checkpoint(progress, 0.0, "hypotheses");
  const bool given = has_question(inputs);
  IdentifyOptions options = identify_options(params);
  std::vector<Figure> drawn;
  if (!given || inputs.contains("before"))
    options.see = [&](const RotationQuestion& question, const RotationAnswer& answer) {
      checkpoint(progress, 0.8, "residuals");
      drawn = residual_figures(params, question, answer);
    };
  if (given) options.threads = threads_or_all(0);
  std::vector<TensorReport> reports;
  if (given)
    reports = identify_question(params, inputs, std::move(options));
  else
    reports.push_back(report_planted(params, std::move(options)));
  Result result;
  result.in_use = values_in_use(inputs);
  add_reports(reports, caption_of(params), result);
  for (Figure& figure : drawn) {
    if (figure.id == "rows" && !reports.front().rows.empty())
      figure.title = "R" + reports.front().rows.substr(1);  // "rows 0–8 at 0–8, …"
    if (const auto* map = std::get_if<Heatmap>(&figure.content))
      result.arrays.push_back(map->values);
    result.figures.push_back(std::move(figure));
  }
  return result;
}

}  // namespace in_identify
}  // namespace

Experiment identify_experiment() {
  using namespace in_identify;
  return with_provenance(make_info(), compute, check_params);
}

}  // namespace orrery

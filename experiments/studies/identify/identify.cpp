#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "core/errors.h"
#include "core/random.h"
#include "experiments/model/experiment.h"
#include "experiments/search/describe_rope.h"
#include "experiments/search/identify_rotation.h"
#include "experiments/search/telling_input.h"
#include "experiments/setup/check_settings.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/searched_tensor.h"
#include "experiments/setup/table_builder.h"
#include "experiments/setup/written_rope_params.h"

namespace orrery {
namespace {
namespace in_identify {

ParamSpec without_files(ParamSpec spec) {
  if (!spec.used_when) spec.used_when = Condition{"before", {""}};
  return spec;
}

ExperimentView view() {
  return {.layout = ViewLayout::side_by_side,
          .left = "hypotheses",
          .right = "residual_by_position",
          .controls = {"before", "after", "defect", "first_position"}};
}

bool base_is_lost(const ParamSet& params) { return params.text("defect") == "base_lost"; }

std::vector<IgnoredParams> ignored() { return {{.keys = {"base"}, .when = base_is_lost}}; }

ExperimentInfo make_info() {
  std::vector<ParamSpec> specs{
      array_file_param("before", "$q$ or $k$ before the rotation, $[N, d]$ or [heads, $N$, $d$]."),
      array_file_param("after", "The same tensor after it; without files a rope is planted."),
      count_param({"first_position", "", "tokens"}, "Position of the first row.", 0, 0, 0x1p40)};
  for (ParamSpec& spec : written_rope_params("base_lost", true))
    specs.push_back(without_files(std::move(spec)));
  specs.push_back(without_files(
      count_param({"tokens", "$N$", "tokens"}, "Rows of the planted tensor.", 96, 4, 1024)));
  specs.push_back(without_files(seed_param()));
  return {
      .name = "identify",
      .title = "Which rope turned this tensor",
      .question = "Which convention, or which bug, turned one tensor into the other?",
      .formulas =
          {{R"(\mathbf{q}_m = \mathbf{R}_{\Theta,m} \mathbf{W}_q \mathbf{x}_m, \quad \varphi_t = m\theta_t)",
            "eq. (14)"}},
      .params = std::move(specs),
      .view = view(),
      .paired_files = {{"before", "after", "finding a rotation"}},
      .ignored = ignored()};
}

AxisPositions positions_from(Position first, Index rows) {
  AxisPositions positions(rows, 1);
  for (Index n = 0; n < rows; ++n) positions(n, 0) = first + n;
  return positions;
}

Matrix<double> all_heads(const Tensor& tensor) {
  const auto d = static_cast<Index>(tensor.shape.back());
  return Eigen::Map<const Matrix<double>>(tensor.values.data(),
                                          static_cast<Index>(tensor.values.size()) / d, d);
}

SearchedTensor from_files(const ParamSet& params, const Tensor& before, const Tensor& after) {
  if (before.shape != after.shape)
    throw DataError(fmt::format("{} and {}", shape_text(before), shape_text(after)),
                    "the tensors before and after must have the same shape",
                    "save the same heads and tokens");
  SearchedTensor tensors{.heads = static_cast<Index>(heads_of(before)),
                         .before = all_heads(before),
                         .after = all_heads(after)};
  tensors.positions =
      positions_from(params.integer("first_position"), tensors.before.rows() / tensors.heads);
  tensors.format = narrowest_format(tensors.after);
  return tensors;
}

/// Turned by the rope with its defect, in fp32 where that rounds to nothing coarser.
SearchedTensor planted(const ParamSet& params) {
  constexpr Index heads = 2;
  const Index rows = params.integer("tokens");
  WrittenRope rope = defective_rope_of(params, rows);
  for (const Stage stage : {Stage::inv_freq, Stage::angle, Stage::cos_sin})
    if (!rope.rounding.rounds(stage)) rope.rounding.set(stage, Precision::fp32);
  Random random(params.integer("seed"), "vectors of identify");
  return planted_tensor(rope, random, heads,
                        positions_from(params.integer("first_position"), rows));
}

SearchedTensor tensors_of(const ParamSet& params, const Inputs& inputs) {
  const Tensor* before = tensor_of(inputs, "before");
  const Tensor* after = tensor_of(inputs, "after");
  if (!before && !after) return planted(params);
  if (before && after) return from_files(params, *before, *after);
  throw UsageError(before ? "before without after" : "after without before",
                   "a rotation is found from both", "give before=FILE.npy after=FILE.npy");
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
std::vector<Shown> shown_ropes(const RotationAnswer& answer) {
  constexpr std::size_t most = 3;
  std::vector<Shown> shown;
  std::vector<WrittenRope> ropes;
  std::size_t number = 0;
  for (const RopeHypothesis& found : answer.hypotheses) {
    ++number;
    if (is_among(ropes, found.rope) || shown.size() >= most) continue;
    ropes.push_back(found.rope);
    shown.push_back(
        {fmt::format("hypothesis_{}", number), fmt::format("hypothesis {}", number), found.rope});
  }
  shown.push_back({"usual_rope", "usual rope", usual_rope(answer.best().rope)});
  return shown;
}

Figure map_figure(const ParamSet& params, const RotationSample& sample, const Shown& shown) {
  const std::string id = "residual_of_" + shown.id;
  return {id, fmt::format("What the {} leaves: {}", shown.name, short_text(shown.rope)),
          caption_of(params), residual_heatmap(shown.rope, sample, id, "residual in roundings")};
}

Figure rows_figure(const ParamSet& params, const RotationSample& sample,
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

std::string tells(const RotationAnswer& answer, std::size_t i, const RotatedTensor& tensor) {
  if (i == 0) return "";
  const TellingInput input = telling_input(answer.best().rope, answer.hypotheses[i].rope, tensor);
  if (!input.exists) return "never, by more than rounding";
  return fmt::format("from position {} on", input.position);
}

void add_hypotheses(const ParamSet& params, const RotationAnswer& answer,
                    const RotatedTensor& tensor, Result& result) {
  TableFigure drawn{.header = {"", "rope", "residual", "differs from the first"}};
  TableBuilder table("hypotheses", "ropes that may have turned the tensor, best first",
                     {{"rope"},
                      {"residual", "roundings"},
                      {"largest", "roundings"},
                      {"evidence"},
                      {"tied"},
                      {"setting"},
                      {"differs"}});
  for (std::size_t i = 0; i < answer.hypotheses.size(); ++i) {
    const RopeHypothesis& found = answer.hypotheses[i];
    const std::string where = tells(answer, i, tensor);
    table.row({short_text(found.rope), found.residual.rms(), found.residual.largest, found.evidence,
               found.tied ? 1 : 0, setting_text(found.rope), where});
    drawn.rows.push_back({place_text(i, found.tied), short_text(found.rope),
                          fmt::format("{:.3g}", found.residual.rms()), where});
  }
  result.figures.push_back(
      {"hypotheses", "Which rope turned this tensor", caption_of(params), std::move(drawn)});
  result.tables.push_back(std::move(table).finish());
  const std::string words = setting_text(answer.best().rope);
  if (!words.empty())
    result.next = NextStep{.title = "Run the first hypothesis",
                           .about = "Shows the long-term decay with",
                           .experiment = "long_term_decay",
                           .words = words};
}

void add_numbers(const RotationAnswer& answer, Result& result) {
  const RopeHypothesis& best = answer.best();
  double tied = 0;
  for (const RopeHypothesis& found : answer.hypotheses) tied += found.tied ? 1 : 0;
  result.scalars = {{.name = "residual",
                     .unit = "roundings",
                     .value = best.residual.rms(),
                     .description = "root mean square residual of the first hypothesis: " +
                                    short_text(best.rope)},
                    {.name = "tied",
                     .value = tied,
                     .description = "hypotheses that this tensor cannot tell apart"}};
  result.checks.push_back({.name = "first_hypothesis_explains",
                           .statement = "the first hypothesis explains the tensor (root mean "
                                        "square residual in roundings of its format)",
                           .equation = "eq. (14)",
                           .measured = best.residual.rms(),
                           .bound = explained_roundings});
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
  if (!params.text("before").empty()) return;
  check_first_position(params);
  frequencies_of(defective_rope_of(params, params.integer("tokens")));
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  checkpoint(progress, 0.0, "tensors");
  const SearchedTensor tensors = tensors_of(params, inputs);
  const RotatedTensor view = tensors.view();
  checkpoint(progress, 0.2, "hypotheses");
  const RotationAnswer answer = identify_rotation({.tensor = view});
  checkpoint(progress, 0.8, "residuals");
  const RotationSample sample = sample_of(view, 256, 8);
  Result result;
  add_numbers(answer, result);
  add_hypotheses(params, answer, view, result);
  const std::vector<Shown> ropes = shown_ropes(answer);
  result.figures.push_back(rows_figure(params, sample, ropes));
  for (const Shown& shown : {ropes.front(), ropes.back()}) {
    result.figures.push_back(map_figure(params, sample, shown));
    result.arrays.push_back(std::get<Heatmap>(result.figures.back().content).values);
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

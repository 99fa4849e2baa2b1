#include <fmt/format.h>

#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include "core/analysis/largest.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/identify/defects.h"
#include "experiments/identify/describe_rope.h"
#include "experiments/identify/identify_rotation.h"
#include "experiments/identify/rope_search.h"
#include "experiments/identify/structures.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/searched_tensor.h"

namespace orrery {
namespace {
namespace in_diagnosis {

constexpr Index channels = 64, heads = 2, near_rows = 128, far_rows = 64;

/// The rope of a configuration, and the mistake of the program that should compute it.
struct BrokenProgram {
  const char* defect;
  WrittenRope sound;
};

WrittenRope usual_rope(double base, Index turned = channels) {
  return {{.d_head = channels,
           .rotary_dims = turned,
           .pairing = RopePairing::half_split,
           .base = base}};
}

WrittenRope with_scaling(double base, const RopeScaling& scaling) {
  WrittenRope rope = usual_rope(base);
  rope.scaling = scaling;
  return rope;
}

const std::vector<BrokenProgram>& broken_programs() {
  using enum RopeScalingKind;
  static const std::vector<BrokenProgram> all{
      {"base_lost", usual_rope(500000)},
      {"off_by_one", usual_rope(500000)},
      {"wrong_pairing", usual_rope(500000)},
      {"cache_off_by_one", usual_rope(500000)},
      {"clockwise", usual_rope(500000)},
      {"scaling_skipped",
       with_scaling(500000, {.kind = llama3, .factor = 8, .original_length = 8192})},
      {"partial_ignored", usual_rope(10000, channels / 2)},
      {"decode_at_zero", usual_rope(500000)},
      {"attention_factor_missing",
       with_scaling(10000, {.kind = yarn, .factor = 8, .original_length = 4096})},
      {"positions_bf16", usual_rope(500000)},
      {"not_rotated", usual_rope(500000)},
      {"negation_missing", usual_rope(500000)}};
  return all;
}

ExperimentInfo make_info() {
  const auto last = static_cast<double>(broken_programs().size());
  return {
      .name = "diagnosis",
      .title = "Spot the broken encoding",
      .question = "What does this program do to $q$ that its configuration does not say?",
      .formulas =
          {{R"(\mathbf{q}_m = \mathbf{R}_{\Theta,m} \mathbf{W}_q \mathbf{x}_m, \quad \varphi_t = m\theta_t)",
            "eq. (14)"}},
      .params = {count_param({"case", "", ""}, "Which of the broken programs.", 1, 1, last),
                 seed_param()},
      .view = {.layout = ViewLayout::side_by_side,
               .left = "excess_angles",
               .right = "by_position",
               .controls = {"case", "seed"}}};
}

/// 0, 1, …, and from there on further and further apart.
AxisPositions chosen_positions() {
  constexpr double ratio = 1.08;
  AxisPositions positions(near_rows + far_rows, 1);
  for (Index n = 0; n < positions.rows(); ++n)
    positions(n, 0) =
        n < near_rows
            ? n
            : std::llround(near_rows * std::pow(ratio, static_cast<double>(n - near_rows)));
  return positions;
}

SearchedTensor tensors_of(const ParamSet& params, const BrokenProgram& program) {
  Random random(params.integer("seed"), "vectors of diagnosis");
  const AxisPositions positions = chosen_positions();
  WrittenRope sound = program.sound;
  sound.rounding = fp32_stages();
  const auto broken = find_rope_defect(program.defect).inject(sound, positions.rows());
  if (!broken)
    throw UsageError(program.defect, "cannot be made in this rope", "choose another case");
  return planted_tensor(*broken, random, heads, positions);
}

std::string configuration_text(const BrokenProgram& program) {
  WrittenRope sound = program.sound;
  sound.rounding = fp32_stages();
  return "The configuration says: " + short_text(sound);
}

/// arg of what a pair turned by beyond m theta_t: 0 where the program does what it should.
Matrix<double> excess_angles(const BrokenProgram& program, const RotationSample& sample) {
  const PairPhasors phasors = pair_phasors(program.sound, sample);
  const std::vector<double> theta = frequencies_of(program.sound);
  Matrix<double> angles(phasors.turns.rows(), phasors.turns.cols());
  for (Index t = 0; t < angles.rows(); ++t)
    for (Index n = 0; n < angles.cols(); ++n) {
      const double angle =
          theta[static_cast<std::size_t>(t)] * static_cast<double>(sample.places.positions(n, 0));
      angles(t, n) = std::arg(phasors.turns(t, n) * std::polar(1.0, -angle));
    }
  return angles;
}

Figure angles_figure(const BrokenProgram& program, const RotationSample& sample) {
  return {"excess_angles", "By how much each pair turned too far, by token",
          configuration_text(program),
          Heatmap{.values = to_array<double>(excess_angles(program, sample), "excess_angles",
                                             "angle beyond that of the configuration, rad",
                                             {"pair", "row"}),
                  .x = {.label = "row", .symbol = "$n$"},
                  .y = {.label = "pair", .symbol = "$t$"},
                  .quantity = "angle beyond what the configuration says, rad",
                  .meaning = Meaning::cyclic}};
}

Figure by_position_figure(const BrokenProgram& program, const RotationSample& sample) {
  Series series = residual_series(program.sound, sample, "this program");
  Largest largest(1.0);
  for (const double rms : series.y) largest.see(rms);
  LinePlot plot{.x = position_axis(), .y = residual_axis("difference, root mean square")};
  // From 0 on, so that what is the same everywhere looks it.
  plot.y.range = Range{0.0, 2.0 * largest.value()};
  plot.x.scale = AxisScale::symlog;
  plot.series.push_back(std::move(series));
  return {"by_position", "How far $q$ is from what the configuration says, by position",
          configuration_text(program), std::move(plot)};
}

/// The search over the same tensors, with the configuration as what is expected.
void add_answer(const BrokenProgram& program, const RotationAnswer& answer, Result& result) {
  constexpr std::size_t most = 4;
  TableFigure drawn{.header = {"", "rope", "residual", "defect"}};
  TableBuilder table("answer", "ropes that may have turned the tensor, best first",
                     {"rope", "residual [roundings]", "tied", "defect"});
  std::vector<WrittenRope> shown;  // those that differ in more than the precision of their stages
  for (std::size_t i = 0; i < answer.hypotheses.size(); ++i) {
    const RopeHypothesis& found = answer.hypotheses[i];
    table.row({short_text(found.rope), found.residual.rms(), found.tied ? 1 : 0, found.defect});
    if (is_among(shown, found.rope) || (shown.size() >= most && !found.is_expected)) continue;
    shown.push_back(found.rope);
    drawn.rows.push_back({place_text(i, found.tied), short_text(found.rope),
                          fmt::format("{:.3g}", found.residual.rms()),
                          found.is_expected ? "as configured" : found.defect});
  }
  result.figures.push_back({"answer", "What a search finds in these tensors",
                            configuration_text(program), std::move(drawn)});
  result.tables.push_back(std::move(table).finish());
}

void add_numbers(const BrokenProgram& program, const RotationAnswer& answer, Result& result) {
  const RopeHypothesis& best = answer.best();
  double expected = std::nan("");
  for (const RopeHypothesis& found : answer.hypotheses)
    if (found.is_expected && std::isnan(expected)) expected = found.residual.rms();
  const FindingsOn all(result);
  all.scalar("residual", best.residual.rms(), "of the first hypothesis of the search", "roundings");
  all.scalar("residual_as_configured", expected, "of what the configuration says", "roundings");
  for (const BrokenProgram& other : broken_programs())
    all.scalar(
        fmt::format("is_{}", other.defect), best.defect == other.defect ? 1.0 : 0.0,
        fmt::format("1 where the search finds: {}", find_rope_defect(other.defect).description));
  all.at_most("the_defect_is_found",
              "the search names the defect that was made (root mean square residual in roundings "
              "of its hypothesis)",
              "eq. (14)", best.defect == program.defect ? best.residual.rms() : std::nan(""),
              explained_roundings);
}

Result compute(const ParamSet& params, const Inputs&, Progress& progress) {
  checkpoint(progress, 0.0, "tensors");
  const BrokenProgram& program =
      broken_programs()[static_cast<std::size_t>(params.integer("case") - 1)];
  const SearchedTensor tensors = tensors_of(params, program);
  const RotatedTensor view = tensors.view();
  checkpoint(progress, 0.2, "hypotheses");
  WrittenRope expected = program.sound;
  expected.rounding = fp32_stages();
  const RotationAnswer answer = identify_rotation({.tensor = view, .expected = expected});
  checkpoint(progress, 0.8, "figures");
  const RotationSample sample = sample_of(view, view.rows(), heads);
  Result result;
  add_numbers(program, answer, result);
  add_map_figure(angles_figure(program, sample), result);
  add_map_figure(
      {"residual", "How far $q$ is from what the configuration says, by channel and token",
       configuration_text(program),
       residual_heatmap(program.sound, sample, "residual", "difference in roundings")},
      result);
  result.figures.push_back(by_position_figure(program, sample));
  add_answer(program, answer, result);
  for (Figure& figure : result.figures) figure.caption += " · " + caption_of(params);
  return result;
}

}  // namespace in_diagnosis
}  // namespace

Experiment diagnosis_experiment() {
  using namespace in_diagnosis;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery

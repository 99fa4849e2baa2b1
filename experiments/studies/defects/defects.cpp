#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/analysis/largest.h"
#include "core/random.h"
#include "experiments/identify/defects.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/searched_tensor.h"

namespace orrery {
namespace {
namespace in_defects {

ExperimentInfo make_info() {
  return {
      .name = "defects",
      .title = "Known defects of RoPE",
      .question =
          "What does a mistake in RoPE do to logits and weights, and where does it "
          "show?",
      .formulas =
          {{R"(\mathbf{q}_m^\top \mathbf{k}_n = \mathrm{Re} \sum_{t=0}^{d/2-1} h_t e^{\mathrm{i}(m-n)\theta_t})",
            "eq. (35)"}},
      .params =
          joined({written_rope_params("scaling_skipped", false),
                  {log_count_param("draws", "Random queries, each with its own keys.", 64, 1, 1024),
                   seed_param()}}),
      .view = {.layout = ViewLayout::side_by_side,
               .left = "logit_difference",
               .right = "weights",
               .controls = {"defect", "scaling", "base", "original_length"}}};
}

/// Queries, and keys of each that stand at the same distances at every probe: without a defect the
/// logits of all probes are the same.
struct Contents {
  Positions distances{};  ///< 0, 1, 2, …, further and further apart, to four times L₀
  Matrix<double> q;       ///< [draws, d]
  Matrix<double> k;       ///< [distances·draws, d], distance by distance
};

Positions chosen_distances(const ParamSet& params) {
  constexpr Position near = 8;
  constexpr double ratio = 1.2;
  const Position last = 4 * params.integer("original_length");
  Positions distances;
  for (Position r = 0; r < last;
       r = r < near ? r + 1 : std::llround(static_cast<double>(r) * ratio))
    distances.push_back(r);
  distances.push_back(last);
  return distances;
}

Contents draw(const ParamSet& params) {
  Random random(params.integer("seed"), "queries and keys of defects");
  const Index d = params.integer("dim"), draws = params.integer("draws");
  Positions distances = chosen_distances(params);
  Matrix<double> q = normal_matrix<double>(random, draws, d);
  const auto keys = static_cast<Index>(distances.size()) * draws;
  Matrix<double> k = normal_matrix<double>(random, keys, d);
  return {std::move(distances), std::move(q), std::move(k)};
}

/// That many rows at one position, of the second head.
RowPlaces places_at(Position position, Index rows) {
  RowPlaces places{.heads = {1}, .positions = AxisPositions::Constant(rows, 1, position)};
  places.rows.assign(static_cast<std::size_t>(rows), position);
  return places;
}

/// Logits [draws, distances] of queries at m and of their keys, as far as there are any.
Matrix<double> logits_at(const WrittenRope& rope, const Contents& contents, Position m) {
  const Positions& at = contents.distances;
  const Index draws = contents.q.rows();
  const Index keys = std::ranges::upper_bound(at, m) - at.begin();
  const Matrix<double> q = apply_written(rope, places_at(m, draws), contents.q);
  Matrix<double> logits(draws, keys);
  for (Index r = 0; r < keys; ++r) {
    const Position n = m - at[static_cast<std::size_t>(r)];
    const Matrix<double> k =
        apply_written(rope, places_at(n, draws), contents.k.middleRows(r * draws, draws));
    logits.col(r) = (q.array() * k.array()).rowwise().sum();
  }
  return logits / std::sqrt(static_cast<double>(rope.d_head));
}

Matrix<double> weights_of(const Matrix<double>& logits) {
  Matrix<double> weights = logits;
  for (Index i = 0; i < weights.rows(); ++i) {
    weights.row(i).array() -= largest_entry<double>(weights.row(i));
    weights.row(i) = weights.row(i).array().exp().matrix();
    weights.row(i) /= weights.row(i).sum();
  }
  return weights;
}

/// What the defect does to a query at one position.
struct Probe {
  Position m{};
  std::vector<double> difference{};  ///< of logits, root mean square by distance
  std::vector<double> sound{};       ///< mean weight by distance
  std::vector<double> defective{};
  double moved{};  ///< half the sum of |a − a'|: the share of the weight that goes elsewhere
};

std::vector<double> column_means(const Matrix<double>& values) {
  std::vector<double> means;
  for (Index c = 0; c < values.cols(); ++c) means.push_back(values.col(c).mean());
  return means;
}

Probe probe_at(const ParamSet& params, const Contents& contents, Position m) {
  const WrittenRope sound = sound_rope_of(params);
  const WrittenRope defective = defective_rope_of(params, m + 1);
  const Matrix<double> before = logits_at(sound, contents, m);
  const Matrix<double> after = logits_at(defective, contents, m);
  const Matrix<double> a = weights_of(before), b = weights_of(after);
  Probe probe{.m = m, .sound = column_means(a), .defective = column_means(b)};
  for (Index r = 0; r < before.cols(); ++r)
    probe.difference.push_back(std::sqrt((after.col(r) - before.col(r)).squaredNorm() /
                                         static_cast<double>(before.rows())));
  probe.moved = (a - b).cwiseAbs().sum() / (2 * static_cast<double>(a.rows()));
  return probe;
}

std::vector<double> distances(const Contents& contents, std::size_t count) {
  return {contents.distances.begin(),
          contents.distances.begin() + static_cast<std::ptrdiff_t>(count)};
}

constexpr Position least_marked = 8;  ///< the end of a shorter curve needs no line

/// Whether a curve is the beginning of a longer one, as far as a drawing shows.
bool begins(const std::vector<double>& longer, const std::vector<double>& curve) {
  const double visible = 0.01 * largest_of(longer);
  if (curve.size() > longer.size()) return false;
  for (std::size_t i = 0; i < curve.size(); ++i)
    if (std::abs(curve[i] - longer[i]) > visible) return false;
  return true;
}

/// The first query at which the defect shows, and the most weight that it moves.
std::string defect_title(const std::string& defect, const std::vector<Probe>& probes) {
  constexpr double shows = 0.01;  // of the weight
  const auto first =
      std::ranges::find_if(probes, [](const Probe& probe) { return probe.moved >= shows; });
  if (first == probes.end())
    return fmt::format("{} moves less than 1 % of the weight of any query to {}", defect,
                       probes.back().m);
  const Probe* most = &probes.front();
  for (const Probe& probe : probes)
    if (probe.moved > most->moved) most = &probe;
  const std::string moves = fmt::format("{} moves {:.0f} % of the weight of a query at {}", defect,
                                        100 * most->moved, most->m);
  if (first == probes.begin()) return moves + ", and shows at every query";
  return fmt::format("{}; it shows from {} on, not at {}", moves, first->m, std::prev(first)->m);
}

Figure difference_figure(const ParamSet& params, const Contents& contents,
                         const std::vector<Probe>& probes) {
  LinePlot plot{.x = distance_axis(AxisScale::symlog),
                .y = {.label = "difference of logits, root mean square"}};
  for (const Probe& probe : probes) {
    if (&probe != &probes.back() && begins(probes.back().difference, probe.difference)) {
      if (probe.m >= least_marked)
        plot.rules.push_back(
            vertical(static_cast<double>(probe.m), fmt::format("query at {}", probe.m)));
      continue;
    }
    plot.series.push_back({.name = fmt::format("query at {}", probe.m),
                           .x = distances(contents, probe.difference.size()),
                           .y = probe.difference,
                           .shade = 1 - static_cast<double>(&probes.back() - &probe) /
                                            static_cast<double>(probes.size()),
                           .marked = probe.difference.size() < 8});
  }
  return {"logit_difference", defect_title(params.text("defect"), probes),
          find_rope_defect(params.text("defect")).description + " · " + caption_of(params),
          std::move(plot)};
}

Figure weights_figure(const ParamSet& params, const Contents& contents, const Probe& probe) {
  const std::vector<double> x = distances(contents, probe.sound.size());
  return {
      "weights", fmt::format("Weights of a query at {}, by distance", probe.m), caption_of(params),
      LinePlot{
          .x = distance_axis(AxisScale::symlog),
          .y = {.label = "mean attention weight"},
          .series = {{.name = "sound", .x = x, .y = probe.sound, .color = encoding_color("rope")},
                     {.name = params.text("defect"),
                      .x = x,
                      .y = probe.defective,
                      .style = LineStyle::dashed,
                      .shade = 1.0}}}};
}

Figure moved_figure(const ParamSet& params, const std::vector<Probe>& probes) {
  TableFigure table{
      .header = {"query at", "weight that goes elsewhere", "largest change of a logit"}};
  for (const Probe& probe : probes)
    table.rows.push_back({std::to_string(probe.m), fmt::format("{:.3f}", probe.moved),
                          fmt::format("{:.3f}", largest_of(probe.difference))});
  return {"moved_weight", "Why short prompts pass: where the weight goes elsewhere",
          caption_of(params), std::move(table)};
}

/// A sound rope gives a query and a key at the same distance the same logit at every probe.
void check_relative(const ParamSet& params, const Contents& contents, Result& result) {
  const WrittenRope sound = sound_rope_of(params);
  const Position length = params.integer("original_length");
  const Matrix<double> far = logits_at(sound, contents, 5 * length);
  const Matrix<double> near = logits_at(sound, contents, 4 * length);
  Largest gap;
  for (Index i = 0; i < far.rows(); ++i)
    for (Index r = 0; r < std::min<Index>(far.cols(), near.cols()); ++r)
      gap.see(std::abs(far(i, r) - near(i, r)));
  const double a = amplitude_of(sound);
  FindingsOn(result).at_most(
      "sound_logits_are_relative",
      "without the defect, logits depend on $m − n$ alone (largest difference)", "eq. (16)",
      gap.value(), a * a * static_cast<double>(sound.d_head) * 0x1p-36);
}

void add_scalars(const std::vector<Probe>& probes, Result& result) {
  const auto first =
      std::ranges::find_if(probes, [](const Probe& probe) { return probe.moved > 0.01; });
  const FindingsOn all(result);
  all.scalar("first_probe_that_shows",
             first == probes.end() ? std::nan("") : static_cast<double>(first->m),
             "first probe at which more than 1 % of the weight goes elsewhere", "tokens");
  for (const Probe& probe : probes)
    all.scalar(fmt::format("moved_at_{}", probe.m), probe.moved,
               fmt::format("share of the weight of a query at {} that goes elsewhere", probe.m));
}

Table table_of(const Contents& contents, const std::vector<Probe>& probes) {
  TableBuilder table("differences", "difference of logits and mean weights, by probe and distance",
                     {"query [tokens]", "distance [tokens]", "logit_difference", "weight_sound",
                      "weight_defective"});
  for (const Probe& probe : probes)
    for (std::size_t r = 0; r < probe.difference.size(); ++r)
      table.row({probe.m, contents.distances[r], probe.difference[r], probe.sound[r],
                 probe.defective[r]});
  return std::move(table).finish();
}

void check_params(const ParamSet& params) {
  defective_rope_of(params, 2);
  frequencies_of(sound_rope_of(params));
  const auto d = static_cast<double>(params.integer("dim"));
  const auto draws = static_cast<double>(params.integer("draws"));
  const auto keys = static_cast<double>(chosen_distances(params).size());
  check_operations(fmt::format("draws={} with dim={}", draws, d),
                   draws * keys * d * 14 * operations_per_rotated_channel, "lower draws or dim");
}

Result compute(const ParamSet& params, const Inputs&, Progress& progress) {
  const Contents contents = draw(params);
  std::vector<Probe> probes;
  const Position length = params.integer("original_length");
  const Positions positions{0, 1, 2, length - 1, length, length + 1, 4 * length};
  for (std::size_t i = 0; i < positions.size(); ++i) {
    checkpoint(progress, i, positions.size(), "logits of probes");
    probes.push_back(probe_at(params, contents, positions[i]));
  }
  Result result;
  add_scalars(probes, result);
  check_relative(params, contents, result);
  result.figures.push_back(difference_figure(params, contents, probes));
  result.figures.push_back(weights_figure(params, contents, probes.back()));
  result.figures.push_back(moved_figure(params, probes));
  result.tables.push_back(table_of(contents, probes));
  return result;
}

}  // namespace in_defects
}  // namespace

Experiment defects_experiment() {
  using namespace in_defects;
  return with_provenance(make_info(), compute, check_params);
}

}  // namespace orrery

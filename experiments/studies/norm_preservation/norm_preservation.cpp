#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>

#include "core/analysis/invariance.h"
#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/random.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {
namespace in_norm_preservation {

constexpr Position most_steps = 256;  // a figure has no pixels for more positions

/// Those that act on vectors; score terms never touch one.
std::vector<std::string> candidates() {
  return encodings_with({Door::input_term, Door::qk_transform});
}

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> own{
      encodings_param_among(candidates(), {"rope", "sinusoidal", "learned"}), dim_param(64),
      log_count_param({"max_position", "$m_\\mathrm{max}$", "tokens"},
                      "Last position; at most 257 positions up to it are taken, evenly spaced.",
                      1024, 1, 0x1p40),
      log_count_param("draws", "Random vectors, standard normal; the same at every position.", 64,
                      1, 4096)};
  return with_params_of(
      candidates(),
      joined({std::move(own),
              precision_params("exact_fp32", {.always = {Stage::qk}, .encodings = candidates()}),
              {seed_param()}}));
}

ExperimentInfo make_info() {
  return {
      .name = "norm_preservation",
      .version = 3,
      .title = "Length of the encoded vector",
      .question = "Does position change the length of a vector, and by how much?",
      .formulas =
          {{R"(\lVert \mathbf{R}_{\Theta,m} \mathbf{x} \rVert = \lVert \mathbf{x} \rVert)",
            "sec. 3.2"},
           {R"(\lVert \mathbf{x} + \mathbf{p}_m \rVert^2 = \lVert \mathbf{x} \rVert^2 + 2 \mathbf{x}^\top \mathbf{p}_m + \lVert \mathbf{p}_m \rVert^2)",
            "eq. (3)", in_descriptions}},
      .params = declared_params(),
      .view = {.layout = ViewLayout::side_by_side,
               .controls = {"encoding", "dim", "max_position"},
               .tabs = {{"norm_by_pipeline", "By pipeline"},
                        {"norm_change_ulp", "Change in ulp"},
                        {"norm_ratio", "Ratio of lengths"}}},
      .ignored = {{.keys = {"rope.rotary_value"}},
                  {.figures = {"norm_by_pipeline"}, .keys = {"precision"}}}};
}

Positions positions_of(const ParamSet& params) {
  const Position last = params.integer("max_position");
  const Position steps = std::min<Position>(last, most_steps);
  Positions positions;
  for (Position i = 0; i <= steps; ++i)
    positions.push_back(last / steps * i + last % steps * i / steps);
  return positions;
}

/// ‖f(x, m)‖/‖x‖ by position. What an encoding does to queries and to keys may differ.
struct Curve {
  std::string encoding;
  std::string key;    ///< in names of columns, scalars and checks
  std::string label;  ///< in legends
  int color{};
  LineStyle style{LineStyle::solid};
  bool rotates{};         ///< an orthogonal matrix: the length must be kept
  bool adds{};            ///< a vector is added
  bool drawn{};           ///< from a table that is drawn by seed
  Band ratio{};           ///< at each position, over the vectors
  std::size_t known{0};   ///< positions, from the first on, at which the encoding is defined
  double norm_bound{};    ///< what rounding may do to a rotation
  double exact_change{};  ///< of a sum: the largest relative change of a length in exact
  bool exact{};           ///< computed there: no rounding could hide a change
  double cosine_law{};    ///< residual of the sum
  double law_bound{};

  void add(const RatioSpread& spread) {
    ratio.mean.push_back(spread.mean);
    ratio.least.push_back(spread.least);
    ratio.greatest.push_back(spread.greatest);
  }
  void end_at(std::size_t positions) {
    for (auto* values : {&ratio.mean, &ratio.least, &ratio.greatest})
      values->resize(positions, std::numeric_limits<double>::quiet_NaN());
  }
  std::vector<double> change() const {
    std::vector<double> largest;
    for (std::size_t i = 0; i < ratio.mean.size(); ++i)
      largest.push_back(larger(1.0 - ratio.least[i], ratio.greatest[i] - 1.0));
    return largest;
  }
  /// Over the first `known` positions; NaN if one of them is.
  double largest_change() const {
    const std::vector<double> changes = change();
    return largest_of(std::span(changes).first(known));
  }
  bool change_shows() const { return exact || stands_out(exact_change, norm_bound); }
  double mean_ratio() const {
    return std::accumulate(ratio.mean.begin(),
                           ratio.mean.begin() + static_cast<std::ptrdiff_t>(known), 0.0) /
           static_cast<double>(known);
  }
};

template <class T>
struct Measured {
  const Encoding& encoding;
  Matrix<T> x;
};

enum class Side { input, queries, keys };

template <class T>
Matrix<T> encoded(const Measured<T>& in, Side side, Position m) {
  const Positions at(static_cast<std::size_t>(in.x.rows()), m);
  Matrix<T> y = in.x;
  if (side == Side::input)
    dynamic_cast<const InputTerm<T>&>(in.encoding).add_to_input(at, y);
  else if (side == Side::queries)
    dynamic_cast<const QkTransform<T>&>(in.encoding).transform_queries(at, y);
  else
    dynamic_cast<const QkTransform<T>&>(in.encoding).transform_keys(at, y);
  return y;
}

template <class T>
Curve follow(const Measured<T>& in, Side side, const Positions& positions, Curve curve,
             Progress& progress) {
  const Measured<T> zero{in.encoding, Matrix<T>::Zero(in.x.rows(), in.x.cols())};
  const std::vector<double> before = row_norms(in.x);
  const Position last = in.encoding.traits().last_position;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    checkpoint(progress, i, positions.size(), "lengths with " + curve.label);
    if (positions[i] > last) break;
    const Matrix<T> y = encoded(in, side, positions[i]);
    curve.add(norm_ratios(before, row_norms(y)));
    ++curve.known;
    if (side == Side::input)
      curve.cosine_law =
          larger(curve.cosine_law, cosine_law_residual(y, in.x, encoded(zero, side, positions[i])));
  }
  curve.end_at(positions.size());
  return curve;
}

/// The largest change of a length when positions are added to these vectors in exact.
template <class T>
double change_in_exact(const std::string& name, const ParamSet& params, const Matrix<T>& x,
                       const Positions& positions, Progress& progress) {
  const auto encoding = make_encoding<double>(
      name,
      {.d_model = x.cols(), .d_head = x.cols(), .params = params, .seed = params.integer("seed")});
  const Measured<double> in{*encoding, x.template cast<double>()};
  Curve curve{.encoding = name, .key = name, .label = encoding_label(name) + " in exact"};
  return follow(in, Side::input, positions, std::move(curve), progress).largest_change();
}

/// Whether queries and keys are changed differently anywhere.
template <class T>
bool sides_differ(const Measured<T>& in, const Positions& positions) {
  return std::ranges::any_of(positions, [&](Position m) {
    return encoded(in, Side::queries, m) != encoded(in, Side::keys, m);
  });
}

template <class T>
std::vector<Curve> measure(const Pipeline& pipeline, const std::string& name,
                           const ParamSet& params, const Positions& positions, Progress& progress) {
  const StageRounding& rounding = pipeline.rounding;
  const Index d = params.integer("dim");
  const auto encoding = make_encoding<T>(name, {.d_model = d,
                                                .d_head = d,
                                                .params = params,
                                                .rounding = rounding,
                                                .seed = params.integer("seed")});
  Random random(params.integer("seed"), "vectors of norm_preservation");
  Measured<T> in{*encoding, normal_matrix<T>(random, params.integer("draws"), d)};
  rounding.template apply<T>(Stage::qk, in.x);  // as queries and keys are
  Curve curve{
      .encoding = name, .key = name, .label = encoding_label(name), .color = encoding_color(name)};
  curve.norm_bound = rotation_norm_bound<T>(d, rounding);
  curve.law_bound = cosine_law_bound<T>(d, rounding);
  if (dynamic_cast<const InputTerm<T>*>(encoding.get())) {
    curve.adds = true;
    curve.drawn = find_encoding(name).info.draws_tables();
    curve.exact = is_exact(pipeline);
    SubProgress here = equal_part(progress, 0, 2), in_exact = equal_part(progress, 1, 2);
    curve = follow(in, Side::input, positions, std::move(curve), here);
    if (!curve.exact)
      curve.exact_change = change_in_exact<T>(name, params, in.x, positions, in_exact);
    return {std::move(curve)};
  }
  const TurningPairs pairs = encoding->turning_pairs();
  curve.rotates = !pairs.channels.empty() && pairs.gain == 1;
  if (curve.rotates || !sides_differ(in, positions))
    return {follow(in, Side::queries, positions, std::move(curve), progress)};
  Curve keys = curve;
  curve.label += ", queries";
  keys.key += "_keys";
  keys.label += ", keys";
  keys.style = LineStyle::dashed;
  SubProgress of_queries = equal_part(progress, 0, 2), of_keys = equal_part(progress, 1, 2);
  return {follow(in, Side::queries, positions, std::move(curve), of_queries),
          follow(in, Side::keys, positions, std::move(keys), of_keys)};
}

/// The curve of an encoding in a pipeline: two where queries and keys are changed differently.
std::vector<Curve> measure_in(const Pipeline& pipeline, const std::string& name,
                              const ParamSet& params, const Positions& positions,
                              Progress& progress) {
  return pipeline.arithmetic == Precision::fp64
             ? measure<double>(pipeline, name, params, positions, progress)
             : measure<float>(pipeline, name, params, positions, progress);
}

double in_ulps(double change, Precision precision) { return change / ulp(precision, 1.0); }

void add_scalars(const Curve& curve, Precision precision, Result& result) {
  const FindingsOn of(result, curve.key, curve.label + (curve.drawn ? " (untrained table)" : ""));
  const std::string change = "largest relative change of a length";
  of.scalar("mean_ratio", curve.mean_ratio(), "mean over vectors and positions", "",
            "$‖f(x, m)‖/‖x‖$");
  const bool hidden = curve.adds && !curve.change_shows();
  of.scalar("largest_change", curve.largest_change(),
            change + (hidden ? hidden_text(curve.exact_change, curve.norm_bound) : ""));
  of.scalar("largest_change_ulp", in_ulps(curve.largest_change(), precision),
            change + ", in units in the last place of 1", "ulp");
}

/// `where` ends the name of a check, in_words its statement.
void add_checks(const Curve& curve, const std::string& where, const std::string& in_words,
                Result& result) {
  const FindingsOn of(result, curve.key);
  if (curve.rotates)
    of.at_most("keeps_length" + where,
               curve.label + " keeps the length in " + in_words +
                   ", up to rounding (largest relative change)",
               "eq. (15): $R_m$ is orthogonal", curve.largest_change(), curve.norm_bound);
  if (!curve.adds) return;
  if (curve.change_shows())
    of.at_least("changes_length",
                curve.label +
                    ": adding a vector changes the length, more than rounding could "
                    "(largest relative change)",
                "eq. (3)", curve.largest_change(), curve.norm_bound);
  of.at_most("cosine_law", curve.label + ": the change is that of a sum of two vectors",
             "$‖x + p‖² = ‖x‖² + 2 x·p + ‖p‖²$", curve.cosine_law, curve.law_bound);
}

/// Who keeps the length, to how many units in the last place, and who changes it by how much.
std::string length_title(const std::vector<Curve>& curves, Precision precision) {
  std::vector<std::string> kept, changed;
  Largest roundings, change;
  for (const Curve& curve : curves) {
    const double largest = curve.largest_change();
    const bool keeps = largest <= curve.norm_bound;
    (keeps ? kept : changed).push_back(curve.label);
    (keeps ? roundings : change).see(keeps ? in_ulps(largest, precision) : largest);
  }
  std::string title;
  if (!kept.empty())
    title = fmt::format("{} keep{} the length of a vector to {:.2g} ulp of {}", listed(kept),
                        kept.size() == 1 ? "s" : "", roundings.value(), name(precision));
  if (changed.empty()) return title;
  return fmt::format("{}{} change{} {} by up to {:.2g} %", title.empty() ? "" : title + "; ",
                     listed(changed), changed.size() == 1 ? "s" : "",
                     title.empty() ? "the length of a vector" : "it", 100 * change.value());
}

/// Each curve as a ratio, as its change in ulp, and in the table.
void add_curves(const ParamSet& params, const Positions& positions,
                const std::vector<Curve>& curves, Result& result) {
  const Precision precision = precision_of(params);
  LinePlot ratios{.x = position_axis(), .y = {.label = "length", .symbol = "$‖f(x, m)‖ / ‖x‖$"}};
  LinePlot changes{.x = position_axis(),
                   .y = {.label = "largest change of a length",
                         .unit = "ulp",
                         .scale = AxisScale::symlog,
                         .symlog_threshold = 0.1}};
  Table table{.name = "lengths",
              .caption = "$‖f(x, m)‖/‖x‖$ by position: mean, least and greatest over the vectors",
              .columns = {{"position", "tokens", as_doubles(positions)}}};
  for (const Curve& curve : curves) {
    const Series form{.name = curve.label,
                      .x = as_doubles(positions),
                      .style = curve.style,
                      .color = curve.color,
                      .choice = curve.encoding};
    ratios.series.push_back(banded(form, curve.ratio));
    Series& change = changes.series.emplace_back(form);
    for (const double value : curve.change()) change.y.push_back(in_ulps(value, precision));
    if (curve.rotates)
      changes.rules = {
          horizontal(in_ulps(curve.norm_bound, precision), "what rounding may cost a rotation")};
    add_band(table, curve.key, curve.ratio);
  }
  result.figures = {
      {"norm_ratio", length_title(curves, precision),
       "mean over vectors, band from least to greatest · " + caption_of(params), std::move(ratios)},
      {"norm_change_ulp",
       fmt::format("Change of length in units in the last place of {}, {}", name(precision),
                   params.text("precision")),
       caption_of(params), std::move(changes)}};
  result.tables.push_back(std::move(table));
}

/// The rotations again in every pipeline: a figure, a table and a check each.
void compare_pipelines(const ParamSet& params, const Positions& positions,
                       const std::vector<std::string>& rotations, Progress& progress,
                       Result& result) {
  TableFigure drawn{.header = {"encoding", "pipeline", "largest change", "in ulp", "bound"}};
  TableBuilder table(
      "pipelines", "largest relative change of a length by a rotation",
      {"encoding", "pipeline", "largest_change", "largest_change_ulp [ulp]", "bound_ulp [ulp]"});
  const std::vector<Pipeline>& all = pipeline_catalogue();
  std::size_t done = 0;
  for (const std::string& encoding : rotations) {
    for (const Pipeline& pipeline : all) {
      SubProgress part = equal_part(progress, done++, all.size() * rotations.size());
      const Curve curve = measure_in(pipeline, encoding, params, positions, part).front();
      add_checks(curve, "_in_" + pipeline.name, pipeline.name, result);
      const double ulps = in_ulps(curve.largest_change(), pipeline.format);
      const double bound = in_ulps(curve.norm_bound, pipeline.format);
      table.row({encoding, pipeline.name, curve.largest_change(), ulps, bound});
      drawn.rows.push_back({curve.label, pipeline.name, scientific_label(curve.largest_change(), 1),
                            decimal_label(ulps, 2), decimal_label(bound, 1)});
    }
  }
  result.figures.push_back(
      {"norm_by_pipeline", "Largest change of a length by a rotation, in every pipeline",
       "each pipeline with its own formats · " + caption_of(params), std::move(drawn)});
  result.tables.push_back(std::move(table).finish());
}

/// Rotations are computed in every pipeline, sums twice: here and in exact.
void check_work(const ParamSet& params) {
  const auto draws = static_cast<double>(params.integer("draws"));
  const auto d = static_cast<double>(params.integer("dim"));
  double times = 0;
  for (const std::string& name : params.list("encoding"))
    times += find_encoding(name).uses(Door::qk_transform)
                 ? 1.0 + static_cast<double>(pipeline_catalogue().size())
                 : 4.0;
  const auto positions = static_cast<double>(positions_of(params).size());
  check_operations(fmt::format("draws={} with dim={}", draws, d),
                   draws * d * positions * times * operations_per_rotated_channel,
                   "lower draws, dim or max_position");
}

Result compute(const ParamSet& params, const Inputs&, Progress& progress) {
  const Positions positions = positions_of(params);
  const std::vector<std::string>& names = params.list("encoding");
  const Pipeline pipeline = pipeline_of(params);
  SubProgress as_chosen(progress, 0.0, 0.5), compared(progress, 0.5, 1.0);
  Result result;
  std::vector<Curve> curves;
  std::vector<std::string> rotations;
  for (std::size_t e = 0; e < names.size(); ++e) {
    SubProgress part = equal_part(as_chosen, e, names.size());
    for (Curve& curve : measure_in(pipeline, names[e], params, positions, part)) {
      if (curve.rotates) rotations.push_back(names[e]);
      curves.push_back(std::move(curve));
    }
  }
  for (const Curve& curve : curves) {
    add_scalars(curve, pipeline.format, result);
    add_checks(curve, "", pipeline.name + " as chosen", result);
  }
  add_curves(params, positions, curves, result);
  if (!rotations.empty()) compare_pipelines(params, positions, rotations, compared, result);
  return result;
}

}  // namespace in_norm_preservation
}  // namespace

Experiment norm_preservation_experiment() {
  using namespace in_norm_preservation;
  return with_provenance(make_info(), compute, check_work);
}

}  // namespace orrery

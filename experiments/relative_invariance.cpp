#include "experiments/relative_invariance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/analysis/invariance.h"
#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/encodings/rope.h"
#include "core/random.h"
#include "experiments/pipelined_name.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs{
      encodings_param({"rope", "alibi", "sinusoidal"}),
      dim_param(64),
      {.key = "tokens",
       .symbol = "N",
       .unit = "tokens",
       .description = "Tokens with random contents; all N × N logits are compared.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{64},
       .min = 2,
       .max = 512,
       .logarithmic = true},
      {.key = "span",
       .unit = "tokens",
       .description = "The tokens stand at random positions in [0, span).",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{512},
       .min = 1,
       .max = 1e6,
       .logarithmic = true},
      {.key = "max_shift",
       .symbol = "s_max",
       .unit = "tokens",
       .description = "Shifts are the powers of two up to this.",
       .kind = ParamKind::integer,
       .default_value = std::int64_t{1} << 20,
       .min = 1,
       .max = 0x1p40,
       .logarithmic = true},
      projection_param()};
  specs.push_back(pipelines_param({"exact", "eager_fp32", "eager_bf16"}));
  for (ParamSpec& spec : stage_params({.always = score_stages()})) specs.push_back(std::move(spec));
  specs.push_back(seed_param());
  return with_encoding_params(std::move(specs));
}

ExperimentInfo make_info() {
  return {
      .name = "relative_invariance",
      .version = 3,
      .title = "Relative-position invariance",
      .question = "How far do the logits move when all positions are shifted by the same amount?",
      .equations = {"⟨f_q(x_m, m), f_k(x_n, n)⟩ = g(x_m, x_n, m − n)  (11)",
                    "error(s) = max_mn |logit(m + s, n + s) − logit(m, n)|",
                    "rounding(s) = max_mn |logit(m + s, n + s) − its value in exact|"},
      .params = declared_params()};
}

std::vector<Position> shifts_up_to(Position largest) {
  std::vector<Position> shifts;
  for (Position s = 1; s <= largest; s *= 2) shifts.push_back(s);
  return shifts;
}

/// Whether no stage has a format of its own.
bool runs_as_named(const Pipeline& pipeline) {
  const StageRounding& named = find_pipeline(pipeline.name).rounding;
  for (std::size_t i = 0; i < stage_count; ++i)
    if (const auto stage = static_cast<Stage>(i);
        pipeline.rounding.format(stage) != named.format(stage))
      return false;
  return true;
}

/// A part of the run's progress.
struct Part {
  Progress& progress;
  double from;
  double to;
  void at(std::size_t i, std::size_t count, const std::string& what) const {
    checkpoint(progress, from + (to - from) * static_cast<double>(i) / static_cast<double>(count),
               what);
  }
};

/// An encoding in a pipeline.
struct Curve {
  std::string encoding{};
  Pipeline pipeline{};
  bool compared{};  ///< with other pipelines
  bool relative{};
  std::vector<double> error{};
  std::vector<double> ulps{};
  std::vector<double>
      rounding{};  ///< largest distance from exact; empty where that is the pipeline
  double bound{};  ///< what rounding may cost where positions and angles are exact
  std::vector<double> angle_bound{};  ///< RoPE alone: what rounding its angles may add, by shift
  bool exact_positions{};             ///< no rounding of positions, distances or angles shows
  std::size_t known{0};  ///< shifts, from the first on, whose positions the encoding knows

  std::string label() const { return encoding_label(encoding); }
  std::string label_in_pipeline() const {
    return fmt::format("{} in {}{}", label(), pipeline.name,
                       runs_as_named(pipeline) ? "" : " with stages as set");
  }
  /// "rope_eager_fp32_largest_error"; "rope_largest_error" where no other pipeline is compared.
  std::string name_of(const std::string& what) const {
    return compared ? pipelined_name(encoding, pipeline.name, what)
                    : fmt::format("{}_{}", encoding, what);
  }
};

bool is_exact(const Pipeline& pipeline) {
  return pipeline.arithmetic == Precision::fp64 && rounding_unit(pipeline.rounding) == 0;
}

/// The tokens, in the arithmetic T.
template <class T>
struct Scene {
  Matrix<T> x;
  Positions positions;
  Projections<T> projections;
};

template <class T>
Scene<T> make_scene(const ParamSet& params) {
  const std::int64_t seed = params.integer("seed");
  const Index d = params.integer("dim");
  Random contents(seed, "contents of relative_invariance");
  Random places(seed, "positions of relative_invariance");
  Scene<T> scene{normal_matrix<T>(contents, params.integer("tokens"), d), {}, {}};
  for (Index i = 0; i < scene.x.rows(); ++i)
    scene.positions.push_back(places.integer(params.integer("span")));
  scene.projections = params.text("projection") == "random" ? random_projections<T>(seed, 0, d, d)
                                                            : Projections<T>::identity(d);
  return scene;
}

/// Logits at any positions, in the arithmetic T.
template <class T>
class Head {
 public:
  Head(const std::string& name, const ParamSet& params, Scene<T> scene, StageRounding rounding)
      : scene_(std::move(scene)), rounding_(rounding) {
    const Index d = params.integer("dim");
    encoding_ = make_encoding<T>(
        name, {.d_model = d, .d_head = d, .heads = 8, .params = params, .rounding = rounding_});
  }
  Matrix<T> logits_at(const Positions& p) const {
    return attention_head<T>(*encoding_, scene_.projections, {scene_.x, scene_.x, p, p}, {},
                             {rounding_})
        .logits;
  }
  const Encoding& encoding() const { return *encoding_; }

 private:
  Scene<T> scene_;
  StageRounding rounding_;
  std::unique_ptr<Encoding> encoding_;
};

/// The same numbers in fp64: what the arithmetic of T should have computed with.
template <class T>
Scene<double> widened(const Scene<T>& scene) {
  const auto wide = [](const Matrix<T>& m) { return Matrix<double>(m.template cast<double>()); };
  const Projections<T>& w = scene.projections;
  return {wide(scene.x), scene.positions, {wide(w.W_q), wide(w.W_k), wide(w.W_v)}};
}

/// Whether a relative encoding's scores are functions of m − n in the pipeline: the formats of
/// positions and distances hold every one that occurs, and angles are formed exactly.
bool keeps_positions(const Encoding& encoding, const StageRounding& rounding, Position largest) {
  const bool turns = dynamic_cast<const QkTransform<float>*>(&encoding) ||
                     dynamic_cast<const QkTransform<double>*>(&encoding);
  return (!turns || !rounding.rounds(Stage::angle)) &&
         holds_whole_numbers(rounding.format(Stage::position), largest);
}

/// The formats of those stages at which this encoding's scores lose digits. Positions, distances
/// and angles are not among them: where they are rounded, a shift changes more than digits.
StageRounding rounding_of_scores(const std::string& encoding, const StageRounding& rounding) {
  StageRounding kept;
  const auto keep = [&](Stage stage) { kept.set(stage, rounding.format(stage)); };
  for (const Stage stage : score_stages()) keep(stage);
  for (const Stage stage : find_encoding(encoding).info.stages)
    if (stage > Stage::angle) keep(stage);
  return kept;
}

template <class T>
struct Measurement {
  const ParamSet& params;
  const Scene<T>& scene;
  const Pipeline& pipeline;
  const std::vector<Position>& shifts;
};

template <class T>
Curve bounded_curve(const std::string& name, const Measurement<T>& in, const Encoding& encoding) {
  const StageRounding& rounding = in.pipeline.rounding;
  const Matrix<T> q = in.scene.x * in.scene.projections.W_q;
  const Matrix<T> k = in.scene.x * in.scene.projections.W_k;
  const Position span = in.params.integer("span");
  Curve curve{.encoding = name,
              .pipeline = in.pipeline,
              .compared = in.params.list("precision").size() > 1,
              .relative = encoding.is_relative()};
  curve.bound = invariance_bound<T>(q, k, rounding_of_scores(name, rounding));
  curve.exact_positions = keeps_positions(encoding, rounding, span - 1 + in.shifts.back());
  if (dynamic_cast<const Rope<T>*>(&encoding))
    for (const Position s : in.shifts)
      curve.angle_bound.push_back(angle_rounding_bound<T>(q, k, rounding, span - 1 + s));
  return curve;
}

template <class T>
Curve measure(const std::string& name, const Measurement<T>& in, const Part& part) {
  const Head<T> head(name, in.params, in.scene, in.pipeline.rounding);
  std::optional<Head<double>> exact;
  if (!is_exact(in.pipeline)) exact.emplace(name, in.params, widened(in.scene), StageRounding{});
  const Matrix<T> reference = head.logits_at(in.scene.positions);
  Curve curve = bounded_curve<T>(name, in, head.encoding());
  for (std::size_t i = 0; i < in.shifts.size(); ++i) {
    part.at(i, in.shifts.size(), "shifts of " + curve.label_in_pipeline());
    if (in.params.integer("span") - 1 + in.shifts[i] > head.encoding().last_position()) break;
    ++curve.known;
    const Positions moved = shifted(in.scene.positions, in.shifts[i]);
    const Matrix<T> logits = head.logits_at(moved);
    const ShiftError error = shift_error<T>(reference, logits, in.pipeline.format);
    curve.error.push_back(error.largest);
    curve.ulps.push_back(error.ulps);
    if (!exact) continue;
    const Matrix<double> wide = logits.template cast<double>();
    curve.rounding.push_back(
        shift_error<double>(exact->logits_at(moved), wide, Precision::fp64).largest);
  }
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  curve.error.resize(in.shifts.size(), unknown);
  curve.ulps.resize(in.shifts.size(), unknown);
  if (exact) curve.rounding.resize(in.shifts.size(), unknown);
  return curve;
}

/// Encoding by encoding, each in all pipelines.
std::vector<Curve> measure_all(const ParamSet& params, const std::vector<Position>& shifts,
                               Progress& progress) {
  const auto wide = make_scene<double>(params);
  const auto narrow = make_scene<float>(params);
  const std::vector<std::string>& names = params.list("encoding");
  const std::vector<std::string>& pipelines = params.list("precision");
  const double share = 1.0 / static_cast<double>(names.size() * pipelines.size());
  std::vector<Curve> curves;
  for (const std::string& name : names) {
    for (const std::string& of : pipelines) {
      const Pipeline pipeline = pipeline_of(params, of);
      const double from = share * static_cast<double>(curves.size());
      const Part part{progress, from, from + share};
      curves.push_back(pipeline.arithmetic == Precision::fp64
                           ? measure<double>(name, {params, wide, pipeline, shifts}, part)
                           : measure<float>(name, {params, narrow, pipeline, shifts}, part));
    }
  }
  return curves;
}

/// The largest value over the known shifts; NaN if one of them is.
double worst(const Curve& curve, const std::vector<double>& values) {
  Largest largest;
  for (std::size_t i = 0; i < curve.known; ++i) largest.see(values[i]);
  return largest.value();
}

/// The largest share of its bound that an error takes, over the known shifts.
double worst_share(const Curve& curve) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < curve.known; ++i)
    shares.push_back(curve.error[i] / (curve.bound + curve.angle_bound[i]));
  return worst(curve, shares);
}

Check invariance_check(const Curve& curve) {
  return {.name = curve.name_of("is_invariant"),
          .statement = curve.label_in_pipeline() +
                       " depends on m − n only, up to rounding (largest change of a logit)",
          .equation = "eq. (11)",
          .measured = worst(curve, curve.error),
          .bound = curve.bound};
}

/// Rounded angles m θ do not differ by (m − n) θ, so nothing keeps the scores but their size.
Check angle_check(const Curve& curve) {
  return {.name = curve.name_of("changes_as_its_angles_round"),
          .statement = curve.label_in_pipeline() +
                       " changes by no more than the rounding of its angles m θ accounts for "
                       "(largest share of that bound)",
          .equation = "|Δ logit| ≤ 4 u (m + s) ‖q‖‖k‖/√d, and rounding",
          .measured = worst_share(curve),
          .bound = 1};
}

Check absolute_check(const Curve& curve) {
  return {.name = curve.name_of("is_absolute"),
          .statement = curve.label_in_pipeline() +
                       " depends on absolute position: rounding cannot explain the change",
          .equation = "eq. (6)",
          .measured = worst(curve, curve.error),
          .relation = Relation::at_least,
          .bound = curve.bound};
}

/// None where a format too small for the positions changes a relative encoding in ways that have no
/// bound here.
std::optional<Check> check_of(const Curve& curve) {
  if (!curve.relative) return absolute_check(curve);
  if (curve.exact_positions) return invariance_check(curve);
  if (!curve.angle_bound.empty()) return angle_check(curve);
  return std::nullopt;
}

void add_scalars(const Curve& curve, std::vector<Scalar>& scalars) {
  const std::string label = curve.label_in_pipeline();
  scalars.push_back({.name = curve.name_of("largest_error"),
                     .value = worst(curve, curve.error),
                     .description = label + ": largest change of a logit over all shifts"});
  // Of an absolute encoding the change is no rounding, and counts in no such unit.
  if (curve.relative)
    scalars.push_back(
        {.name = curve.name_of("largest_ulp"),
         .unit = "ulp",
         .value = worst(curve, curve.ulps),
         .description = fmt::format("{}: the same in units in the last place of {} at "
                                    "the largest logit",
                                    label, name(curve.pipeline.format))});
  if (!curve.rounding.empty())
    scalars.push_back(
        {.name = curve.name_of("largest_rounding"),
         .value = worst(curve, curve.rounding),
         .description = label + ": largest distance of a logit from its exact value"});
}

constexpr std::array<LineStyle, 4> styles{LineStyle::solid, LineStyle::dashed, LineStyle::dotted,
                                          LineStyle::points};

/// Colour tells encodings apart and the line pipelines, while there are lines enough; otherwise
/// each curve has a colour of its own.
Series series_of(const Curve& curve, std::size_t place, const std::vector<std::string>& pipelines) {
  const auto found = std::find(pipelines.begin(), pipelines.end(), curve.pipeline.name);
  const auto pipeline = static_cast<std::size_t>(found - pipelines.begin());
  const bool lines_enough = pipelines.size() <= styles.size();
  return {.name = pipelines.size() == 1 ? curve.label()
                                        : fmt::format("{}, {}", curve.label(), curve.pipeline.name),
          .style = styles[pipeline % styles.size()],
          .color = lines_enough ? encoding_color(curve.encoding) : static_cast<int>(place)};
}

/// What all figures of a run share.
struct Frame {
  std::vector<double> shifts;
  std::vector<std::string> pipelines;
  std::string caption;
  double threshold;  ///< errors fall to exactly 0: the axis is logarithmic above this

  std::string in_words() const {
    return pipelines.size() == 1 ? "in " + pipelines.front() : "in each pipeline";
  }
};

Figure figure_of(std::string id, std::string title, const Frame& frame, Axis y,
                 const std::vector<Curve>& curves, std::vector<double> Curve::*values) {
  y.scale = AxisScale::symlog;
  LinePlot plot{
      .x = {.label = "common shift", .symbol = "s", .unit = "tokens", .scale = AxisScale::log2},
      .y = std::move(y)};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if ((curves[i].*values).empty()) continue;
    Series series = series_of(curves[i], i, frame.pipelines);
    series.x = frame.shifts;
    series.y = curves[i].*values;
    plot.series.push_back(std::move(series));
  }
  return {std::move(id), std::move(title), frame.caption, std::move(plot)};
}

/// A power of ten below every rounding error of the formats, so that 0 still has its place below.
double axis_threshold(const std::vector<Curve>& curves) {
  double least = 1;
  for (const Curve& curve : curves) least = smaller(least, unit_roundoff(curve.pipeline.format));
  return std::pow(10.0, std::floor(std::log10(least)) - 1);
}

/// What rounding may cost, as a line to compare the curves with: one per pipeline in which every
/// relative encoding here is invariant.
void add_bounds(Figure& figure, const Frame& frame, const std::vector<Curve>& curves) {
  for (const std::string& pipeline : frame.pipelines) {
    const Curve* found = nullptr;
    bool invariant = true;
    for (const Curve& curve : curves) {
      if (curve.pipeline.name != pipeline || !curve.relative) continue;
      found = &curve;
      invariant = invariant && curve.exact_positions;
    }
    if (!found || !invariant) continue;
    const std::string words = frame.pipelines.size() == 1 ? "" : " in " + pipeline;
    std::get<LinePlot>(figure.content)
        .rules.push_back(
            {Rule::Direction::horizontal, found->bound, "what rounding may cost" + words});
  }
}

Table table_of(const std::vector<double>& shifts, const std::vector<Curve>& curves) {
  Table table{.name = "invariance",
              .caption =
                  "largest change of a logit, absolute and in units in the last place of the "
                  "pipeline's format, and largest distance from exact, by shift",
              .columns = {{"shift", "tokens", shifts}}};
  for (const Curve& curve : curves) {
    table.columns.push_back({curve.name_of("error"), "", curve.error});
    table.columns.push_back({curve.name_of("ulp"), "ulp", curve.ulps});
    if (!curve.rounding.empty())
      table.columns.push_back({curve.name_of("rounding"), "", curve.rounding});
  }
  return table;
}

}  // namespace

const ExperimentInfo& RelativeInvariance::info() const {
  static const ExperimentInfo info = make_info();
  return info;
}

Result RelativeInvariance::run(const ParamSet& params, const Inputs&, Progress& progress) const {
  const std::vector<Position> shifts = shifts_up_to(params.integer("max_shift"));
  const std::vector<Curve> curves = measure_all(params, shifts, progress);
  const Frame frame{.shifts = {shifts.begin(), shifts.end()},
                    .pipelines = params.list("precision"),
                    .caption = caption_of(params),
                    .threshold = axis_threshold(curves)};
  Result result{.provenance = provenance_of(info(), params)};
  for (const Curve& curve : curves) {
    add_scalars(curve, result.scalars);
    if (std::optional<Check> check = check_of(curve)) result.checks.push_back(std::move(*check));
  }
  result.figures.push_back(figure_of(
      "invariance_error", "Change of the logits under a common shift, " + frame.in_words(), frame,
      {.label = "largest change of a logit", .symlog_threshold = frame.threshold}, curves,
      &Curve::error));
  add_bounds(result.figures.back(), frame, curves);
  result.figures.push_back(figure_of(
      "invariance_ulp",
      "Change in units in the last place at the largest logit, " + frame.in_words(), frame,
      {.label = "largest change", .unit = "ulp", .symlog_threshold = 0.1}, curves, &Curve::ulps));
  const bool compared =
      std::any_of(curves.begin(), curves.end(), [](const Curve& c) { return !c.rounding.empty(); });
  if (compared)
    result.figures.push_back(figure_of(
        "rounding_error", "Distance of the logits from exact at each shift, " + frame.in_words(),
        frame, {.label = "largest distance of a logit", .symlog_threshold = frame.threshold},
        curves, &Curve::rounding));
  result.tables.push_back(table_of(frame.shifts, curves));
  return result;
}

}  // namespace orrery

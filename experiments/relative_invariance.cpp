#include "experiments/relative_invariance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "core/analysis/invariance.h"
#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/random.h"
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
  for (ParamSpec& spec : precision_params("fp32")) specs.push_back(std::move(spec));
  specs.push_back(seed_param());
  return with_encoding_params(std::move(specs));
}

ExperimentInfo make_info() {
  return {
      .name = "relative_invariance",
      .version = 2,
      .title = "Relative-position invariance",
      .question = "How far do the logits move when all positions are shifted by the same amount?",
      .equations = {"⟨f_q(x_m, m), f_k(x_n, n)⟩ = g(x_m, x_n, m − n)  (11)",
                    "error(s) = max_mn |logit(m + s, n + s) − logit(m, n)|",
                    "rounding(s) = max_mn |logit(m + s, n + s) − its value in fp64|"},
      .params = declared_params()};
}

std::vector<Position> shifts_up_to(Position largest) {
  std::vector<Position> shifts;
  for (Position s = 1; s <= largest; s *= 2) shifts.push_back(s);
  return shifts;
}

struct Curve {
  std::string name{};
  bool relative{};
  std::vector<double> error{};
  std::vector<double> ulps{};
  std::vector<double> rounding{};  ///< largest distance from fp64; empty when that is the precision
  double bound{};                  ///< what rounding may cost
  std::size_t known{0};  ///< shifts, from the first on, whose positions the encoding knows
};

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

template <class T>
Curve measure(const std::string& name, const ParamSet& params, const Scene<T>& scene,
              const std::vector<Position>& shifts, Progress& progress, double from, double to) {
  const StageRounding rounding = rounding_of(params);
  const Head<T> head(name, params, scene, rounding);
  std::optional<Head<double>> exact;
  if (!runs_in_fp64(params)) exact.emplace(name, params, widened(scene), StageRounding{});
  const Matrix<T> reference = head.logits_at(scene.positions);
  Curve curve{.name = name, .relative = head.encoding().is_relative()};
  curve.bound = invariance_bound<T>(scene.x * scene.projections.W_q,
                                    scene.x * scene.projections.W_k, rounding);
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    const double done = static_cast<double>(i) / static_cast<double>(shifts.size());
    checkpoint(progress, from + (to - from) * done, "shifts of " + name);
    if (params.integer("span") - 1 + shifts[i] > head.encoding().last_position()) break;
    ++curve.known;
    const Positions moved = shifted(scene.positions, shifts[i]);
    const Matrix<T> logits = head.logits_at(moved);
    const ShiftError error = shift_error<T>(reference, logits, precision_of(params));
    curve.error.push_back(error.largest);
    curve.ulps.push_back(error.ulps);
    if (!exact) continue;
    const Matrix<double> wide = logits.template cast<double>();
    curve.rounding.push_back(
        shift_error<double>(exact->logits_at(moved), wide, Precision::fp64).largest);
  }
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  curve.error.resize(shifts.size(), unknown);
  curve.ulps.resize(shifts.size(), unknown);
  if (exact) curve.rounding.resize(shifts.size(), unknown);
  return curve;
}

template <class T>
std::vector<Curve> measure_all(const ParamSet& params, const std::vector<Position>& shifts,
                               Progress& progress) {
  const Scene<T> scene = make_scene<T>(params);
  const std::vector<std::string>& names = params.list("encoding");
  const double share = 1.0 / static_cast<double>(names.size());
  std::vector<Curve> curves;
  for (std::size_t e = 0; e < names.size(); ++e)
    curves.push_back(measure<T>(names[e], params, scene, shifts, progress,
                                share * static_cast<double>(e),
                                share * static_cast<double>(e + 1)));
  return curves;
}

/// The largest value over the known shifts; NaN if one of them is.
double worst(const Curve& curve, const std::vector<double>& values) {
  Largest largest;
  for (std::size_t i = 0; i < curve.known; ++i) largest.see(values[i]);
  return largest.value();
}

Check check_of(const Curve& curve) {
  const std::string label = encoding_label(curve.name);
  if (curve.relative)
    return {
        .name = curve.name + "_is_invariant",
        .statement = label + " depends on m − n only, up to rounding (largest change of a logit)",
        .equation = "eq. (11)",
        .measured = worst(curve, curve.error),
        .bound = curve.bound};
  return {.name = curve.name + "_is_absolute",
          .statement = label + " depends on absolute position: rounding cannot explain the change",
          .equation = "eq. (6)",
          .measured = worst(curve, curve.error),
          .relation = Relation::at_least,
          .bound = curve.bound};
}

Scalar scalar_of(const Curve& curve) {
  return {
      .name = curve.name + "_largest_error",
      .value = worst(curve, curve.error),
      .description = encoding_label(curve.name) + ": largest change of a logit over all shifts"};
}

Scalar ulp_scalar_of(const Curve& curve) {
  return {.name = curve.name + "_largest_ulp",
          .unit = "ulp",
          .value = worst(curve, curve.ulps),
          .description = encoding_label(curve.name) +
                         ": largest change of a logit over all shifts, in units in the last place"};
}

Scalar rounding_of_curve(const Curve& curve) {
  return {.name = curve.name + "_largest_rounding",
          .value = worst(curve, curve.rounding),
          .description =
              encoding_label(curve.name) + ": largest distance of a logit from its value in fp64"};
}

/// Errors fall to exactly 0, so the axis is logarithmic only above `threshold`.
Figure figure_of(std::string id, std::string title, const std::string& caption, Axis y,
                 const std::vector<double>& shifts, const std::vector<Curve>& curves,
                 std::vector<double> Curve::*values) {
  y.scale = AxisScale::symlog;
  LinePlot plot{
      .x = {.label = "common shift", .symbol = "s", .unit = "tokens", .scale = AxisScale::log2},
      .y = std::move(y)};
  for (const Curve& curve : curves)
    plot.series.push_back({.name = encoding_label(curve.name),
                           .x = shifts,
                           .y = curve.*values,
                           .color = encoding_color(curve.name)});
  return {std::move(id), std::move(title), caption, std::move(plot)};
}

/// A power of ten below every rounding error of the format, so that 0 still has its place below.
double axis_threshold(const ParamSet& params) {
  return std::pow(10.0, std::floor(std::log10(unit_roundoff(precision_of(params)))) - 1);
}

/// What rounding may cost, as a line to compare the curves with.
void add_bound(Figure& figure, const std::vector<Curve>& curves) {
  const auto relative =
      std::find_if(curves.begin(), curves.end(), [](const Curve& c) { return c.relative; });
  if (relative == curves.end()) return;
  std::get<LinePlot>(figure.content)
      .rules.push_back({Rule::Direction::horizontal, relative->bound, "what rounding may cost"});
}

Table table_of(const std::vector<double>& shifts, const std::vector<Curve>& curves) {
  Table table{
      .name = "invariance",
      .caption = "largest change of a logit, absolute and in ulp, and distance from fp64, by shift",
      .columns = {{"shift", "tokens", shifts}}};
  for (const Curve& curve : curves) {
    table.columns.push_back({"error_" + curve.name, "", curve.error});
    table.columns.push_back({"ulp_" + curve.name, "ulp", curve.ulps});
    if (!curve.rounding.empty())
      table.columns.push_back({"rounding_" + curve.name, "", curve.rounding});
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
  const std::vector<Curve> curves = runs_in_fp64(params)
                                        ? measure_all<double>(params, shifts, progress)
                                        : measure_all<float>(params, shifts, progress);
  const std::vector<double> x(shifts.begin(), shifts.end());
  const std::string precision = params.text("precision");
  Result result{.provenance = provenance_of(info(), params)};
  for (const Curve& curve : curves) {
    result.scalars.push_back(scalar_of(curve));
    // Of an absolute encoding the change is no rounding, and counts in no such unit.
    if (curve.relative) result.scalars.push_back(ulp_scalar_of(curve));
    if (!curve.rounding.empty()) result.scalars.push_back(rounding_of_curve(curve));
    result.checks.push_back(check_of(curve));
  }
  const std::string caption = caption_of(params);
  result.figures.push_back(figure_of(
      "invariance_error", "Change of the logits under a common shift, " + precision, caption,
      {.label = "largest change of a logit", .symlog_threshold = axis_threshold(params)}, x, curves,
      &Curve::error));
  add_bound(result.figures.back(), curves);
  result.figures.push_back(
      figure_of("invariance_ulp", "The same in units in the last place of " + precision, caption,
                {.label = "largest change", .unit = "ulp", .symlog_threshold = 0.1}, x, curves,
                &Curve::ulps));
  if (!runs_in_fp64(params))
    result.figures.push_back(figure_of(
        "rounding_error", "How far " + precision + " is from fp64 at each shift", caption,
        {.label = "largest distance of a logit", .symlog_threshold = axis_threshold(params)}, x,
        curves, &Curve::rounding));
  result.tables.push_back(table_of(x, curves));
  return result;
}

}  // namespace orrery

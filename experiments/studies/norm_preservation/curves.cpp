#include "experiments/studies/norm_preservation/curves.h"

#include <algorithm>
#include <limits>
#include <span>

#include "core/analysis/largest.h"
#include "core/encodings/catalogue.h"
#include "core/random.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/encoding_style.h"

namespace orrery {
namespace {
namespace in_norm_preservation_curves {

/// Vectors that have been rounded as queries and keys are.
template <class T>
Matrix<T> draw_vectors(const ParamSet& params, const StageRounding& rounding) {
  Random random(params.integer("seed"), "vectors of norm_preservation");
  Matrix<T> x = normal_matrix<T>(random, params.integer("draws"), params.integer("dim"));
  rounding.apply<T>(Stage::qk, x);
  return x;
}

template <class T>
struct Measured {
  const Encoding& encoding;
  Matrix<T> x;
  std::vector<double> before;
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
  const Measured<T> zero{in.encoding, Matrix<T>::Zero(in.x.rows(), in.x.cols()), {}};
  const Position last = in.encoding.traits().last_position;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    checkpoint(progress, i, positions.size(), "lengths with " + curve.label);
    if (positions[i] > last) break;
    const Matrix<T> y = encoded(in, side, positions[i]);
    curve.add(norm_ratios(in.before, row_norms(y)));
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
  Measured<double> in{*encoding, x.template cast<double>(), {}};
  in.before = row_norms(in.x);
  Curve curve{.encoding = name, .key = name, .label = encoding_label(name) + " in exact"};
  return follow(in, Side::input, positions, std::move(curve), progress).largest_change();
}

/// Whether queries and keys are changed differently anywhere.
template <class T>
bool sides_differ(const Measured<T>& in, const Positions& positions) {
  return std::any_of(positions.begin(), positions.end(), [&](Position m) {
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
  Measured<T> in{*encoding, draw_vectors<T>(params, rounding), {}};
  in.before = row_norms(in.x);
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

}  // namespace in_norm_preservation_curves
}  // namespace

void Curve::end_at(std::size_t positions) {
  for (auto* values : {&ratio.mean, &ratio.least, &ratio.greatest})
    values->resize(positions, std::numeric_limits<double>::quiet_NaN());
}

std::vector<double> Curve::change() const {
  std::vector<double> largest(ratio.mean.size());
  for (std::size_t i = 0; i < largest.size(); ++i)
    largest[i] = larger(1.0 - ratio.least[i], ratio.greatest[i] - 1.0);
  return largest;
}

double Curve::largest_change() const {
  const std::vector<double> changes = change();
  return largest_of(std::span(changes).first(known));
}

double Curve::mean_ratio() const {
  double sum = 0;
  for (std::size_t i = 0; i < known; ++i) sum += ratio.mean[i];
  return sum / static_cast<double>(known);
}

std::vector<Curve> measure_in(const Pipeline& pipeline, const std::string& name,
                              const ParamSet& params, const Positions& positions,
                              Progress& progress) {
  using namespace in_norm_preservation_curves;
  return pipeline.arithmetic == Precision::fp64
             ? measure<double>(pipeline, name, params, positions, progress)
             : measure<float>(pipeline, name, params, positions, progress);
}

}  // namespace orrery

#include "experiments/studies/sequence_length/measures.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "core/analysis/mean_logits.h"
#include "core/analysis/weight_statistics.h"
#include "core/encodings/catalogue.h"
#include "core/product.h"
#include "core/random.h"
#include "experiments/setup/check_settings.h"
#include "experiments/setup/common_params.h"

namespace orrery::studies {
namespace {
namespace in_measures {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr Index calibration_keys = 256;

/// The parameters of an encoding whose trained tables end at the training length.
ParamSet trained_params(const ParamSet& params) {
  ParamSet trained = with_every_encoding_param(params);
  for (const EncodingEntry& entry : encoding_catalogue())
    if (!entry.info.length_param.empty())
      trained.set_value(entry.info.length_param, params.integer("train_length"));
  return trained;
}

/// Deviation of the content logits of unscaled contents, all at one position.
double content_deviation(const LengthInputs& in) {
  const Index count = std::min<Index>(calibration_keys, in.keys.rows());
  const Positions m(static_cast<std::size_t>(in.queries.rows()), 0);
  const Positions n(static_cast<std::size_t>(count), 0);
  const auto out = attention_head<double>(*in.encoding, in.projections,
                                          {in.queries, in.keys.topRows(count), m, n, in.head});
  const Matrix<double>& content = out.terms.front().logits;
  return std::sqrt(content.squaredNorm() / static_cast<double>(content.size()));
}

MeanDeviation moments_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, square = 0;
  for (const double v : values) sum += v;
  const double mean = sum / count;
  for (const double v : values) square += (v - mean) * (v - mean);
  return {mean, std::sqrt(square / count)};
}

double entropy_bits(const Matrix<double>& weights, Index row) {
  double entropy = 0;
  for (Index j = 0; j < weights.cols(); ++j)
    if (!(weights(row, j) <= 0)) entropy -= weights(row, j) * std::log2(weights(row, j));
  return entropy;
}

AttentionOutput<double> window_attention(const LengthInputs& in, Index window, Position first) {
  const Matrix<double> x = in.keys.topRows(window);
  const Positions at = consecutive_positions(window, first);
  return attention_head<double>(*in.encoding, in.projections, {x, x, at, at, in.head},
                                Mask::causal(at, at));
}

std::size_t known_count(const std::vector<double>& values) {
  const auto end =
      std::find_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  return static_cast<std::size_t>(end - values.begin());
}

}  // namespace in_measures
}  // namespace

LengthInputs length_inputs(const std::string& name, const ParamSet& params) {
  using namespace in_measures;
  const ParamSet trained = trained_params(params);
  const Index d = params.integer("dim");
  const std::int64_t seed = params.integer("seed");
  const int head = head_of(params);
  Random random(seed, "contents of sequence_length");
  LengthInputs in{make_encoding<double>(name, {.d_model = d,
                                               .d_head = d,
                                               .heads = static_cast<int>(params.integer("heads")),
                                               .params = trained,
                                               .seed = seed}),
                  random_projections<double>(seed, 0, d, d),
                  normal_matrix<double>(random, params.integer("draws"), d),
                  normal_matrix<double>(random, params.integer("max_length"), d), head};
  const double scale = std::sqrt(params.real("spread") / content_deviation(in));
  in.queries *= scale;
  in.keys *= scale;
  return in;
}

LengthPoint attention_at_length(const LengthInputs& in, Index length, Index window) {
  using namespace in_measures;
  const MeanDeviation unknown{not_a_number, not_a_number};
  if (length - 1 > in.encoding->traits().last_position) return {unknown, unknown};
  const Positions m(static_cast<std::size_t>(in.queries.rows()), length - 1);
  const Positions n = consecutive_positions(length);
  const auto out = attention_head<double>(*in.encoding, in.projections,
                                          {in.queries, in.keys.topRows(length), m, n, in.head});
  std::vector<double> entropy, recent;
  for (Index i = 0; i < out.weights.rows(); ++i) {
    entropy.push_back(entropy_bits(out.weights, i));
    recent.push_back(out.weights.row(i).tail(std::min<Index>(window, length)).sum());
  }
  return {moments_of(entropy), moments_of(recent)};
}

std::vector<double> logit_change(const LengthInputs& in, Index count) {
  using namespace in_measures;
  const Index known = std::min<Index>(count, last_askable(*in.encoding) + 1);
  const Matrix<double> key = in.queries.topRows(1);
  const Positions all = consecutive_positions(known);
  std::vector<double> change(static_cast<std::size_t>(count), not_a_number);
  // Transformer-XL scores each query against each distance: all queries at once would be their
  // square.
  constexpr Index most_queries = 1024;
  double at_origin = 0;
  for (Index first = 0; first < known; first += most_queries) {
    const Index here = std::min<Index>(most_queries, known - first);
    const Matrix<double> queries = key.replicate(here, 1);
    const Positions m(all.begin() + first, all.begin() + first + here);
    const Positions n = keys_beside_origin(*in.encoding, m);
    const Matrix<double> keys = key.replicate(static_cast<Index>(n.size()), 1);
    const auto out =
        attention_head<double>(*in.encoding, in.projections, {queries, keys, m, n, in.head});
    if (first == 0) at_origin = out.logits(0, 0);
    for (Index r = 0; r < here; ++r)
      change[static_cast<std::size_t>(first + r)] = out.logits(r, 0) - at_origin;
  }
  return change;
}

std::vector<double> mean_logit_change(const LengthInputs& in, double match, PositionsIn distances) {
  using namespace in_measures;
  const Index d = in.queries.cols();
  const double norm = squared_norm_for(*in.encoding, d, match, in.head);
  const Position last = in.encoding->traits().last_position;
  Positions known{0};
  for (const Position r : distances)
    if (r <= last) known.push_back(r);
  const MeanLogits mean = mean_logits(*in.encoding, d, norm, known, in.head);
  std::vector<double> change;
  std::size_t next = 1;
  for (const Position r : distances)
    change.push_back(r <= last ? mean.total[next++] - mean.total[0] : not_a_number);
  return change;
}

std::optional<std::size_t> constant_from(const std::vector<double>& values, double tolerance) {
  using namespace in_measures;
  const std::size_t known = known_count(values);
  std::size_t from = known;
  while (from > 0 && std::abs(values[from - 1] - values[known - 1]) <= tolerance) --from;
  if (from + 1 >= known) return std::nullopt;
  return from;
}

double beyond_seen(const std::vector<double>& values, std::size_t from) {
  using namespace in_measures;
  const std::size_t known = known_count(values);
  if (known <= from || from == 0) return not_a_number;
  Smallest least(values[0]);
  Largest most(values[0]);
  for (std::size_t i = 1; i < from; ++i) {
    least.see(values[i]);
    most.see(values[i]);
  }
  Largest beyond;
  for (std::size_t i = from; i < known; ++i) {
    beyond.see(values[i] - most.value());
    beyond.see(least.value() - values[i]);
  }
  return beyond.value();
}

bool knows_offset(const LengthInputs& in, Index window, Position s) {
  return s + window - 1 <= in.encoding->traits().last_position;
}

double change_under_offset(const LengthInputs& in, Index window, Position s) {
  using namespace in_measures;
  if (!knows_offset(in, window, s)) return not_a_number;
  return mean_half_difference(window_attention(in, window, s).weights,
                              window_attention(in, window, 0).weights);
}

double log_ratio_change(const LengthInputs& in, Index window, Position s) {
  using namespace in_measures;
  if (!knows_offset(in, window, s)) return not_a_number;
  const Matrix<double> change =
      window_attention(in, window, s).logits - window_attention(in, window, 0).logits;
  Largest largest;
  for (Index i = 0; i < window; ++i)  // causal: a query sees the keys to itself
    for (Index j = 0; j < i; ++j) largest.see(std::abs(change(i, j) - change(i, i)));
  return largest.value();
}

double decoding_gap(const LengthInputs& in, Index window, Position first) {
  using namespace in_measures;
  const Matrix<double> prefill = window_attention(in, window, first).output;
  const Positions at = consecutive_positions(window, first);
  Largest gap;
  for (Index i = 0; i < window; ++i) {
    const Positions now{at[static_cast<std::size_t>(i)]};
    const Positions cached(at.begin(), at.begin() + i + 1);
    const auto step =
        attention_head<double>(*in.encoding, in.projections,
                               {in.keys.row(i), in.keys.topRows(i + 1), now, cached, in.head});
    gap.see(largest_difference<double>(step.output, prefill.row(i)));
  }
  return gap.value();
}

double length_rounding(const LengthInputs& in, Index window) {
  using namespace in_measures;
  const Matrix<double> x = in.keys.topRows(window);
  const double q = largest_row_norm<double>(product<double>(x, in.projections.W_q));
  const double k = largest_row_norm<double>(product<double>(x, in.projections.W_k));
  const double logit = largest_magnitude<double>(window_attention(in, window, 0).logits);
  return 4.0 * static_cast<double>(x.cols() + 10) * 0x1p-53 * (q * k + logit);
}

}  // namespace orrery::studies

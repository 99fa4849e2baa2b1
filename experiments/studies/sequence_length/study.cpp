#include "experiments/studies/sequence_length/study.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "core/analysis/largest.h"
#include "core/analysis/mean_logits.h"
#include "core/analysis/weight_statistics.h"
#include "core/attention/head.h"
#include "core/encodings/catalogue.h"
#include "core/product.h"
#include "core/random.h"
#include "experiments/model/sub_progress.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"

namespace orrery {
namespace {

/// The inputs on which one encoding is measured: random contents, the same at all positions.
struct LengthInputs {
  std::unique_ptr<Encoding> encoding;
  Projections<double> projections;
  Matrix<double> queries;  ///< [draws, d]
  Matrix<double> keys;     ///< [max_length, d]
  int head{};
};

constexpr double no_length = std::numeric_limits<double>::quiet_NaN();
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

/// Appends mean and deviation of these values.
void add_moments(const std::vector<double>& values, std::vector<double>& means,
                 std::vector<double>& deviations) {
  const auto count = static_cast<double>(values.size());
  double sum = 0, square = 0;
  for (const double v : values) sum += v;
  const double mean = sum / count;
  for (const double v : values) square += (v - mean) * (v - mean);
  means.push_back(mean);
  deviations.push_back(std::sqrt(square / count));
}

AttentionOutput<double> window_attention(const LengthInputs& in, Index window, Position first) {
  const Matrix<double> x = in.keys.topRows(window);
  const Positions at = consecutive_positions(window, first);
  return attention_head<double>(*in.encoding, in.projections, {x, x, at, at, in.head},
                                Mask::causal(at, at));
}

std::size_t known_count(const std::vector<double>& values) {
  const auto end = std::ranges::find_if(values, [](double v) { return std::isnan(v); });
  return static_cast<std::size_t>(end - values.begin());
}

LengthInputs length_inputs(const std::string& name, const ParamSet& params) {
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

/// All NaN when position `length` − 1 is undefined.
void add_length(const LengthInputs& in, Index length, Index window, LengthStudy& measured) {
  std::vector<double> entropy, recent;
  if (length - 1 > in.encoding->traits().last_position) {
    entropy = recent = {no_length};
  } else {
    const Positions m(static_cast<std::size_t>(in.queries.rows()), length - 1);
    const Positions n = consecutive_positions(length);
    const auto out = attention_head<double>(*in.encoding, in.projections,
                                            {in.queries, in.keys.topRows(length), m, n, in.head});
    for (Index i = 0; i < out.weights.rows(); ++i) {
      entropy.push_back(row_statistics(out.weights, i, length - 1, n).entropy_bits);
      recent.push_back(out.weights.row(i).tail(std::min<Index>(window, length)).sum());
    }
  }
  add_moments(entropy, measured.entropy, measured.entropy_deviation);
  add_moments(recent, measured.recent, measured.recent_deviation);
}

/// logit(r) − logit(0) of one query with itself as key at position 0, r = 0 … count − 1, NaN where
/// the position is undefined.
std::vector<double> logit_change(const LengthInputs& in, Index count) {
  const Index known = std::min<Index>(count, last_askable(*in.encoding) + 1);
  const Matrix<double> key = in.queries.topRows(1);
  const Positions all = consecutive_positions(known);
  std::vector<double> change(static_cast<std::size_t>(count), no_length);
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

/// L(r) − L(0) of like tokens whose logit by content is `match`, mean over all directions of the
/// content: see mean_logits. NaN where a position is undefined. distances ≥ 0.
std::vector<double> mean_logit_change(const LengthInputs& in, double match, PositionsIn distances) {
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
    change.push_back(r <= last ? mean.total[next++] - mean.total[0] : no_length);
  return change;
}

/// The largest change of the logarithm of a ratio of two weights of a query, which is that of the
/// difference of two logits, when the first `window` tokens are shifted by s. Unlike a weight it
/// does not vanish where one key has nearly all of them.
double log_ratio_change(const LengthInputs& in, Index window, Position s) {
  const Matrix<double> change =
      window_attention(in, window, s).logits - window_attention(in, window, 0).logits;
  Largest largest;
  for (Index i = 0; i < window; ++i)  // causal: a query sees the keys to itself
    for (Index j = 0; j < i; ++j) largest.see(std::abs(change(i, j) - change(i, i)));
  return largest.value();
}

/// The largest difference of an output between attention over all `window` tokens at once and token
/// by token with cached keys, the first token at position `first`.
double decoding_gap(const LengthInputs& in, Index window, Position first) {
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

/// Bound of the rounding of a weight, and with `values` the largest |v|, of an output: logits to
/// 2(d + 10)u·(max‖q‖ max‖k‖ + the largest |logit|), twice for two maps. Source: Higham 2002 §3.1.
double length_rounding(const LengthInputs& in, Index window) {
  const Matrix<double> x = in.keys.topRows(window);
  const double q = largest_row_norm<double>(product<double>(x, in.projections.W_q));
  const double k = largest_row_norm<double>(product<double>(x, in.projections.W_k));
  const double logit = largest_magnitude<double>(window_attention(in, window, 0).logits);
  return 4.0 * static_cast<double>(x.cols() + 10) * 0x1p-53 * (q * k + logit);
}

constexpr Index shortest_length = 16;    // of the lengths measured
constexpr int lengths_measured = 28;     // spaced_by_ratios by ratios
constexpr int distances_measured = 320;  // likewise

/// `count` + 1 positions from `first` to `last`, spaced_by_ratios by ratios, and two more; each once.
Positions spaced_by_ratios(double first, double last, int count, Positions positions) {
  for (int i = 0; i <= count; ++i)
    positions.push_back(
        std::lround(first * std::pow(last / first, static_cast<double>(i) / count)));
  std::ranges::sort(positions);
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

}  // namespace

std::optional<std::size_t> constant_from(const std::vector<double>& values, double tolerance) {
  const std::size_t known = known_count(values);
  std::size_t from = known;
  while (from > 0 && std::abs(values[from - 1] - values[known - 1]) <= tolerance) --from;
  if (from + 1 >= known) return std::nullopt;
  return from;
}

double beyond_seen(const std::vector<double>& values, std::size_t from) {
  const std::size_t known = known_count(values);
  if (known <= from || from == 0) return no_length;
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

Positions lengths_of(const ParamSet& params) {
  const std::int64_t train = params.integer("train_length");
  return spaced_by_ratios(shortest_length, static_cast<double>(params.integer("max_length")),
                          lengths_measured, {train, train + 1});
}

Positions offsets_of(const ParamSet& params) {
  Positions offsets;
  for (Position s = 1; s <= params.integer("max_length"); s *= 2) offsets.push_back(s);
  return offsets;
}

Positions distances_of(const ParamSet& params) {
  const std::int64_t train = params.integer("train_length");
  return spaced_by_ratios(1, static_cast<double>(params.integer("max_length") - 1),
                          distances_measured, {train - 1, train});
}

double LengthStudy::largest_offset_change() const {
  if (known_offsets == 0) return std::numeric_limits<double>::quiet_NaN();
  return largest_of(std::span(offsets).first(known_offsets));
}

LengthStudy study_lengths(const std::string& name, const ParamSet& params, Progress& progress) {
  const LengthInputs in = length_inputs(name, params);
  const Index window = params.integer("window");
  const EncodingTraits traits = in.encoding->traits();
  LengthStudy measured{
      .name = name,
      .relative =
          traits.relative_weights_up_to(offsets_of(params).back() + params.integer("window")),
      .last_position = traits.last_position,
      .rounding = length_rounding(in, window),
      .largest_value =
          largest_magnitude<double>(product<double>(in.keys.topRows(window), in.projections.W_v))};
  const Positions lengths = lengths_of(params);
  SubProgress at_lengths(progress, 0.0, 0.8);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    checkpoint(at_lengths, i, lengths.size(), "lengths with " + name);
    add_length(in, lengths[i], window, measured);
  }
  checkpoint(progress, 0.8, "distances with " + name);
  measured.change = logit_change(in, params.integer("max_length"));
  const double match =
      params.real("spread") * std::sqrt(static_cast<double>(params.integer("dim")));
  measured.mean_change = mean_logit_change(in, match, distances_of(params));
  checkpoint(progress, 0.85, "offsets with " + name);
  Largest ratio_change;
  for (const Position s : offsets_of(params)) {
    const bool known = s + window - 1 <= traits.last_position;
    measured.offsets.push_back(known ? mean_half_difference(window_attention(in, window, s).weights,
                                                            window_attention(in, window, 0).weights)
                                     : no_length);
    if (!known) continue;
    ++measured.known_offsets;  // they are ascending
    if (!measured.relative) ratio_change.see(log_ratio_change(in, window, s));
  }
  measured.ratio_change = ratio_change.value();
  checkpoint(progress, 0.9, "decoding with " + name);
  const Position past = params.integer("train_length") - window / 2;
  const Position first = std::min<Position>(past, traits.last_position + 1 - window);
  measured.decoding = decoding_gap(in, window, first);
  return measured;
}

}  // namespace orrery

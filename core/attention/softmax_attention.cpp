#include "core/attention/softmax_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/attention/content.h"
#include "core/attention/online_attention.h"
#include "core/attention/tiles.h"
#include "core/attention/weight_rules.h"
#include "core/errors.h"
#include "core/kernels/tiles.h"
#include "core/parallel.h"

namespace orrery {
namespace {

template <class T>
void check_inputs(const AttentionInputs<T>& in) {
  check_positions(in.m, in.q.rows());
  check_positions(in.n, in.k.rows());
  if (in.v.rows() != in.k.rows())
    throw UsageError(fmt::format("v with {} rows and k with {}", in.v.rows(), in.k.rows()),
                     "every key has one value", "give as many rows in v as in k");
}

/// Queries, keys and values as they meet: rounded, and q and k transformed. What stays as it came
/// is not copied.
template <class T>
class Prepared {
 public:
  Prepared(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
           const StageRounding& rounding)
      : in_(in), changes_qk_(doors.qk_transform || rounding.rounds(Stage::qk)) {
    if (changes_qk_) {
      q_ = rounding.rounded<T>(Stage::qk, in.q);
      k_ = rounding.rounded<T>(Stage::qk, in.k);
    }
    if (rounding.rounds(Stage::value)) v_ = rounding.rounded<T>(Stage::value, in.v);
    if (doors.qk_transform) {
      doors.qk_transform->transform_queries(in.m, q_);
      doors.qk_transform->transform_keys(in.n, k_);
    }
  }

  MatrixIn<T> q() const { return changes_qk_ ? MatrixIn<T>(q_) : in_.q; }
  MatrixIn<T> k() const { return changes_qk_ ? MatrixIn<T>(k_) : in_.k; }
  MatrixIn<T> v() const { return v_.size() > 0 ? MatrixIn<T>(v_) : in_.v; }
  /// Once all that is made of the queries has been.
  void drop_queries() { q_.resize(0, 0); }

 private:
  const AttentionInputs<T>& in_;
  bool changes_qk_;
  Matrix<T> q_{};
  Matrix<T> k_{};
  Matrix<T> v_{};
};

template <class T>
std::vector<ScoreTerm<T>> terms_of(const ScoreInputs<T>& scores, const SoftmaxDoors<T>& doors,
                                   const Mask& mask) {
  std::vector<ScoreTerm<T>> terms;
  if (doors.score_terms)
    terms = doors.score_terms->score_terms(scores);
  else
    terms.push_back(scaled_content_term<T>(scores));
  if (scores.scoring.rule.given()) {
    const std::vector<double> factors =
        logit_factors_of(scores.scoring.rule, scores.m, mask, scores.k.rows());
    for (ScoreTerm<T>& term : terms) scale_rows<T>(factors, term.logits);
  }
  if (mask.added()) terms.push_back(mask_term<T>(mask));
  return terms;
}

/// Weights of row i, out of its logits. Masked cells are −inf, and so exactly 0.
template <class T>
void softmax_row(const Mask& mask, Index i, AttentionOutput<T>& out) {
  const auto& kernels = kernels::tile_kernels<T>();
  const VisibleKeys seen = mask.keys_of(i, out.logits.cols());
  auto row = out.weights.row(i);
  row.head(seen.first).setZero();
  row.tail(row.size() - seen.end).setZero();
  auto visible = row.segment(seen.first, seen.end - seen.first);
  const auto n = static_cast<std::size_t>(visible.size());
  const T* logits = out.logits.row(i).data() + seen.first;
  if (!seen.all) {
    visible = out.logits.row(i).segment(seen.first, visible.size());
    mask.hide<T>(i, seen.first, {visible.data(), n});
    logits = visible.data();
  }
  const double sum =
      kernels.exponentials_of_row(n, kernels.largest(n, logits), logits, visible.data());
  if (std::isnan(sum)) ++out.nan_rows;
  visible *= static_cast<T>(1.0 / sum);
}

/// Keys and values as every part of a map multiplies them.
template <class T>
struct PackedParts {
  explicit PackedParts(const Prepared<T>& p)
      : k(p.k()), values(p.v()), v(values), finite(all_finite<T>(values)) {}

  PackedKeys<T> k;
  MatrixIn<T> values;
  PackedValues<T> v;
  bool finite;  ///< the values
};

template <class T>
void take_sticks(const Mask& mask, PositionsIn n, AttentionOutput<T>& out) {
  const RowCounts counts = stick_breaking<T>(mask, n, out.logits, out.weights);
  out.fully_masked_rows = counts.fully_masked_rows;
  out.nan_rows = counts.nan_rows;
}

template <class T>
AttentionOutput<T> attention_of(const ScoreInputs<T>& scores, const PackedParts<T>& packed,
                                const SoftmaxDoors<T>& doors, const Mask& mask) {
  const StageRounding& rounding = scores.scoring.rounding;
  AttentionOutput<T> out;
  out.terms = terms_of<T>(scores, doors, mask);
  // Biases from a table are no products and have not been rounded before.
  for (ScoreTerm<T>& term : out.terms) rounding.apply<T>(Stage::scale, term.logits);
  out.logits = out.terms.front().logits;
  for (std::size_t i = 1; i < out.terms.size(); ++i) out.logits += out.terms[i].logits;
  rounding.apply<T>(Stage::logits, out.logits);
  if (scores.scoring.weights == WeightRule::stick_breaking)
    take_sticks(mask, scores.n, out);
  else
    masked_softmax(mask, out);
  rounding.apply<T>(Stage::weights, out.weights);
  out.output = weighted_values<T>(out.weights, packed.v, packed.finite, mask);
  if (doors.value_term)
    doors.value_term->add_to_output({out.weights, packed.values, scores.m, scores.n}, out.output);
  rounding.apply<T>(Stage::output, out.output);
  return out;
}

/// Whether a number after the products of q and k is rounded to another format than T's.
template <class T>
bool rounds_after_products(const StageRounding& rounding) {
  const auto rounds = [&](Stage stage) {
    const Precision format = rounding.format(stage);
    return format != Precision::fp64 && !(format == Precision::fp32 && sizeof(T) == sizeof(float));
  };
  return rounds(Stage::term) || rounds(Stage::scale) || rounds(Stage::logits) ||
         rounds(Stage::weights) || rounds(Stage::output);
}

/// The factors of the logits at these distances, where the encoding can say them.
template <class T>
std::optional<LogitFactors<T>> factors_of(const ScoreInputs<T>& scores,
                                          const SoftmaxDoors<T>& doors,
                                          const std::optional<Distances>& distances) {
  if (!doors.score_terms)
    return LogitFactors<T>{
        .q = scaled_queries<T>(scores.q, score_scale(1, scores.q.cols(), scores.scoring))};
  if (!doors.factored_terms || !distances) return std::nullopt;
  return doors.factored_terms->logit_factors(scores, *distances);
}

/// The factors of logits that a rule multiplies; false where they have parts of keys or of
/// distances alone, which no factor of a query reaches.
template <class T>
bool follow_rule(const LogitRule& rule, const AttentionInputs<T>& in, const Mask& mask,
                 LogitFactors<T>& factors) {
  if (!rule.given()) return true;
  if (factors.bias.size() > 0 || factors.by_key.given()) return false;
  const std::vector<double> by_query = logit_factors_of(rule, in.m, mask, in.k.rows());
  scale_rows<T>(by_query, factors.q);
  if (factors.q_of_distance.size() > 0) scale_rows<T>(by_query, factors.q_of_distance);
  return true;
}

/// Tile by tile, where the logits and the values allow it.
template <class T>
std::optional<OnlineOutput<T>> online_output(const AttentionInputs<T>& in,
                                             const SoftmaxDoors<T>& doors, const Mask& mask,
                                             const Scoring& scoring, int threads) {
  if (mask.added() || rounds_after_products<T>(scoring.rounding)) return std::nullopt;
  if (scoring.weights != WeightRule::softmax) return std::nullopt;
  // Left to scaled_product, which refuses it.
  if (in.q.cols() != in.k.cols() || in.q.cols() == 0) return std::nullopt;
  if (doors.score_terms && !doors.factored_terms) return std::nullopt;
  Prepared<T> p(in, doors, scoring.rounding);
  // 0·NaN is NaN: with such values, which of the hidden keys are left out would show.
  if (!all_finite<T>(p.v())) return std::nullopt;
  const std::optional<Distances> distances = consecutive_distances(in.m, in.n);
  std::optional<LogitFactors<T>> factors = factors_of<T>(
      {p.q(), p.k(), in.m, in.n, in.head, scoring, in.segments, nullptr, in.x}, doors, distances);
  if (!factors || !follow_rule(scoring.rule, in, mask, *factors)) return std::nullopt;
  p.drop_queries();
  OnlineInputs<T> online{p.k(), p.v(), in.m, in.n, std::move(*factors)};
  if (distances) online.first_distance = distances->first;
  online.value_term = doors.value_term;
  if (doors.factored_terms && distances) {
    online.value_vectors = doors.factored_terms->value_vectors(*distances);
    const Matrix<T>& rows = online.value_vectors.rows;
    // Of other channels they are refused; and a NaN reaches those alone whose weight it has.
    if (online.value_vectors.given() && (rows.cols() != in.v.cols() || !all_finite<T>(rows)))
      return std::nullopt;
    online.value_term = nullptr;
  }
  return online_attention<T>(online, mask, threads);
}

}  // namespace

template <class T>
SoftmaxDoors<T> SoftmaxDoors<T>::of(const Encoding& encoding) {
  return {dynamic_cast<const QkTransform<T>*>(&encoding),
          dynamic_cast<const ScoreTerms<T>*>(&encoding),
          dynamic_cast<const ValueTerm<T>*>(&encoding),
          dynamic_cast<const FactoredTerms<T>*>(&encoding)};
}

template <class T>
ScoreTerm<T> mask_term(const Mask& mask) {
  return {"mask", mask.added()->template cast<T>()};
}

template <class T>
void masked_softmax(const Mask& mask, AttentionOutput<T>& out) {
  mask.check_shape(out.logits.rows(), out.logits.cols());
  out.weights.resize(out.logits.rows(), out.logits.cols());
  out.fully_masked_rows = 0;
  out.nan_rows = 0;
  for (Index i = 0; i < out.logits.rows(); ++i)
    if (mask.sees_a_key(i, out.logits.cols())) {
      softmax_row(mask, i, out);
    } else {
      out.weights.row(i).setZero();
      ++out.fully_masked_rows;
    }
}

template <class T>
AttentionOutput<T> softmax_attention(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
                                     const Mask& mask, const Scoring& scoring) {
  check_inputs(in);
  mask.check_shape(in.q.rows(), in.k.rows());
  const Prepared<T> p(in, doors, scoring.rounding);
  const PackedParts<T> packed(p);
  return attention_of<T>({p.q(), p.k(), in.m, in.n, in.head, scoring, in.segments, &packed.k, in.x},
                         packed, doors, mask);
}

template <class T>
void attention_by_rows(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors, const Mask& mask,
                       const Scoring& scoring, const RowReader<T>& reader) {
  if (!reader.map) {
    AttentionOutput<T> out = attention_output(in, doors, mask, scoring, reader.threads);
    return reader.use(0, out);
  }
  check_inputs(in);
  mask.check_shape(in.q.rows(), in.k.rows());
  const Prepared<T> p(in, doors, scoring.rounding);
  const PackedParts<T> packed(p);
  const auto part_at = [&](Index first) {
    const Index count = std::min(reader.rows, in.q.rows() - first);
    const auto at = static_cast<std::size_t>(first), length = static_cast<std::size_t>(count);
    SegmentsIn segments = in.segments;
    // One per query, or as they are for the encoding to refuse.
    if (segments.queries.size() == in.m.size())
      segments.queries = segments.queries.subspan(at, length);
    return attention_of<T>({p.q().middleRows(first, count), p.k(), in.m.subspan(at, length), in.n,
                            in.head, scoring, segments, &packed.k, in.x},
                           packed, doors, mask.of_queries(first, count));
  };
  const Index parts =
      in.q.rows() <= reader.rows ? 1 : (in.q.rows() + reader.rows - 1) / reader.rows;
  std::vector<AttentionOutput<T>> made;
  for (Index next = 0; next < parts;) {
    made.clear();  // before the next ones take their memory
    made.resize(static_cast<std::size_t>(std::clamp<Index>(reader.threads, 1, parts - next)));
    in_parallel(static_cast<Index>(made.size()), reader.threads, [&] {
      return
          [&](Index i) { made[static_cast<std::size_t>(i)] = part_at((next + i) * reader.rows); };
    });
    for (std::size_t i = 0; i < made.size(); ++i)
      reader.use((next + static_cast<Index>(i)) * reader.rows, made[i]);
    next += static_cast<Index>(made.size());
  }
}

template <class T>
AttentionOutput<T> attention_output(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
                                    const Mask& mask, const Scoring& scoring, int threads) {
  check_inputs(in);
  mask.check_shape(in.q.rows(), in.k.rows());
  AttentionOutput<T> out;
  if (std::optional<OnlineOutput<T>> online = online_output(in, doors, mask, scoring, threads)) {
    out.output = std::move(online->output);
    out.fully_masked_rows = online->fully_masked_rows;
    out.nan_rows = online->nan_rows;
    return out;
  }
  out.output.resize(in.q.rows(), in.v.cols());
  const auto gather = [&](Index first, const AttentionOutput<T>& part) {
    out.output.middleRows(first, part.output.rows()) = part.output;
    out.fully_masked_rows += part.fully_masked_rows;
    out.nan_rows += part.nan_rows;
  };
  attention_by_rows<T>(in, doors, mask, scoring,
                       {gather, rows_at_once(in.k.rows()), true, threads});
  return out;
}

template struct SoftmaxDoors<float>;
template struct SoftmaxDoors<double>;
template ScoreTerm<float> mask_term(const Mask&);
template ScoreTerm<double> mask_term(const Mask&);
template void masked_softmax<float>(const Mask&, AttentionOutput<float>&);
template void masked_softmax<double>(const Mask&, AttentionOutput<double>&);
template AttentionOutput<float> softmax_attention(const AttentionInputs<float>&,
                                                  const SoftmaxDoors<float>&, const Mask&,
                                                  const Scoring&);
template AttentionOutput<double> softmax_attention(const AttentionInputs<double>&,
                                                   const SoftmaxDoors<double>&, const Mask&,
                                                   const Scoring&);
template void attention_by_rows(const AttentionInputs<float>&, const SoftmaxDoors<float>&,
                                const Mask&, const Scoring&, const RowReader<float>&);
template void attention_by_rows(const AttentionInputs<double>&, const SoftmaxDoors<double>&,
                                const Mask&, const Scoring&, const RowReader<double>&);
template AttentionOutput<float> attention_output(const AttentionInputs<float>&,
                                                 const SoftmaxDoors<float>&, const Mask&,
                                                 const Scoring&, int);
template AttentionOutput<double> attention_output(const AttentionInputs<double>&,
                                                  const SoftmaxDoors<double>&, const Mask&,
                                                  const Scoring&, int);

}  // namespace orrery

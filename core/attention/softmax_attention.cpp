#include "core/attention/softmax_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
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
void check_queries_and_keys(const AttentionInputs<T>& in) {
  check_positions(in.m, in.q.rows());
  check_positions(in.n, in.k.rows());
}

template <class T>
void check_inputs(const AttentionInputs<T>& in) {
  check_queries_and_keys(in);
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
           const StageRounding& rounding, int threads = 1)
      : in_(in), changes_qk_(doors.qk_transform || rounding.rounds(Stage::qk)) {
    if (rounding.rounds(Stage::value)) v_ = rounding.rounded<T>(Stage::value, in.v);
    if (!changes_qk_) return;
    constexpr Index worth_a_thread = 1 << 15;
    in_parallel(2, in.k.size() < worth_a_thread ? 1 : threads, [&] {
      return [&](Index item) {
        // A transform may address columns, which a matrix without rows has nowhere.
        if (item == 0) {
          q_ = rounding.rounded<T>(Stage::qk, in.q);
          if (doors.qk_transform && q_.rows() > 0) doors.qk_transform->transform_queries(in.m, q_);
        } else {
          k_ = rounding.rounded<T>(Stage::qk, in.k);
          if (doors.qk_transform && k_.rows() > 0) doors.qk_transform->transform_keys(in.n, k_);
        }
      };
    });
  }

  /// Once all that is made of the queries has been.
  void drop_queries() { q_.resize(0, 0); }

  MatrixIn<T> q() const { return changes_qk_ ? MatrixIn<T>(q_) : in_.q; }
  MatrixIn<T> k() const { return changes_qk_ ? MatrixIn<T>(k_) : in_.k; }
  MatrixIn<T> v() const { return v_.size() > 0 ? MatrixIn<T>(v_) : in_.v; }

 private:
  const AttentionInputs<T>& in_;
  bool changes_qk_;
  Matrix<T> q_{};
  Matrix<T> k_{};
  Matrix<T> v_{};
};

/// Encodings may be a caller's own.
template <class T>
void check_terms(const std::vector<ScoreTerm<T>>& terms, Index queries, Index keys) {
  if (terms.empty())
    throw UsageError("an encoding without terms", "gives no logits",
                     "return the content term at least from score_terms");
  for (const ScoreTerm<T>& term : terms)
    if (term.logits.rows() != queries || term.logits.cols() != keys)
      throw UsageError(
          fmt::format("the term {} of [{}, {}]", term.name, term.logits.rows(), term.logits.cols()),
          fmt::format("must be [queries, keys] = [{}, {}]", queries, keys),
          "return a number for each pair from score_terms");
}

template <class T>
std::vector<ScoreTerm<T>> terms_of(const ScoreInputs<T>& scores, const SoftmaxDoors<T>& doors,
                                   const Mask& mask) {
  std::vector<ScoreTerm<T>> terms;
  if (doors.score_terms)
    terms = doors.score_terms->score_terms(scores);
  else
    terms.push_back(scaled_content_term<T>(scores));
  check_terms(terms, scores.q.rows(), scores.k.rows());
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
void softmax_row(const Mask& mask, Index i, std::optional<double> sink, AttentionOutput<T>& out) {
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
  T shift = kernels.largest(n, logits);
  if (sink) shift = std::max(shift, static_cast<T>(*sink));
  double sum = kernels.exponentials_of_row(n, shift, logits, visible.data());
  if (sink) sum += std::exp(*sink - static_cast<double>(shift));
  if (std::isnan(sum)) ++out.nan_rows;
  visible *= static_cast<T>(1.0 / sum);
}

template <class T>
std::optional<double> sink_of(const ScoreInputs<T>& scores) {
  const std::span<const double> sinks = scores.scoring.sinks;
  if (sinks.empty()) return std::nullopt;
  if (scores.head < 0 || static_cast<std::size_t>(scores.head) >= sinks.size())
    throw UsageError(fmt::format("{} sinks for head {}", sinks.size(), scores.head),
                     "every head has a sink, or none has", "give one per head of the layer");
  return sinks[static_cast<std::size_t>(scores.head)];
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

/// With its terms and logits alone.
template <class T>
AttentionOutput<T> logits_of(const ScoreInputs<T>& scores, const SoftmaxDoors<T>& doors,
                             const Mask& mask) {
  const StageRounding& rounding = scores.scoring.rounding;
  AttentionOutput<T> out;
  out.terms = terms_of<T>(scores, doors, mask);
  // Biases from a table are no products and have not been rounded before.
  for (ScoreTerm<T>& term : out.terms) rounding.apply<T>(Stage::scale, term.logits);
  out.logits = out.terms.front().logits;
  for (std::size_t i = 1; i < out.terms.size(); ++i) out.logits += out.terms[i].logits;
  cap_logits(scores.scoring.softcap, out.logits);
  rounding.apply<T>(Stage::logits, out.logits);
  return out;
}

template <class T>
AttentionOutput<T> attention_of(const ScoreInputs<T>& scores, const PackedParts<T>& packed,
                                const SoftmaxDoors<T>& doors, const Mask& mask) {
  const StageRounding& rounding = scores.scoring.rounding;
  AttentionOutput<T> out = logits_of<T>(scores, doors, mask);
  if (scores.scoring.weights == WeightRule::stick_breaking && !scores.scoring.sinks.empty())
    throw UsageError("sinks with stick-breaking weights", "take a share of a softmax",
                     "drop the sinks, or weigh by softmax");
  if (scores.scoring.weights == WeightRule::stick_breaking)
    stick_breaking<T>(mask, scores.n, out);
  else
    masked_softmax(mask, out, sink_of(scores));
  rounding.apply<T>(Stage::weights, out.weights);
  out.output = weighted_values<T>(out.weights, packed.v, packed.finite, mask);
  if (doors.value_term)
    doors.value_term->add_to_output(
        {out.weights, packed.values.topRows(scores.k.rows()), scores.m, scores.n}, out.output);
  rounding.apply<T>(Stage::output, out.output);
  return out;
}

/// Whether a number after the products of q and k is rounded to another format than T's.
template <class T>
bool rounds_after_products(const StageRounding& rounding) {
  const auto rounds = [&](Stage stage) { return !rounding.template leaves<T>(stage); };
  return rounds(Stage::term) || rounds(Stage::scale) || rounds(Stage::logits) ||
         rounds(Stage::weights) || rounds(Stage::output);
}

/// The factors of the logits at these distances, where the encoding has them.
template <class T>
std::optional<LogitFactors<T>> factors_of(const ScoreInputs<T>& scores,
                                          const SoftmaxDoors<T>& doors,
                                          const std::optional<Distances>& distances) {
  if (!doors.score_terms)
    return LogitFactors<T>{
        .q = scaled_queries<T>(scores.q, score_scale(1, scores.q.cols(), scores.scoring))};
  if (!distances) return std::nullopt;
  return doors.score_terms->logit_factors(scores, *distances);
}

/// The factors of logits that a rule multiplies, by the factor of each query; false where they have
/// parts of keys or of distances alone, which no factor of a query reaches.
template <class T>
bool follow_rule(std::span<const double> by_query, LogitFactors<T>& factors) {
  if (by_query.empty()) return true;
  if (factors.bias.size() > 0 || factors.by_key.given()) return false;
  scale_rows<T>(by_query, factors.q);
  if (factors.q_of_distance.size() > 0) scale_rows<T>(by_query, factors.q_of_distance);
  return true;
}

/// Consecutive queries and keys whose factors are held at once.
struct Part {
  Index first_query{};
  Index queries{};
  Index first_key{};
  Index keys{};
};

/// All at once, unless an encoding makes factors of so many keys that they would be the most that
/// is held.
std::vector<Part> parts_of(Index queries, Index keys, bool factored) {
  constexpr Index most_keys = 8192, keys_of_part = 4096, queries_of_part = 64 * tile_queries;
  static_assert(keys_of_part % tile_keys == 0);
  if (keys <= most_keys || !factored) return {{0, queries, 0, keys}};
  std::vector<Part> parts;
  for (Index query = 0; query < queries; query += queries_of_part)
    for (Index key = 0; key < keys; key += keys_of_part)
      parts.push_back({query, std::min(queries_of_part, queries - query), key,
                       std::min(keys_of_part, keys - key)});
  return parts;
}

/// The ids of a part's tokens; as they are, for the encoding to refuse, where there is not one per
/// token.
std::span<const std::int32_t> ids_of(std::span<const std::int32_t> ids, std::size_t tokens,
                                     Index first, Index count) {
  if (ids.size() != tokens) return ids;
  return ids.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

PositionsIn part_of(PositionsIn positions, Index first, Index count) {
  return positions.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

/// Up to the last key that one of the queries sees; one where they see none.
Index keys_in_sight(const Mask& mask, Index first, Index count, Index keys) {
  return std::max(keys_of_any(mask, first, count, keys).end, std::min<Index>(1, keys));
}

/// RowReader::other_k as products take them.
template <class T>
struct OtherKeys {
  OtherKeys(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
            const StageRounding& rounding)
      : prepared(in, doors, rounding), packed(prepared.k()) {}

  Prepared<T> prepared;
  PackedKeys<T> packed;
};

/// What attention tile by tile is made of.
template <class T>
class OnlineSource {
 public:
  OnlineSource(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors, const Mask& mask,
               const Scoring& scoring, int threads)
      : in_(in),
        doors_(doors),
        mask_(mask),
        scoring_(scoring),
        p_(in, doors, scoring.rounding, threads) {
    if (scoring.rule.given()) by_query_ = logit_factors_of(scoring.rule, in.m, mask, in.k.rows());
  }

  /// 0·NaN is NaN: with such values, which of the hidden keys are left out would show.
  bool finite_values() const { return all_finite<T>(p_.v()); }

  /// Empty where the encoding has no factors.
  std::optional<OnlinePart<T>> part(const Part& part) {
    const ScoreInputs<T> scores = scores_of_part(part);
    std::optional<Distances> distances = consecutive_distances(scores.m, scores.n);
    if (distances && doors_.score_terms) distances->last_seen = last_seen(part, *distances);
    std::optional<LogitFactors<T>> factors = factors_of<T>(scores, doors_, distances);
    if (!factors || !follow_rule(factors_of_queries(part), *factors)) return std::nullopt;
    if (part.queries == in_.q.rows() && part.keys == in_.k.rows()) p_.drop_queries();
    OnlinePart<T> out{.k = scores.k,
                      .v = p_.v().middleRows(part.first_key, part.keys),
                      .m = scores.m,
                      .n = scores.n,
                      .factors = std::move(*factors),
                      .first_query = part.first_query,
                      .first_key = part.first_key};
    if (distances) out.first_distance = distances->first;
    if (!add_value_vectors(distances, out)) return std::nullopt;
    return out;
  }

 private:
  ScoreInputs<T> scores_of_part(const Part& part) const {
    const SegmentsIn segments{
        ids_of(in_.segments.queries, in_.m.size(), part.first_query, part.queries),
        ids_of(in_.segments.keys, in_.n.size(), part.first_key, part.keys)};
    return {p_.q().middleRows(part.first_query, part.queries),
            p_.k().middleRows(part.first_key, part.keys),
            part_of(in_.m, part.first_query, part.queries),
            part_of(in_.n, part.first_key, part.keys),
            in_.head,
            scoring_,
            segments};
  }

  /// How far ahead of a query a key is that it sees, at most.
  Position last_seen(const Part& part, const Distances& distances) const {
    Position last = distances.first;
    for (Index i = 0; i < part.queries; ++i) {
      const VisibleKeys seen = mask_.keys_of(part.first_query + i, in_.k.rows());
      const Index end = std::min(seen.end - part.first_key, part.keys);
      if (end > 0) last = std::max(last, distances.first + part.queries - 1 - i + end - 1);
    }
    return last;
  }

  std::span<const double> factors_of_queries(const Part& part) const {
    if (by_query_.empty()) return {};
    return std::span(by_query_).subspan(static_cast<std::size_t>(part.first_query),
                                        static_cast<std::size_t>(part.queries));
  }

  bool add_value_vectors(const std::optional<Distances>& distances, OnlinePart<T>& out) const {
    out.value_term = doors_.value_term;
    if (!doors_.value_term || !distances) return true;
    std::optional<DistanceVectors<T>> vectors = doors_.value_term->value_vectors(*distances);
    if (!vectors) return true;
    out.value_vectors = std::move(*vectors);
    out.value_term = nullptr;
    const Matrix<T>& rows = out.value_vectors.rows;
    // Of other channels they are refused; and a NaN reaches those alone whose weight it has.
    return !out.value_vectors.given() || (rows.cols() == in_.v.cols() && all_finite<T>(rows));
  }

  const AttentionInputs<T>& in_;
  const SoftmaxDoors<T>& doors_;
  const Mask& mask_;
  const Scoring& scoring_;
  Prepared<T> p_;
  std::vector<double> by_query_{};  ///< of the rule of the logits
};

/// Whether no query of the part sees a key of it.
bool is_hidden(const Mask& mask, const Part& part, Index keys) {
  const KeyRange seen = keys_of_any(mask, part.first_query, part.queries, keys);
  return seen.end <= part.first_key || seen.first >= part.first_key + part.keys;
}

/// Tile by tile, where the logits and the values allow it.
template <class T>
std::optional<AttentionOutput<T>> online_output(const AttentionInputs<T>& in,
                                                const SoftmaxDoors<T>& doors, const Mask& mask,
                                                const Scoring& scoring, int threads) {
  if (mask.added() || rounds_after_products<T>(scoring.rounding)) return std::nullopt;
  if (scoring.weights != WeightRule::softmax) return std::nullopt;
  if (scoring.softcap > 0 || !scoring.sinks.empty()) return std::nullopt;
  // Left to scaled_product, which refuses it.
  if (in.q.cols() != in.k.cols() || in.q.cols() == 0) return std::nullopt;
  OnlineSource<T> source(in, doors, mask, scoring, threads);
  if (!source.finite_values()) return std::nullopt;
  OnlineAttention<T> attention(in.q.rows(), in.k.rows(), in.v.cols(), mask, threads);
  for (const Part& part : parts_of(in.q.rows(), in.k.rows(), doors.score_terms != nullptr)) {
    if (part.first_key > 0 && is_hidden(mask, part, in.k.rows())) continue;
    const std::optional<OnlinePart<T>> made = source.part(part);
    if (!made) return std::nullopt;
    attention.see(*made);
  }
  return std::move(attention).finish();
}

}  // namespace

template <class T>
SoftmaxDoors<T> SoftmaxDoors<T>::of(const Encoding& encoding) {
  return {dynamic_cast<const QkTransform<T>*>(&encoding),
          dynamic_cast<const ScoreTerms<T>*>(&encoding),
          dynamic_cast<const ValueTerm<T>*>(&encoding)};
}

template <class T>
ScoreTerm<T> mask_term(const Mask& mask) {
  return {"mask", mask.added()->template cast<T>()};
}

template <class T>
void masked_softmax(const Mask& mask, AttentionOutput<T>& out, std::optional<double> sink) {
  mask.check_shape(out.logits.rows(), out.logits.cols());
  out.weights.resize(out.logits.rows(), out.logits.cols());
  out.fully_masked_rows = 0;
  out.nan_rows = 0;
  for (Index i = 0; i < out.logits.rows(); ++i)
    if (mask.sees_a_key(i, out.logits.cols())) {
      softmax_row(mask, i, sink, out);
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
AttentionOutput<T> attention_logits(const AttentionInputs<T>& in, const SoftmaxDoors<T>& doors,
                                    const Scoring& scoring) {
  check_queries_and_keys(in);
  const Prepared<T> p(in, doors, scoring.rounding);
  return logits_of<T>({p.q(), p.k(), in.m, in.n, in.head, scoring, in.segments, nullptr, in.x},
                      doors, {});
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
  const Prepared<T> p(in, doors, scoring.rounding, reader.threads);
  const PackedParts<T> packed(p);
  const AttentionInputs<T> others{
      .q = in.q, .k = reader.other_k ? *reader.other_k : in.k, .v = in.v, .m = in.m, .n = in.n};
  std::optional<OtherKeys<T>> other;
  if (reader.other_k) {
    check_inputs(others);
    other.emplace(others, doors, scoring.rounding);
  }
  // 0·NaN is NaN, with which hidden values reach the output.
  const bool cuts = reader.in_sight && packed.finite && !in.x;
  const auto part_at = [&](Index first) {
    const Index count = std::min(reader.rows, in.q.rows() - first);
    const Index keys = cuts ? keys_in_sight(mask, first, count, in.k.rows()) : in.k.rows();
    const auto scores_with = [&](const MatrixIn<T>& k, const PackedKeys<T>& packed_k) {
      return ScoreInputs<T>{p.q().middleRows(first, count),
                            k.topRows(keys),
                            part_of(in.m, first, count),
                            part_of(in.n, 0, keys),
                            in.head,
                            scoring,
                            {ids_of(in.segments.queries, in.m.size(), first, count),
                             ids_of(in.segments.keys, in.n.size(), 0, keys)},
                            &packed_k,
                            in.x};
    };
    const Mask seen = mask.of_queries(first, count, keys);
    AttentionOutput<T> out = attention_of<T>(scores_with(p.k(), packed.k), packed, doors, seen);
    if (other)
      out.other_logits =
          logits_of<T>(scores_with(other->prepared.k(), other->packed), doors, seen).logits;
    return out;
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
  if (auto online = online_output(in, doors, mask, scoring, threads)) return *std::move(online);
  AttentionOutput<T> out;
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

#define ORRERY_INSTANTIATE(T)                                                                      \
  template struct SoftmaxDoors<T>;                                                                 \
  template ScoreTerm<T> mask_term(const Mask&);                                                    \
  template void masked_softmax<T>(const Mask&, AttentionOutput<T>&, std::optional<double>);        \
  template AttentionOutput<T> softmax_attention(const AttentionInputs<T>&, const SoftmaxDoors<T>&, \
                                                const Mask&, const Scoring&);                      \
  template AttentionOutput<T> attention_logits(const AttentionInputs<T>&, const SoftmaxDoors<T>&,  \
                                               const Scoring&);                                    \
  template void attention_by_rows(const AttentionInputs<T>&, const SoftmaxDoors<T>&, const Mask&,  \
                                  const Scoring&, const RowReader<T>&);                            \
  template AttentionOutput<T> attention_output(const AttentionInputs<T>&, const SoftmaxDoors<T>&,  \
                                               const Mask&, const Scoring&, int)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery

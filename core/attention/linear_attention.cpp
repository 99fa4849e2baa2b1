#include "core/attention/linear_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/errors.h"
#include "core/product.h"

namespace orrery {
namespace {

template <class T>
void check_inputs(const AttentionInputs<T>& in) {
  check_positions(in.m, in.q.rows());
  check_positions(in.n, in.k.rows());
  if (in.v.rows() != in.k.rows() || in.q.cols() != in.k.cols())
    throw UsageError(fmt::format("q with {} channels, k of [{}, {}], v with {} rows", in.q.cols(),
                                 in.k.rows(), in.k.cols(), in.v.rows()),
                     "q and k share their channels, k and v their rows",
                     "give arrays of the same head");
}

/// Features above and below the fraction bar.
template <class T>
struct Features {
  Matrix<double> q_above, k_above;
  Matrix<double> q_below, k_below;
};

template <class T>
Features<T> features_of(const AttentionInputs<T>& in, const FeatureMap<T>& map,
                        const QkTransform<T>* rotation, LinearVariant variant) {
  Matrix<T> q = in.q;
  Matrix<T> k = in.k;
  if (rotation && variant == LinearVariant::rotated_before_features) {
    rotation->transform_queries(in.m, q);
    rotation->transform_keys(in.n, k);
  }
  Matrix<T> phi_q = map.of_queries(q);
  Matrix<T> phi_k = map.of_keys(k);
  Features<T> f{{}, {}, phi_q.template cast<double>(), phi_k.template cast<double>()};
  if (rotation && variant != LinearVariant::rotated_before_features) {
    rotation->transform_queries(in.m, phi_q);
    rotation->transform_keys(in.n, phi_k);
  }
  f.q_above = phi_q.template cast<double>();
  f.k_above = phi_k.template cast<double>();
  if (variant == LinearVariant::both_rotated) {
    f.q_below = f.q_above;
    f.k_below = f.k_above;
  }
  return f;
}

std::vector<std::size_t> by_position(PositionsIn positions) {
  std::vector<std::size_t> order(positions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return positions[a] < positions[b]; });
  return order;
}

Matrix<double> in_order(const Matrix<double>& rows, const std::vector<std::size_t>& order) {
  Matrix<double> sorted(rows.rows(), rows.cols());
  for (Index i = 0; i < rows.rows(); ++i)
    sorted.row(i) = rows.row(static_cast<Index>(order[static_cast<std::size_t>(i)]));
  return sorted;
}

Positions in_order(PositionsIn positions, const std::vector<std::size_t>& order) {
  Positions sorted;
  for (const std::size_t i : order) sorted.push_back(positions[i]);
  return sorted;
}

/// The sums of linear attention for queries from the first position to the last, a chunk at a time:
/// keys that all queries of the chunk see enter the running sums, and those that some see are
/// weighed one by one.
class ChunkedSums {
 public:
  /// Everything in the order of positions.
  template <class T>
  ChunkedSums(const Features<T>& f, const AttentionInputs<T>& in, bool causal)
      : queries_(by_position(in.m)),
        keys_(by_position(in.n)),
        m_(in_order(in.m, queries_)),
        n_(in_order(in.n, keys_)),
        q_above_(in_order(f.q_above, queries_)),
        q_below_(in_order(f.q_below, queries_)),
        k_above_(in_order(f.k_above, keys_)),
        k_below_(in_order(f.k_below, keys_)),
        v_(in_order(in.v.template cast<double>(), keys_)),
        causal_(causal),
        above_(Matrix<double>::Zero(k_above_.cols(), v_.cols())),
        above_keys_(Matrix<double>::Zero(1, k_above_.cols())),
        below_(Matrix<double>::Zero(1, k_below_.cols())) {
    // A key that a query does not see is multiplied by 0 in a chunk, and 0·NaN is NaN.
    const bool finite = k_above_.allFinite() && k_below_.allFinite() && v_.allFinite();
    chunk_ = finite || !causal ? Index{64} : Index{1};
  }

  struct Sums {
    Matrix<double> output;      ///< [queries, d_v], before the division
    Matrix<double> numerator;   ///< [queries, 1]
    Matrix<double> normalizer;  ///< [queries, 1]
  };

  /// Of chunks from the first; `use` gets the number of each query as it was given, and its row.
  template <class Use>
  void for_each(const Use& use) {
    const auto count = static_cast<Index>(queries_.size());
    for (Index first = 0; first < count; first += chunk_) {
      const Index rows = std::min(chunk_, count - first);
      const Sums sums = of_chunk(first, rows);
      for (Index i = 0; i < rows; ++i)
        use(static_cast<Index>(queries_[static_cast<std::size_t>(first + i)]), sums, i);
    }
  }

 private:
  /// Keys with n ≤ m, of all queries at once where it is not causal.
  Index keys_up_to(Index query) const {
    if (!causal_) return static_cast<Index>(n_.size());
    return std::upper_bound(n_.begin(), n_.end(), m_[static_cast<std::size_t>(query)]) - n_.begin();
  }

  Sums of_chunk(Index first, Index rows) {
    see(keys_up_to(first));
    const auto above = q_above_.middleRows(first, rows);
    const auto below = q_below_.middleRows(first, rows);
    Sums sums{product<double>(above, above_), product_with_transpose<double>(above, above_keys_),
              product_with_transpose<double>(below, below_)};
    const Index some = keys_up_to(first + rows - 1) - seen_;
    if (some == 0) return sums;
    const auto v = v_.middleRows(seen_, some);
    const Matrix<double> weights =
        visible(first, product_with_transpose<double>(above, k_above_.middleRows(seen_, some)));
    sums.output += product<double>(weights, v);
    sums.numerator += weights.rowwise().sum();
    sums.normalizer +=
        visible(first, product_with_transpose<double>(below, k_below_.middleRows(seen_, some)))
            .rowwise()
            .sum();
    return sums;
  }

  void see(Index end) {
    const Index count = end - seen_;
    if (count == 0) return;
    const auto k = k_above_.middleRows(seen_, count);
    above_ += product<double>(Matrix<double>(k.transpose()), v_.middleRows(seen_, count));
    above_keys_ += k.colwise().sum();
    below_ += k_below_.middleRows(seen_, count).colwise().sum();
    seen_ = end;
  }

  /// Products of a chunk's queries with the keys from seen_ on, 0 where a key is ahead.
  Matrix<double> visible(Index first, Matrix<double> products) const {
    for (Index i = 0; i < products.rows(); ++i)
      for (Index j = keys_up_to(first + i) - seen_; j < products.cols(); ++j) products(i, j) = 0;
    return products;
  }

  std::vector<std::size_t> queries_, keys_;
  Positions m_, n_;
  Matrix<double> q_above_, q_below_, k_above_, k_below_, v_;
  bool causal_;
  Index chunk_{};
  Index seen_{0};
  Matrix<double> above_;       ///< Σ φ(k_n) v_nᵀ of the keys seen, [features, d_v]
  Matrix<double> above_keys_;  ///< Σ φ(k_n) above the bar, [1, features]
  Matrix<double> below_;       ///< and below it
};

}  // namespace

template <class T>
LinearOutput<T> linear_attention(const AttentionInputs<T>& in, const FeatureMap<T>& features,
                                 const QkTransform<T>* rotation, const LinearOptions& options) {
  check_inputs(in);
  const Features<T> f = features_of(in, features, rotation, options.variant);
  const Index queries = in.q.rows();
  LinearOutput<T> out{Matrix<T>::Zero(queries, in.v.cols()), Matrix<T>(queries, 1),
                      Matrix<T>(queries, 1)};
  ChunkedSums(f, in, options.causal)
      .for_each([&](Index query, const ChunkedSums::Sums& sums, Index row) {
        const double normalizer = sums.normalizer(row, 0) + options.epsilon;
        out.normalizers(query, 0) = static_cast<T>(normalizer);
        out.numerators(query, 0) = static_cast<T>(sums.numerator(row, 0));
        if (normalizer == 0)
          ++out.zero_normalizers;
        else
          out.output.row(query) = (sums.output.row(row) / normalizer).template cast<T>();
      });
  return out;
}

template <class T>
Matrix<T> linear_attention_weights(const AttentionInputs<T>& in, const FeatureMap<T>& features,
                                   const QkTransform<T>* rotation, const LinearOptions& options,
                                   const Mask& mask) {
  check_inputs(in);
  mask.check_shape(in.q.rows(), in.k.rows());
  const Features<T> f = features_of(in, features, rotation, options.variant);
  const Mask seen = options.causal ? mask & Mask::causal(in.m, in.n) : mask;
  Matrix<double> above = product_with_transpose<double>(f.q_above, f.k_above);
  Matrix<double> below = product_with_transpose<double>(f.q_below, f.k_below);
  for (Index i = 0; i < above.rows(); ++i)
    for (Index j = 0; j < above.cols(); ++j)
      if (!seen.allows(i, j)) above(i, j) = below(i, j) = 0;
  for (Index i = 0; i < above.rows(); ++i) {
    const double normalizer = below.row(i).sum() + options.epsilon;
    if (normalizer == 0)
      above.row(i).setZero();
    else
      above.row(i) /= normalizer;
  }
  return above.template cast<T>();
}

template LinearOutput<float> linear_attention(const AttentionInputs<float>&,
                                              const FeatureMap<float>&, const QkTransform<float>*,
                                              const LinearOptions&);
template LinearOutput<double> linear_attention(const AttentionInputs<double>&,
                                               const FeatureMap<double>&,
                                               const QkTransform<double>*, const LinearOptions&);
template Matrix<float> linear_attention_weights(const AttentionInputs<float>&,
                                                const FeatureMap<float>&, const QkTransform<float>*,
                                                const LinearOptions&, const Mask&);
template Matrix<double> linear_attention_weights(const AttentionInputs<double>&,
                                                 const FeatureMap<double>&,
                                                 const QkTransform<double>*, const LinearOptions&,
                                                 const Mask&);

}  // namespace orrery

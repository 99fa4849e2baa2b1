#include "core/attention/online_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/attention/tiles.h"
#include "core/kernels/tiles.h"

namespace orrery {
namespace {

/// A block of queries on its way through the keys.
template <class T>
class QueryBlock {
 public:
  QueryBlock(const OnlineInputs<T>& in, const PackedKeys<T>& keys, const PackedValues<T>& values,
             const ValueTerm<T>* value_term, const Mask& mask)
      : in_(in),
        keys_(keys),
        values_(values),
        value_term_(value_term),
        mask_(mask),
        q_(Matrix<T>::Zero(padded_queries(std::min(tile_queries, in.q.rows())), in.q.cols())),
        tile_(Matrix<T>::Zero(q_.rows(), padded_keys<T>(std::min(tile_keys, in.k.rows())))),
        sum_(q_.rows(), values.columns()),
        output_(q_.rows(), values.columns()) {}

  /// Rows first … first + count − 1 of the output.
  void attend(Index first, Index count, OnlineOutput<T>& out) {
    begin(first, count);
    const KeyRange seen = keys_of_any(mask_, first, count, in_.k.rows());
    // From multiples of a block, so that a row's sum does not depend on what other rows see.
    for (Index key = seen.first / tile_keys * tile_keys; key < seen.end; key += tile_keys)
      see(key, std::min(tile_keys, seen.end - key));
    finish(out);
  }

 private:
  void begin(Index first, Index count) {
    first_ = first;
    count_ = count;
    q_.topRows(count) = in_.q.middleRows(first, count) * in_.scale;
    output_.setZero();
    largest_.fill(-std::numeric_limits<T>::infinity());
    weight_.fill(0);
    for (Index i = 0; i < count; ++i)
      seen_[static_cast<std::size_t>(i)] = mask_.keys_of(first + i, in_.k.rows());
  }

  void see(Index key, Index count) {
    keys_.scores(q_, key, count, tile_);
    for (Index i = 0; i < count_; ++i) weigh_row(i, key, count);
    values_.weigh(tile_, key, count, sum_);
    if (value_term_) {
      const auto at = static_cast<std::size_t>(first_), rows = static_cast<std::size_t>(count_);
      const auto from = static_cast<std::size_t>(key), keys = static_cast<std::size_t>(count);
      value_term_->add_to_output({tile_.topLeftCorner(count_, count), in_.v.middleRows(key, count),
                                  in_.m.subspan(at, rows), in_.n.subspan(from, keys)},
                                 sum_.topLeftCorner(count_, in_.v.cols()));
    }
    output_.topRows(count_) += sum_.topRows(count_);
  }

  /// Logits become weights over e^largest; what was summed before is scaled to the same.
  void weigh_row(Index i, Index key, Index count) {
    const auto row = static_cast<std::size_t>(i);
    T* logits = tile_.row(i).data();
    const VisibleKeys& seen = seen_[row];
    const Index first = std::clamp<Index>(seen.first - key, 0, count);
    const Index end = std::clamp<Index>(seen.end - key, first, count);
    std::fill(logits, logits + first, T(0));
    std::fill(logits + end, logits + count, T(0));
    const auto n = static_cast<std::size_t>(end - first);
    if (!in_.distance_bias.empty()) add_bias(i, key + first, std::span<T>(logits + first, n));
    if (!seen.all) mask_.hide<T>(first_ + i, key + first, std::span<T>(logits + first, n));
    const auto& kernels = kernels::tile_kernels<T>();
    const T largest = std::max(largest_[row], kernels.largest(n, logits + first));
    // Nothing but −inf so far, or nothing to see: weights are 0, unless one is NaN.
    if (largest == -std::numeric_limits<T>::infinity()) {
      weight_[row] += kernels.exponentials(n, T(0), logits + first);
      return;
    }
    const T shrink = std::exp(largest_[row] - largest);
    if (shrink != T(1)) output_.row(i) *= shrink;
    weight_[row] = weight_[row] * static_cast<double>(shrink) +
                   kernels.exponentials(n, largest, logits + first);
    largest_[row] = largest;
  }

  void add_bias(Index i, Index key, std::span<T> logits) const {
    const T* bias = in_.distance_bias.data() + in_.q.rows() - 1 - (first_ + i) + key;
    for (std::size_t j = 0; j < logits.size(); ++j) logits[j] += bias[j];
  }

  void finish(OnlineOutput<T>& out) {
    for (Index i = 0; i < count_; ++i) {
      const double weight = weight_[static_cast<std::size_t>(i)];
      auto row = out.output.row(first_ + i);
      if (weight == 0 && !mask_.sees_a_key(first_ + i, in_.k.rows())) {
        ++out.fully_masked_rows;
        row.setZero();
        continue;
      }
      if (!(weight > 0)) ++out.nan_rows;
      // 0·∞ is NaN where every logit is −inf.
      row = output_.row(i).head(in_.v.cols()) * static_cast<T>(1.0 / weight);
    }
  }

  const OnlineInputs<T>& in_;
  const PackedKeys<T>& keys_;
  const PackedValues<T>& values_;
  const ValueTerm<T>* value_term_;
  const Mask& mask_;
  Index first_{};
  Index count_{};
  Matrix<T> q_;       ///< with the scale
  Matrix<T> tile_;    ///< logits, then weights
  Matrix<T> sum_;     ///< of the tile's values
  Matrix<T> output_;  ///< before it is divided by weight_
  std::array<T, tile_queries> largest_{};
  std::array<double, tile_queries> weight_{};
  std::array<VisibleKeys, tile_queries> seen_{};
};

}  // namespace

template <class T>
OnlineOutput<T> online_attention(const OnlineInputs<T>& in, const ValueTerm<T>* value_term,
                                 const Mask& mask) {
  const PackedKeys<T> keys(in.k);
  const PackedValues<T> values(in.v);
  OnlineOutput<T> out;
  out.output.resize(in.q.rows(), in.v.cols());
  QueryBlock<T> block(in, keys, values, value_term, mask);
  for (Index first = 0; first < in.q.rows(); first += tile_queries)
    block.attend(first, std::min(tile_queries, in.q.rows() - first), out);
  return out;
}

template OnlineOutput<float> online_attention(const OnlineInputs<float>&, const ValueTerm<float>*,
                                              const Mask&);
template OnlineOutput<double> online_attention(const OnlineInputs<double>&,
                                               const ValueTerm<double>*, const Mask&);

}  // namespace orrery

#include "core/attention/online_attention.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/attention/distance_tiles.h"
#include "core/attention/tiles.h"
#include "core/kernels/tiles.h"
#include "core/parallel.h"

namespace orrery {
namespace {

/// The largest of any stretch of numbers, in O(1) after O(n log n).
template <class T>
class LargestWithin {
 public:
  explicit LargestWithin(const Matrix<T>& row) {
    if (row.size() == 0) return;
    levels_.emplace_back(row.data(), row.data() + row.size());
    for (std::size_t half = 1; 2 * half <= levels_.front().size(); half *= 2) {
      const std::vector<T>& shorter = levels_.back();
      std::vector<T> longer(shorter.size() - half);
      for (std::size_t i = 0; i < longer.size(); ++i)
        longer[i] = std::max(shorter[i], shorter[i + half]);
      levels_.push_back(std::move(longer));
    }
  }

  /// Of `count` numbers from `first` on, one at least.
  T operator()(std::size_t first, std::size_t count) const {
    const auto level = static_cast<std::size_t>(std::bit_width(count)) - 1;
    return std::max(levels_[level][first],
                    levels_[level][first + count - (std::size_t{1} << level)]);
  }

 private:
  std::vector<std::vector<T>> levels_{};  ///< level l: of 2^l numbers from each on
};

/// |x|, summed in an order of its own: Eigen's depends on where x lies in memory.
template <class T>
T length_of(const T* x, Index channels) {
  constexpr std::size_t sums = 8;
  std::array<T, sums> squares{};
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c)
    squares[c % sums] += x[c] * x[c];
  T sum = 0;
  for (const T& square : squares) sum += square;
  return std::sqrt(sum);
}

/// A bound of a row's products up to which it takes the place of the largest: differences from it
/// are then at most twice as long, and so are the errors of rounding them.
constexpr double near_bound = 16;

/// What all blocks of queries read.
template <class T>
struct Shared {
  Shared(const OnlineInputs<T>& inputs, const Mask& hidden)
      : in(inputs),
        mask(hidden),
        keys(in.factors.k.size() > 0 ? MatrixIn<T>(in.factors.k) : in.k),
        values(in.v),
        largest_bias(in.factors.bias) {
    const LogitFactors<T>& factors = in.factors;
    if (factors.by_key.given()) by_key.emplace(in.k, factors.by_key);
    if (factors.by_key.given() || factors.by_query.given()) return;
    T longest = 0;
    const MatrixIn<T> k = factors.k.size() > 0 ? MatrixIn<T>(factors.k) : in.k;
    for (Index j = 0; j < k.rows(); ++j) {
      const T length = length_of(k.row(j).data(), k.cols());
      if (length > longest) longest = length;  // a NaN makes its logits NaN with any bound
      longest_keys.push_back(longest);
    }
  }

  /// Where the first number of the bias of a query's logits is.
  Index bias_of(Index query) const { return in.factors.q.rows() - 1 - query; }

  /// |q_i·k_j| + c_r ≤ |q_i| max |k_j| + max c_r over the keys that the query sees, if these are
  /// all up to one and the products are near: the largest logit is then at most twice that near.
  /// +inf for no bound.
  T bound(Index query, const VisibleKeys& seen) const {
    constexpr T none = std::numeric_limits<T>::infinity();
    if (longest_keys.empty() || !seen.all || seen.first > 0 || seen.end == 0) return none;
    const auto count = static_cast<std::size_t>(seen.end);
    // Somewhat more, to be above the rounded products.
    const T product = length_of(in.factors.q.row(query).data(), in.factors.q.cols()) *
                      longest_keys[count - 1] * T(1.0001);
    if (!(product <= T(near_bound))) return none;
    if (in.factors.bias.size() == 0) return product;
    const T most = largest_bias(static_cast<std::size_t>(bias_of(query)), count);
    return std::isfinite(most) ? product + most : none;
  }

  const OnlineInputs<T>& in;
  const Mask& mask;
  const PackedKeys<T> keys;
  const PackedValues<T> values;
  const LargestWithin<T> largest_bias;
  std::optional<KeyVectors<T>> by_key{};
  std::vector<T> longest_keys{};  ///< the longest of keys 0 … j, where products alone make logits
};

struct Counts {
  Index fully_masked_rows{0};
  Index nan_rows{0};
};

/// A block of queries on its way through the keys.
template <class T>
class QueryBlock {
 public:
  explicit QueryBlock(const Shared<T>& shared)
      : shared_(shared),
        in_(shared.in),
        q_(zeros(in_.factors.q)),
        q_of_distance_(zeros(in_.factors.q_of_distance)),
        tile_(Matrix<T>::Zero(q_.rows(), padded_keys<T>(std::min(tile_keys, in_.k.rows())))),
        sum_(in_.value_term ? q_.rows() : 0, shared.values.columns()),
        output_(q_.rows(), shared.values.columns()) {
    if (in_.factors.by_query.given()) query_terms_.emplace(in_.factors.by_query);
    if (shared.by_key) key_terms_.emplace(*shared.by_key);
    if (in_.value_vectors.given()) value_terms_.emplace(in_.value_vectors);
  }

  /// Rows first … first + count − 1 of the output.
  Counts attend(Index first, Index count, Matrix<T>& output) {
    begin(first, count);
    const KeyRange seen = any_of(std::span(seen_).first(static_cast<std::size_t>(count)));
    // From multiples of a block, so that a row's sum does not depend on what other rows see.
    for (Index key = seen.first / tile_keys * tile_keys; key < seen.end; key += tile_keys)
      see(key, std::min(tile_keys, seen.end - key));
    return finish(output);
  }

 private:
  static Matrix<T> zeros(const Matrix<T>& q) {
    return Matrix<T>::Zero(padded_queries(std::min(tile_queries, q.rows())), q.cols());
  }

  void begin(Index first, Index count) {
    first_ = first;
    count_ = count;
    q_.topRows(count) = in_.factors.q.middleRows(first, count);
    if (q_of_distance_.size() > 0)
      q_of_distance_.topRows(count) = in_.factors.q_of_distance.middleRows(first, count);
    output_.setZero();
    largest_.fill(-std::numeric_limits<T>::infinity());
    weight_.fill(0);
    for (Index i = 0; i < count; ++i) {
      const auto row = static_cast<std::size_t>(i);
      seen_[row] = shared_.mask.keys_of(first + i, in_.k.rows());
      bound_[row] = shared_.bound(first + i, seen_[row]);
    }
  }

  void see(Index key, Index count) {
    // Of the block's first query to the tile's first key.
    const Position corner = in_.first_distance + in_.factors.q.rows() - 1 - first_ + key;
    shared_.keys.scores(q_, key, count, tile_);
    if (query_terms_)
      query_terms_->see(q_of_distance_.size() > 0 ? q_of_distance_ : q_, corner, count_, count);
    if (key_terms_) key_terms_->see(key, corner, count_, count);
    if (value_terms_) value_terms_->see(corner, count_, count);
    for (Index i = 0; i < count_; ++i) weigh_row(i, key, count);
    if (in_.value_term) return add_value_term(key, count);
    shared_.values.weigh(tile_, key, count, output_, true);
    if (value_terms_) value_terms_->add(output_);
  }

  void add_value_term(Index key, Index count) {
    shared_.values.weigh(tile_, key, count, sum_);
    const auto at = static_cast<std::size_t>(first_), rows = static_cast<std::size_t>(count_);
    const auto from = static_cast<std::size_t>(key), keys = static_cast<std::size_t>(count);
    in_.value_term->add_to_output({tile_.topLeftCorner(count_, count), in_.v.middleRows(key, count),
                                   in_.m.subspan(at, rows), in_.n.subspan(from, keys)},
                                  sum_.topLeftCorner(count_, in_.v.cols()));
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
    if (std::isfinite(bound_[row])) {
      weight_[row] += exponentials(i, first, end, bound_[row], bias(i, key));
      return;
    }
    T most = add_terms(i, key, first, end);
    if (!seen.all) {
      const std::span<T> visible(logits + first, static_cast<std::size_t>(end - first));
      shared_.mask.template hide<T>(first_ + i, key + first, visible);
      most = kernels_.largest(visible.size(), visible.data());
    }
    const T largest = std::max(largest_[row], most);
    // Nothing but −inf so far, or nothing to see: weights are 0, unless one is NaN.
    if (largest == -std::numeric_limits<T>::infinity()) {
      weight_[row] += exponentials(i, first, end, T(0), nullptr);
      return;
    }
    const T shrink = std::exp(largest_[row] - largest);
    if (shrink != T(1)) output_.row(i) *= shrink;
    weight_[row] =
        weight_[row] * static_cast<double>(shrink) + exponentials(i, first, end, largest, nullptr);
    largest_[row] = largest;
  }

  /// Makes logits of products; returns the largest.
  T add_terms(Index i, Index key, Index first, Index end) {
    T* logits = tile_.row(i).data();
    std::array<const T*, 2> rows{};
    std::size_t count = 0;
    if (const T* row = bias(i, key)) rows[count++] = row;
    if (key_terms_) rows[count++] = key_terms_->row(i);
    if (query_terms_) return query_terms_->add(i, first, end, {rows.data(), count}, logits);
    const auto n = static_cast<std::size_t>(end - first);
    if (count == 0) return kernels_.largest(n, logits + first);
    for (std::size_t r = 0; r < count; ++r) rows[r] += first;
    return kernels_.add_rows(n, T(0), rows.data(), count, logits + first);
  }

  /// What is added to the logits of the tile by distance; null for nothing.
  const T* bias(Index i, Index key) const {
    if (in_.factors.bias.size() == 0) return nullptr;
    return in_.factors.bias.data() + shared_.bias_of(first_ + i) + key;
  }

  /// exp(logits + row − shift), and their sum; the row begins at the tile's first key.
  double exponentials(Index i, Index first, Index end, T shift, const T* row) {
    T* logits = tile_.row(i).data();
    const auto n = static_cast<std::size_t>(end - first);
    if (row && !value_terms_)
      return kernels_.exponentials_of_sum(n, shift, row + first, logits + first);
    if (row) kernels_.add_rows(n, T(0), std::array{row + first}.data(), 1, logits + first);
    if (!value_terms_) return kernels_.exponentials(n, shift, logits + first);
    return value_terms_->weigh(i, first, end, shift, logits);
  }

  Counts finish(Matrix<T>& output) {
    Counts counts;
    for (Index i = 0; i < count_; ++i) {
      const double weight = weight_[static_cast<std::size_t>(i)];
      auto row = output.row(first_ + i);
      if (weight == 0 && !shared_.mask.sees_a_key(first_ + i, in_.k.rows())) {
        ++counts.fully_masked_rows;
        row.setZero();
        continue;
      }
      if (!(weight > 0)) ++counts.nan_rows;
      // 0·∞ is NaN where every logit is −inf.
      row = output_.row(i).head(in_.v.cols()) * static_cast<T>(1.0 / weight);
    }
    return counts;
  }

  const Shared<T>& shared_;
  const OnlineInputs<T>& in_;
  const kernels::TileKernels<T>& kernels_ = kernels::tile_kernels<T>();
  Index first_{};
  Index count_{};
  Matrix<T> q_;
  Matrix<T> q_of_distance_;
  Matrix<T> tile_;    ///< logits, then weights
  Matrix<T> sum_;     ///< of the tile's values, for a value_term
  Matrix<T> output_;  ///< before it is divided by weight_
  std::optional<QueryTerms<T>> query_terms_{};
  std::optional<KeyTerms<T>> key_terms_{};
  std::optional<ValueTerms<T>> value_terms_{};
  std::array<T, tile_queries> largest_{};
  std::array<T, tile_queries> bound_{};  ///< of the logits; +inf for none
  std::array<double, tile_queries> weight_{};
  std::array<VisibleKeys, tile_queries> seen_{};
};

/// Handing a block to another thread costs as much as some ten thousand cells.
constexpr double cells_per_thread = 1 << 16;

}  // namespace

template <class T>
OnlineOutput<T> online_attention(const OnlineInputs<T>& in, const Mask& mask, int threads) {
  const Shared<T> shared(in, mask);
  const Index queries = in.factors.q.rows();
  const Index blocks = (queries + tile_queries - 1) / tile_queries;
  std::vector<Counts> counts(static_cast<std::size_t>(blocks));
  OnlineOutput<T> out;
  out.output.resize(queries, in.v.cols());
  const double cells = static_cast<double>(queries) * static_cast<double>(in.k.rows());
  in_parallel(blocks, cells < 2 * cells_per_thread ? 1 : threads, [&] {
    // The last queries first: in a causal map they have the most to do.
    return [&, block = std::make_shared<QueryBlock<T>>(shared)](Index item) {
      const Index at = blocks - 1 - item, first = at * tile_queries;
      counts[static_cast<std::size_t>(at)] =
          block->attend(first, std::min(tile_queries, queries - first), out.output);
    };
  });
  for (const Counts& block : counts) {
    out.fully_masked_rows += block.fully_masked_rows;
    out.nan_rows += block.nan_rows;
  }
  return out;
}

template OnlineOutput<float> online_attention(const OnlineInputs<float>&, const Mask&, int);
template OnlineOutput<double> online_attention(const OnlineInputs<double>&, const Mask&, int);

}  // namespace orrery

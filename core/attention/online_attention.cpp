#include "core/attention/online_attention.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

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
  constexpr std::size_t sums = 16;
  std::array<T, sums> squares{};
  const auto count = static_cast<std::size_t>(channels);
  std::size_t c = 0;
  for (; c + sums <= count; c += sums)
    for (std::size_t s = 0; s < sums; ++s) squares[s] += x[c + s] * x[c + s];
  for (std::size_t s = 0; c + s < count; ++s) squares[s] += x[c + s] * x[c + s];
  for (std::size_t width = sums / 2; width > 0; width /= 2)
    for (std::size_t s = 0; s < width; ++s) squares[s] += squares[s + width];
  return std::sqrt(squares[0]);
}

/// Handing a block to another thread costs as much as some ten thousand cells.
constexpr double cells_per_thread = 1 << 16;

/// A bound of a row's products up to which it takes the place of the largest: differences from it
/// are then at most twice as long, and so are the errors of rounding them.
constexpr double near_bound = 16;

}  // namespace

/// Below it exp is nearer to 0 than to any other number, with room for rounding.
template <class T>
constexpr T no_weight = sizeof(T) == 4 ? T(-106) : T(-750);

/// What all blocks of a part's queries read.
template <class T>
struct SharedPart {
  /// `alone`: the part has all keys.
  SharedPart(const OnlinePart<T>& part, const Mask& hidden, bool alone)
      : in(part),
        mask(hidden),
        keys(in.factors.k.size() > 0 ? MatrixIn<T>(in.factors.k) : in.k),
        values(in.v),
        largest_bias(in.factors.bias),
        skips(in.factors.bias.size() > 0 && !in.factors.bias.hasNaN()) {
    const LogitFactors<T>& factors = in.factors;
    if (factors.by_key.given()) by_key.emplace(in.k, factors.by_key);
    if (factors.by_query.given()) by_query.emplace(factors.by_query.rows);
    if (factors.by_key.given() || factors.by_query.given() || !alone) return;
    T longest = 0;
    const MatrixIn<T> k = factors.k.size() > 0 ? MatrixIn<T>(factors.k) : in.k;
    for (Index j = 0; j < k.rows(); ++j) {
      const T length = length_of(k.row(j).data(), k.cols());
      skips = skips && !std::isnan(length);
      if (length > longest) longest = length;  // a NaN makes its logits NaN with any bound
      longest_keys.push_back(longest);
    }
  }

  /// The index of the first bias of a query's row of logits.
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

  /// Without the first and the last keys whose bias leaves them a weight of exactly 0, where logits
  /// have a bound: its part of products is more than any product, so that biases tell.
  VisibleKeys of_weight(Index query, VisibleKeys seen) const {
    if (!skips) return seen;
    const auto at = static_cast<std::size_t>(bias_of(query));
    const auto count = static_cast<std::size_t>(seen.end);
    const T most = largest_bias(at, count), least = most + no_weight<T>;
    if (std::abs(most) > T(1 << 13)) return seen;  // sums would round by more than the room
    std::size_t before = 0, after = 0;
    for (std::size_t step = std::bit_floor(count); step > 0; step /= 2) {
      if (before + step < count && largest_bias(at + before, step) < least) before += step;
      if (after + step < count && largest_bias(at + count - after - step, step) < least)
        after += step;
    }
    return {static_cast<Index>(before), static_cast<Index>(count - after), seen.all};
  }

  const OnlinePart<T>& in;
  const Mask& mask;
  const PackedKeys<T> keys;
  const PackedValues<T> values;
  const LargestWithin<T> largest_bias;
  bool skips;  ///< keys by their bias: not where a NaN has to reach the output
  std::optional<PackedKeys<T>> by_query{};
  std::optional<KeyVectors<T>> by_key{};
  std::vector<T> longest_keys{};  ///< the longest of keys 0 … j, where products alone make logits
};

/// A block of queries on its way through the keys of a part.
template <class T>
class QueryBlock {
 public:
  QueryBlock(const SharedPart<T>& shared, OnlineAttention<T>& all)
      : shared_(shared),
        all_(all),
        in_(shared.in),
        q_(zeros(in_.factors.q)),
        q_of_distance_(zeros(in_.factors.q_of_distance)),
        // 16 more, so that the rows are not a power of two apart.
        tile_(Matrix<T>::Zero(q_.rows(), padded_keys<T>(std::min(tile_keys, in_.k.rows())) + 16)),
        sum_(in_.value_term ? q_.rows() : 0, shared.values.columns()),
        output_(q_.rows(), shared.values.columns()) {
    if (in_.factors.by_query.given()) query_terms_.emplace(in_.factors.by_query, *shared.by_query);
    if (shared.by_key) key_terms_.emplace(*shared.by_key);
    if (in_.value_vectors.given()) value_terms_.emplace(in_.value_vectors);
  }

  /// Queries first … first + count − 1 of the part.
  void attend(Index first, Index count) {
    begin(first, count);
    const KeyRange seen = any_of(std::span(seen_).first(static_cast<std::size_t>(count)));
    // From multiples of a block, so that a row's sum does not depend on what other rows see.
    for (Index key = seen.first / tile_keys * tile_keys; key < seen.end; key += tile_keys)
      see(key, std::min(tile_keys, seen.end - key));
    keep();
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
    if (in_.first_key > 0) go_on();
    for (Index i = 0; i < count; ++i) {
      const auto row = static_cast<std::size_t>(i);
      seen_[row] = of_part(shared_.mask.keys_of(query(i), all_.keys_));
      bound_[row] = shared_.bound(first + i, seen_[row]);
      if (std::isfinite(bound_[row])) seen_[row] = shared_.of_weight(first + i, seen_[row]);
    }
  }

  /// The block's query i among all.
  Index query(Index i) const { return in_.first_query + first_ + i; }

  VisibleKeys of_part(VisibleKeys seen) const {
    seen.first = std::clamp<Index>(seen.first - in_.first_key, 0, in_.k.rows());
    seen.end = std::clamp<Index>(seen.end - in_.first_key, seen.first, in_.k.rows());
    return seen;
  }

  /// From where the part before has come to.
  void go_on() {
    output_.topLeftCorner(count_, in_.v.cols()) = all_.output_.middleRows(query(0), count_);
    for (Index i = 0; i < count_; ++i) {
      largest_[static_cast<std::size_t>(i)] = all_.largest_[static_cast<std::size_t>(query(i))];
      weight_[static_cast<std::size_t>(i)] = all_.weight_[static_cast<std::size_t>(query(i))];
    }
  }

  void keep() {
    all_.output_.middleRows(query(0), count_) = output_.topLeftCorner(count_, in_.v.cols());
    for (Index i = 0; i < count_; ++i) {
      all_.largest_[static_cast<std::size_t>(query(i))] = largest_[static_cast<std::size_t>(i)];
      all_.weight_[static_cast<std::size_t>(query(i))] = weight_[static_cast<std::size_t>(i)];
    }
  }

  void see(Index key, Index count) {
    // Of the block's first query to the tile's first key.
    const Position corner = in_.first_distance + in_.factors.q.rows() - 1 - first_ + key;
    divide(key, count);
    for (const TilePart& part : parts_) shared_.keys.scores(q_, key, part, tile_);
    if (query_terms_)
      query_terms_->see(q_of_distance_.size() > 0 ? q_of_distance_ : q_, corner,
                        std::span(ends_).first(static_cast<std::size_t>(count_)));
    if (key_terms_) key_terms_->see(key, corner, count_, count);
    if (value_terms_) value_terms_->see(corner, count_, count);
    for (Index i = 0; i < count_; ++i) weigh_row(i, key, count);
    if (in_.value_term) return add_value_term(key, count);
    for (const TilePart& part : parts_) shared_.values.weigh(tile_, key, part, output_, true);
    if (value_terms_) value_terms_->add(output_);
  }

  /// The tile becomes what all its queries see, in whole panels, and what a few rows see beyond it.
  void divide(Index key, Index count) {
    const auto in_tile = [&](Index seen) { return std::clamp<Index>(seen - key, 0, count); };
    Index first = count, whole = count;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count_); ++i) {
      ends_[i] = in_tile(seen_[i].end);
      first = std::min(first, in_tile(seen_[i].first));
      whole = std::min(whole, ends_[i]);
    }
    first -= first % PackedKeys<T>::panel();
    if (whole < count) whole -= whole % PackedKeys<T>::panel();
    whole = std::max(first, whole);
    parts_.clear();
    if (whole > first) parts_.push_back({0, q_.rows(), first, whole - first});
    constexpr auto rows = static_cast<Index>(kernels::tile_rows);
    for (Index row = 0; row < count_ && whole < count; row += rows) {
      const Index end = *std::max_element(&ends_[static_cast<std::size_t>(row)],
                                          &ends_[0] + std::min(row + rows, count_));
      if (end > whole) parts_.push_back({row, rows, whole, end - whole});
    }
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
      shared_.mask.template hide<T>(query(i), in_.first_key + key + first, visible);
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

  const SharedPart<T>& shared_;
  OnlineAttention<T>& all_;
  const OnlinePart<T>& in_;
  const kernels::TileKernels<T>& kernels_ = kernels::tile_kernels<T>();
  Index first_{};
  Index count_{};
  Matrix<T> q_;
  Matrix<T> q_of_distance_;
  Matrix<T> tile_;                          ///< logits, then weights
  std::vector<TilePart> parts_{};           ///< of the tile that are worked on
  std::array<Index, tile_queries> ends_{};  ///< of the keys in it that each query sees
  Matrix<T> sum_;                           ///< of the tile's values, for a value_term
  Matrix<T> output_;                        ///< before it is divided by weight_
  std::optional<QueryTerms<T>> query_terms_{};
  std::optional<KeyTerms<T>> key_terms_{};
  std::optional<ValueTerms<T>> value_terms_{};
  std::array<T, tile_queries> largest_{};
  std::array<T, tile_queries> bound_{};  ///< of the logits; +inf for none
  std::array<double, tile_queries> weight_{};
  std::array<VisibleKeys, tile_queries> seen_{};
};

template <class T>
OnlineAttention<T>::OnlineAttention(Index queries, Index keys, Index channels, const Mask& mask,
                                    int threads)
    : keys_(keys),
      mask_(mask),
      threads_(threads),
      output_(queries, channels),
      largest_(static_cast<std::size_t>(queries)),
      weight_(static_cast<std::size_t>(queries)) {}

template <class T>
void OnlineAttention<T>::see(const OnlinePart<T>& part) {
  const SharedPart<T> shared(part, mask_, part.k.rows() == keys_);
  const Index queries = part.factors.q.rows();
  const Index blocks = (queries + tile_queries - 1) / tile_queries;
  const double cells = static_cast<double>(queries) * static_cast<double>(part.k.rows());
  in_parallel(blocks, cells < 2 * cells_per_thread ? 1 : threads_, [&] {
    // The last queries first: in a causal map they have the most to do.
    return [&, block = std::make_shared<QueryBlock<T>>(shared, *this)](Index item) {
      const Index first = (blocks - 1 - item) * tile_queries;
      block->attend(first, std::min(tile_queries, queries - first));
    };
  });
}

template <class T>
AttentionOutput<T> OnlineAttention<T>::finish() && {
  AttentionOutput<T> out;
  out.output = std::move(output_);
  for (Index i = 0; i < out.output.rows(); ++i) {
    const double weight = weight_[static_cast<std::size_t>(i)];
    if (weight == 0 && !mask_.sees_a_key(i, keys_)) {
      ++out.fully_masked_rows;
      out.output.row(i).setZero();
      continue;
    }
    if (!(weight > 0)) ++out.nan_rows;
    // 0·∞ is NaN where every logit is −inf.
    out.output.row(i) *= static_cast<T>(1.0 / weight);
  }
  return out;
}

template class OnlineAttention<float>;
template class OnlineAttention<double>;

}  // namespace orrery

#include "core/attention/linear_attention.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/attention/tiles.h"
#include "core/kernels/linear.h"
#include "core/kernels/tiles.h"

namespace orrery {
namespace {

constexpr Index causal_keys = 64;  // in a block: its map is formed
// Rows whose features are made at once: they and the sums of as many queries stay in the caches. A
// multiple of kernels::tile_rows and of the rows that RoPE turns from one anchor.
constexpr Index window_rows = 384;
constexpr auto tile_rows = static_cast<Index>(kernels::tile_rows);

std::size_t size(Index n) { return static_cast<std::size_t>(n); }

/// Rows of a matrix by position.
template <class T>
class SortedRows {
 public:
  SortedRows(PositionsIn at, const MatrixIn<T>& rows)
      : rows_(rows), at_(at.begin(), at.end()), order_(at.size()) {
    std::iota(order_.begin(), order_.end(), Index{0});
    sorted_ = std::ranges::is_sorted(at);
    if (sorted_) return;
    std::ranges::stable_sort(order_, [&](Index a, Index b) { return at[size(a)] < at[size(b)]; });
    std::transform(order_.begin(), order_.end(), at_.begin(), [&](Index i) { return at[size(i)]; });
  }

  Index count() const { return rows_.rows(); }
  const Positions& positions() const { return at_; }
  PositionsIn positions(Index first, Index count) const {
    return PositionsIn(at_).subspan(size(first), size(count));
  }
  /// Where a row was given.
  Index given(Index row) const { return order_[size(row)]; }
  /// Valid until the next call.
  MatrixIn<T> rows(Index first, Index count) {
    if (sorted_) return rows_.middleRows(first, count);
    gathered_.resize(count, rows_.cols());
    for (Index i = 0; i < count; ++i) gathered_.row(i) = rows_.row(given(first + i));
    return gathered_;
  }

 private:
  MatrixIn<T> rows_;
  Positions at_;
  std::vector<Index> order_;
  bool sorted_{};
  Matrix<T> gathered_{};
};

/// What a query sees when keys up to its position are visible: their number, of each query.
std::vector<Index> visible_keys(const Positions& queries, const Positions& keys, bool causal) {
  std::vector<Index> visible(queries.size(), static_cast<Index>(keys.size()));
  if (!causal) return visible;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    while (seen < keys.size() && keys[seen] <= queries[i]) ++seen;
    visible[i] = static_cast<Index>(seen);
  }
  return visible;
}

template <class S>
bool all_within(const MatrixIn<S>& x, S lowest, S highest) {
  const auto& kernels = kernels::linear_kernels<S>();
  if (x.outerStride() == x.cols())
    return kernels.lies_within(size(x.size()), x.data(), lowest, highest);
  for (Index i = 0; i < x.rows(); ++i)
    if (!kernels.lies_within(size(x.cols()), x.row(i).data(), lowest, highest)) return false;
  return true;
}

/// Numbers that a product of three, and a sum of such, neither loses nor makes infinite.
template <class S>
struct Range {
  S lowest_feature, lowest_value, highest;
};
constexpr Range<float> range_of(float) { return {0x1p-32F, 0x1p-60F, 0x1p30F}; }
constexpr Range<double> range_of(double) { return {0, 0, 1e100}; }

/// Features of rows in order, made for as many of them at once as stay in the caches.
template <class T, class S>
class FeatureWindow {
 public:
  FeatureWindow(const LinearFeatures<T>& features, FeaturesOf side, PositionsIn at,
                const MatrixIn<T>& rows, bool checked)
      : features_(features), side_(side), sorted_(at, rows), checked_(checked) {}

  const SortedRows<T>& rows() const { return sorted_; }

  /// Rows first … first + count − 1, at most a window; false where one is out of range.
  bool show(Index first, Index count) {
    if (first < first_ || first + count > first_ + made_.below.rows()) {
      first_ = first;
      const Index rows = std::min(window_rows, sorted_.count() - first);
      made_ = feature_rows<T, S>(features_, side_, sorted_.positions(first, rows),
                                 sorted_.rows(first, rows), tile_rows);
      constexpr auto range = range_of(S{});
      if (checked_ && !all_within<S>(made_.below, range.lowest_feature, range.highest))
        return false;
    }
    shown_ = first - first_;
    return true;
  }
  const S* above() const { return made_.above.row(shown_).data(); }  ///< with tile_rows behind it
  const S* below() const { return made_.below.row(shown_).data(); }

 private:
  const LinearFeatures<T>& features_;
  FeaturesOf side_;
  SortedRows<T> sorted_;
  bool checked_;
  FeatureRows<S> made_{};
  Index first_{0};
  Index shown_{0};
};

/// Keys in hand and their values, as wide as the kernels' vectors.
template <class S>
struct KeyBlock {
  Index first{};
  Index count{};
  const S* above{};
  const S* below{};
  const S* values{};
  Index stride{};       ///< of the values
  Matrix<S> widened{};  ///< the values where they are not as wide, or of another type
  Matrix<S> packed{};   ///< above, for products with queries
};

/// Sums over the keys seen.
template <class S>
class KeySums {
 public:
  KeySums(Index features, Index columns)
      : sums_(Matrix<double>::Zero(features, columns)),
        rounded_(Matrix<S>::Zero(features, columns)),
        block_(features, columns),
        above_(size(features)),
        below_(size(features)) {}

  void see(const KeyBlock<S>& block) {
    const auto& kernels = kernels::linear_kernels<S>();
    const Index features = sums_.rows();
    const auto& tiles = kernels::tile_kernels<S>();
    tiles.multiply({.rows = size(features),
                    .inner = size(block.count),
                    .columns = size(sums_.cols()),
                    .a = block.above,
                    .a_stride = 1,
                    .a_step = features,
                    .b = block.values,
                    .b_stride = block.stride,
                    .b_panel = static_cast<std::ptrdiff_t>(tiles.panel),
                    .c = block_.data(),
                    .c_stride = block_.cols()});
    kernels.accumulate(size(block_.size()), block_.data(), sums_.data(), rounded_.data());
    kernels.add_rows(size(block.count), size(features), block.above, features, above_.data());
    kernels.add_rows(size(block.count), size(features), block.below, features, below_.data());
  }

  /// Σ φ(k_n) v_nᵀ.
  const Matrix<S>& values() const { return rounded_; }
  const std::vector<double>& above() const { return above_; }  ///< Σ φ(k_n) above the bar
  const std::vector<double>& below() const { return below_; }  ///< and below it

 private:
  Matrix<double> sums_;
  Matrix<S> rounded_;
  Matrix<S> block_;
  std::vector<double> above_, below_;
};

/// Queries on their way through the sums.
template <class T, class S>
class Attended {
 public:
  Attended(const AttentionInputs<T>& in, const LinearFeatures<T>& features,
           const LinearOptions& options, bool key_by_key)
      : options_(options),
        weighs_(options.causal && !key_by_key),
        block_keys_(key_by_key       ? Index{1}
                    : options.causal ? causal_keys
                                     : window_rows),
        checked_(std::is_same_v<S, float> || weighs_),
        queries_(features, FeaturesOf::queries, in.m, in.q, checked_),
        keys_(features, FeaturesOf::keys, in.n, in.k, checked_),
        values_(in.n, in.v),
        visible_(
            visible_keys(queries_.rows().positions(), keys_.rows().positions(), options.causal)),
        features_(features.map.features(in.k.cols())),
        columns_((in.v.cols() + lanes() - 1) / lanes() * lanes()),
        seen_(features_, columns_),
        sum_(window_rows, columns_),
        out_{Matrix<T>(in.q.rows(), in.v.cols()), Matrix<T>(in.q.rows(), 1),
             Matrix<T>(in.q.rows(), 1)} {}

  std::optional<LinearOutput<T>> run() {
    const Index keys = values_.count();
    if (!attend(0, nullptr)) return std::nullopt;
    for (Index first = 0; first < keys; first += block_.count) {
      if (!begin(first, std::min(block_keys_, keys - first))) return std::nullopt;
      if (weighs_ && !attend(first + block_.count, &block_)) return std::nullopt;
      seen_.see(block_);
      if (!attend(first + block_.count, nullptr)) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  static Index lanes() { return static_cast<Index>(kernels::tile_kernels<S>().lanes); }

  bool begin(Index first, Index count) {
    if (!keys_.show(first, count)) return false;
    block_.first = first;
    block_.count = count;
    block_.above = keys_.above();
    block_.below = keys_.below();
    block_.packed.resize(0, 0);
    const MatrixIn<T> values = values_.rows(first, count);
    if constexpr (std::is_same_v<S, T>) {
      if (columns_ == values.cols()) return take(values);
    }
    block_.widened.setZero(count, columns_);
    block_.widened.leftCols(values.cols()) = values.template cast<S>();
    return take(block_.widened);
  }

  bool take(const MatrixIn<S>& values) {
    block_.values = values.data();
    block_.stride = values.outerStride();
    constexpr auto range = range_of(S{});
    return !checked_ || all_within<S>(values, range.lowest_value, range.highest);
  }

  /// Queries from the next on that see no more than so many keys; false where one is out of range.
  bool attend(Index keys, KeyBlock<S>* block) {
    Index end = next_;
    while (end < static_cast<Index>(visible_.size()) && visible_[size(end)] <= keys) ++end;
    for (; next_ < end; next_ += count_) {
      count_ = std::min(window_rows, end - next_);
      if (!queries_.show(next_, count_)) return false;
      multiply(query_product(seen_.values().data(), columns_, sum_.data(), columns_));
      if (block) weigh(*block);
      finish(dots(queries_.above(), block, block ? block->above : nullptr, seen_.above()),
             dots(queries_.below(), block, block ? block->below : nullptr, seen_.below()));
    }
    return true;
  }

  /// Of the queries in hand, above the bar.
  kernels::TileProduct<S> query_product(const S* b, Index b_stride, S* c, Index columns) const {
    return {.rows = size(padded_queries(count_)),
            .inner = size(features_),
            .columns = size(columns),
            .a = queries_.above(),
            .a_stride = features_,
            .b = b,
            .b_stride = b_stride,
            .b_panel = panel(),
            .c = c,
            .c_stride = columns};
  }

  static Index panel() { return static_cast<Index>(kernels::tile_kernels<S>().panel); }
  static void multiply(const kernels::TileProduct<S>& product) {
    kernels::tile_kernels<S>().multiply(product);
  }

  Index visible_of(Index query, const KeyBlock<S>& block) const {
    return visible_[size(next_ + query)] - block.first;
  }

  /// The sums gain the keys of the block that each query sees.
  void weigh(KeyBlock<S>& block) {
    const Index columns = padded_keys<S>(block.count);
    if (block.packed.size() == 0) {
      block.packed.resize(columns / panel() * features_, panel());
      kernels::tile_kernels<S>().pack_transpose(size(block.count), size(features_), block.above,
                                                features_, block.packed.data());
    }
    weights_.resize(padded_queries(count_), columns);
    for (Index i = 0; i < count_; i += 2 * tile_rows) weigh_rows(i, block);
  }

  /// Two tiles of queries from i on, up to the last key that one of them sees.
  void weigh_rows(Index i, const KeyBlock<S>& block) {
    const Index end = std::min(i + 2 * tile_rows, count_);
    const Index seen = visible_of(end - 1, block);
    kernels::TileProduct<S> product =
        query_product(block.packed.data(), panel(), weights_.row(i).data(), weights_.cols());
    product.rows = size(padded_queries(end - i));
    product.columns = size((seen + lanes() - 1) / lanes() * lanes());
    product.a += i * features_;
    product.b_panel = panel() * features_;
    multiply(product);
    for (Index row = i; row < end; ++row)
      std::fill(weights_.row(row).data() + visible_of(row, block), weights_.row(row).data() + seen,
                S(0));
    multiply({.rows = product.rows,
              .inner = size(seen),
              .columns = size(columns_),
              .a = weights_.row(i).data(),
              .a_stride = weights_.cols(),
              .b = block.values,
              .b_stride = block.stride,
              .b_panel = panel(),
              .c = sum_.row(i).data(),
              .c_stride = columns_,
              .add = true});
  }

  /// Of each query in hand with the sum of the keys that it sees: `seen`, and those of a block.
  std::vector<double> dots(const S* q, const KeyBlock<S>* block, const S* k,
                           std::vector<double> seen) const {
    std::vector<double> result(size(count_));
    kernels::linear_kernels<S>().running_dots({.queries = size(count_),
                                               .features = size(features_),
                                               .q = q,
                                               .k = k,
                                               .visible = block ? &visible_[size(next_)] : nullptr,
                                               .before = block ? block->first : 0,
                                               .sums = seen.data(),
                                               .y = result.data()});
    return result;
  }

  void finish(const std::vector<double>& above, const std::vector<double>& below) {
    for (Index i = 0; i < count_; ++i) {
      const Index query = queries_.rows().given(next_ + i);
      const double normalizer = below[size(i)] + options_.epsilon;
      out_.normalizers(query, 0) = static_cast<T>(normalizer);
      out_.numerators(query, 0) = static_cast<T>(above[size(i)]);
      if (normalizer == 0) {
        ++out_.zero_normalizers;
        out_.output.row(query).setZero();
      } else {
        divide(i, normalizer, out_.output.row(query).data());
      }
    }
  }

  void divide(Index row, double normalizer, T* output) const {
    const S* sums = sum_.row(row).data();
    if constexpr (std::is_same_v<S, T>)
      kernels::linear_kernels<S>().divide(size(out_.output.cols()), sums, normalizer, output);
    else
      for (Index j = 0; j < out_.output.cols(); ++j)
        output[j] = static_cast<T>(sums[j] / normalizer);
  }

  const LinearOptions& options_;
  bool weighs_;  ///< the keys of a block
  Index block_keys_;
  bool checked_;  ///< that numbers are in range
  FeatureWindow<T, S> queries_, keys_;
  SortedRows<T> values_;
  std::vector<Index> visible_;  ///< how many keys each query sees
  Index features_;
  Index columns_;  ///< of values, whole vectors
  KeySums<S> seen_;
  KeyBlock<S> block_{};
  Index next_{0};        ///< the first query that is not done
  Index count_{0};       ///< queries in hand
  Matrix<S> sum_;        ///< of values, of the queries in hand
  Matrix<S> weights_{};  ///< theirs, of the keys of a block
  LinearOutput<T> out_;
};

}  // namespace

template <class T, class S>
std::optional<LinearOutput<T>> linear_attention_in(const AttentionInputs<T>& in,
                                                   const LinearFeatures<T>& features,
                                                   const LinearOptions& options, bool key_by_key) {
  return Attended<T, S>(in, features, options, key_by_key).run();
}

#define ORRERY_INSTANTIATE(T, S)                                     \
  template std::optional<LinearOutput<T>> linear_attention_in<T, S>( \
      const AttentionInputs<T>&, const LinearFeatures<T>&, const LinearOptions&, bool)

ORRERY_INSTANTIATE(float, float);
ORRERY_INSTANTIATE(float, double);
ORRERY_INSTANTIATE(double, double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery

#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/types.h"

namespace orrery {

/// The keys that a query sees: none outside of first … end − 1, and of those all where `all` says
/// so.
struct VisibleKeys {
  Index first{};
  Index end{};
  bool all{};
};

/// Which keys each query may see, [N_q, N_k], and numbers to add to the logits of those. By default
/// every query sees every key and nothing is added. Masks by position or padding are stored as
/// positions and flags, O(N_q + N_k); only a mask given as a matrix is stored as one.
class Mask {
 public:
  using Matrix = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Mask() = default;
  /// allowed(i, j) non-zero where query i sees key j.
  explicit Mask(Matrix allowed)
      : queries_(allowed.rows()), keys_(allowed.cols()), allowed_(std::move(allowed)) {}

  /// Keys at or behind the query: n ≤ m. By position, so offsets and cached keys are right. Throws
  /// UsageError for a position beyond ±2^53.
  static Mask causal(PositionsIn m, PositionsIn n);
  /// Keys nearer than `width` on either side: |m − n| < width. Throws UsageError for width < 1
  /// and for a position beyond ±2^53.
  static Mask sliding_window(PositionsIn m, PositionsIn n, Position width);
  /// Keys that are not padding: one flag per key, for every query.
  static Mask padding(Index queries, const std::vector<bool>& key_is_real);

  /// A mask as PyTorch and Transformers add it to the logits: values [N_q, N_k] that hide(), and
  /// others, 0 among them, that are added. Where it hides it adds nothing.
  static Mask additive(orrery::Matrix<double> values);
  /// Whether a value of an additive mask hides its key: −inf, the lowest number of fp16 (−65504),
  /// and the lowest of bf16 (−3.39e38) and every number below it, such as the lowest of fp32 and
  /// of fp64. Weights are then exactly 0, also in a row without any key to see, where a softmax
  /// over such sums would weigh all keys alike.
  static bool hides(double value);

  bool allows(Index query, Index key) const;
  /// Bounds of the keys that a query sees, among `keys` keys, found without a look at each.
  VisibleKeys keys_of(Index query, Index keys) const;
  /// Sets logits[j] to −inf where key first + j is not seen.
  template <class T>
  void hide(Index query, Index first, std::span<T> logits) const;
  bool sees_a_key(Index query, Index keys) const;
  /// Whether it is as if there were no mask: everything is seen and nothing added.
  bool allows_everything() const { return keys_ < 0; }
  /// The values added to the logits, [N_q, N_k], 0 where a key is hidden; null for none.
  const orrery::Matrix<double>* added() const { return added_.size() > 0 ? &added_ : nullptr; }
  /// The mask of `count` queries from `first` on, over all keys.
  Mask of_queries(Index first, Index count) const;
  /// The same over the first `keys` keys alone.
  Mask of_queries(Index first, Index count, Index keys) const;
  /// Throws UsageError when a mask of another shape meets a score matrix of this one.
  void check_shape(Index queries, Index keys) const;

  /// Allows what both masks allow, and adds the sum of what both add. Throws UsageError when the
  /// shapes differ.
  friend Mask operator&(const Mask& a, const Mask& b);

 private:
  /// A query at m sees the keys from m − behind to m + ahead.
  struct Window {
    Positions m;
    Positions n;
    Position behind;
    Position ahead;
    bool ascending;  ///< whether n is

    bool allows(Index query, Index key) const {
      const Position r =
          relative_position(m[static_cast<std::size_t>(query)], n[static_cast<std::size_t>(key)]);
      return -ahead <= r && r <= behind;
    }
    VisibleKeys keys_of(Index query) const;
    /// How many keys of ascending n are at `last` or before it.
    Index keys_up_to(Position last) const;
  };

  static Mask of_window(PositionsIn m, PositionsIn n, Position behind, Position ahead);

  Index queries_{-1};  ///< −1 where it allows everything, whatever the shape
  Index keys_{-1};
  std::vector<Window> windows_{};
  std::vector<bool> real_{};  ///< by key; empty for all
  Matrix allowed_{};          ///< empty for all
  orrery::Matrix<double> added_{};
};

}  // namespace orrery

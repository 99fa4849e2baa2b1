#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <queue>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/tokenizers/model.h"

namespace orrery {

/// What two neighbours become, and how soon: the smallest rank comes first.
struct Merge {
  double rank{};
  std::int32_t id{};
};

/// A link of the chain of tokens that merges shorten. A token that was merged into its left neighbour
/// has length 0.
struct Link {
  std::int32_t id{};
  std::size_t begin{}, length{};     ///< bytes of the piece
  std::ptrdiff_t before{}, after{};  ///< neighbours, -1 for none
};

/// Parts a long piece where no merge reaches across, so that chains stay short: between two characters
/// that have tokens of their own and stand side by side in none.
class PieceParts {
 public:
  /// @param vocabulary  outlives it; it is looked through at the first long piece
  /// @param is_matched  [slots] whether a text may become the token; empty: all
  explicit PieceParts(const Vocabulary& vocabulary, std::vector<bool> is_matched = {})
      : vocabulary_(vocabulary), is_matched_(std::move(is_matched)) {}

  /// Calls add(part) for the parts of a piece, in order.
  template <class Add>
  void each(std::string_view piece, const Add& add) const {
    for (std::size_t from = 0; from < piece.size();) {
      const std::size_t end = end_of_part(piece, from);
      add(piece.substr(from, end - from));
      from = end;
    }
  }

 private:
  std::size_t end_of_part(std::string_view piece, std::size_t from) const;
  bool is_token(char32_t character) const;
  const std::vector<bool>& side_by_side() const;

  const Vocabulary& vocabulary_;
  std::vector<bool> is_matched_;
  mutable std::once_flag looked_through_{};
  /// By a hash of two characters; a collision only loses a cut.
  mutable std::vector<bool> side_by_side_{};
};

/// The chain of tokens that stand for a piece from its first byte on.
std::vector<Link> chain_of(const std::vector<Subword>& tokens);

/// Merges neighbours until no two can be: that of the smallest rank first, of equal ones the leftmost.
/// @param merge_of  (const Link& left, const Link& right) → std::optional<Merge>
/// Cost: n log n.
template <class MergeOf>
void merge_neighbours(std::vector<Link>& chain, const MergeOf& merge_of) {
  struct Candidate {
    double rank;
    std::ptrdiff_t left;
    std::int32_t id;
    bool operator<(const Candidate& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  std::priority_queue<Candidate> queue;
  const auto at = [&](std::ptrdiff_t i) -> Link& { return chain[static_cast<std::size_t>(i)]; };
  const auto consider = [&](std::ptrdiff_t left, std::ptrdiff_t right) {
    if (left < 0 || right < 0) return;
    if (const std::optional<Merge> merge = merge_of(at(left), at(right)))
      queue.push({merge->rank, left, merge->id});
  };
  for (std::size_t i = 1; i < chain.size(); ++i)
    consider(static_cast<std::ptrdiff_t>(i) - 1, static_cast<std::ptrdiff_t>(i));
  while (!queue.empty()) {
    const Candidate best = queue.top();
    queue.pop();
    Link& left = at(best.left);
    if (left.length == 0 || left.after < 0) continue;
    Link& right = at(left.after);
    // A candidate is out of date when its tokens have been merged with others since.
    const std::optional<Merge> merge = merge_of(left, right);
    if (!merge || merge->id != best.id) continue;
    left.id = best.id;
    left.length += right.length;
    right.length = 0;
    left.after = right.after;
    if (left.after >= 0) at(left.after).before = best.left;
    consider(left.before, best.left);
    consider(best.left, left.after);
  }
}

}  // namespace orrery

#pragma once

#include <span>
#include <vector>

#include "core/attention/mask.h"
#include "core/random.h"
#include "core/types.h"

namespace orrery {

/// A key to change contents with, for each of n keys: pairs drawn at random. Of an odd number one
/// key is its own partner.
std::vector<Index> random_partners(Random& random, Index n);

/// Whether a head's logits go with the places of keys or with their contents, asked of the head
/// itself: keys a and b change contents, what each reads of its token, but not places.
///   d = l_ia − l_ib before, d' after, for every query i that sees both
///   share of places = Σ (d + d')²/(Σ (d + d')² + Σ (d − d')²)
///
/// A head of places has d' = d and the share 1, one of contents d' = −d and the share 0. Where a
/// logit is a number of the place and one of the content, l_ij = p_ij + c_ij, (d + d')/2 is the
/// difference of p and (d − d')/2 that of c. Only differences count, as for the softmax.
/// Contents are those of the layer: what a key's token has read before, its place included where an
/// earlier layer has written it into the residual stream.
///
/// The invariance and equivariance of logits under permutations of keys are those of Urrutia et al.
/// 2025, arXiv 2511.11579; this score is ours, not that paper's.
///
/// Accuracy: differences in T, sums in fp64. NaN where logits differ by no more than rounding.
/// Cost: O(N²) of a text.
template <class T>
class SwapScoreSums {
 public:
  /// @param partners  as random_partners makes them. [N]
  /// @param mask      must outlive the rows
  void begin(std::span<const Index> partners, const Mask& mask);
  /// @param logits, moved  of the queries from `first` on, before and after. [queries, keys], which
  ///                       may end behind the last key that one of them sees
  void add_rows(Index first, const MatrixIn<T>& logits, const MatrixIn<T>& moved);

  /// Adds what another one has summed up over other texts.
  void add(const SwapScoreSums& other);

  double place_share() const;
  /// The same of pairs without the first token, which sinks prefer by its content.
  double place_share_without_first() const;

 private:
  struct Sums {
    double places{0}, contents{0}, squares{0};
    void add(const Sums& other);
    double share() const;
  };

  struct Pair {
    Index a{}, b{};  ///< a < b
  };

  std::vector<Pair> pairs_{};  ///< by b
  const Mask* mask_{nullptr};
  Sums with_first_{}, others_{};  ///< of pairs with the first key, and of all others
};

}  // namespace orrery

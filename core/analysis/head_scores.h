#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/attention/mask.h"
#include "core/attention/tiles.h"
#include "core/random.h"
#include "core/types.h"

namespace orrery {

// Scores of an attention head: what its weights A [N, N] and logits l [N, N] say of where it looks.
// Queries i and keys j are numbers of tokens that follow each other, r = i − j. Every score is a
// mean over the queries that have it, of all texts together.
//
// A head that has nothing to say gives its weight to the first token. Each score of weights comes
// twice: of A, and of A without its first column, A'_ij = A_ij/(1 − A_i0) for j ≥ 1.

/// Where the same token stands before each token of a text.
struct EarlierTokens {
  std::vector<Index> last{};  ///< max {j < i: t_j = t_i}, −1 without one. [N]

  explicit EarlierTokens(std::span<const std::int32_t> tokens);
  /// The key whose weight is the induction of query i: last[i] + 1, the token that came after it;
  /// −1 where there is none before i.
  Index induction_key(Index i) const;
};

/// Queries that `first` is the mean of begin here: before, few keys share the weight.
inline constexpr Index first_scored_query = 16;

/// What the weights of a head are, on average. NaN where no query has the score.
struct WeightScores {
  double previous{};   ///< A_{i,i−1}: 1 for a head that copies the token before
  double next{};       ///< A_{i,i+1}: 0 for causal heads
  double self{};       ///< A_{i,i}, i ≥ 1
  double duplicate{};  ///< Σ_{j<i, t_j = t_i} A_ij over queries with such a j
  double induction{};  ///< A_{i,j+1}, j the last with t_j = t_i, j + 1 < i: Olsson et al. 2022
  double entropy{};    ///< −Σ_j A_ij ln A_ij/ln n_i, n_i ≥ 2 keys in sight: 1 for all alike
  double mean_distance{};         ///< Σ_j A_ij |i − j|, tokens
  Position strongest_distance{};  ///< r ≥ 1 of the largest `by_distance`
  std::vector<double> by_distance{};  ///< A_{i,i−r}, r = 0 … N/2 − 1, over queries i ≥ N/2, all of
                                      ///< which have such keys, so that no r has easier queries
};

/// The scores of a head over one or several texts.
struct HeadScores {
  double first{};                ///< A_i0 over i ≥ first_scored_query: 1 for a sink
  WeightScores weights{};        ///< of A
  WeightScores without_first{};  ///< of A'; queries with A_i0 > 1 − 1e-6 have none
  /// Share of the variance of the logits in sight that their means by r explain.
  ///   R² = Σ_r n_r (l̄_r − l̄)²/Σ_ij (l_ij − l̄)²
  /// 1 for a head that looks at distances alone, 0 for one whose means by r are equal. NaN where
  /// logits do not vary.
  double distance_r2{};
  double distance_r2_without_first{};  ///< the same of the logits of keys j ≥ 1
  std::int64_t queries{};              ///< i ≥ 1
  std::int64_t induction_queries{};    ///< those that have an induction key
  std::int64_t duplicate_queries{};

  /// Whether the first token has most of the weight, so that scores of A say little else.
  bool sink_dominates() const { return first > 0.5; }
};

/// Adds the scores of a head up over texts, some rows of its maps at a time, without the keys behind
/// the last that one of the rows' queries sees, or with them.
///
/// Accuracy: sums over the keys of a query in T, over queries and distances in fp64. A NaN in a map
/// makes every score that reads it NaN.
/// Cost: O(N²) of a text; memory O(N) of the longest.
template <class T>
class HeadScoreSums {
 public:
  /// The tokens that the rows to come belong to. They and the mask must outlive the rows.
  void begin(const EarlierTokens& tokens, const Mask& mask);
  /// Rows of A from query `first` on. [queries, keys]
  void add_weights(Index first, const MatrixIn<T>& rows);
  /// Rows of l; those that the mask hides are not read. [queries, keys]
  void add_logits(Index first, const MatrixIn<T>& rows);

  /// Adds what another one has summed up over other texts.
  void add(const HeadScoreSums& other);

  HeadScores scores() const;

 private:
  /// A sum of numbers, and of how many.
  struct Mean {
    double sum{0};
    std::int64_t count{0};
    void add(double value) {
      sum += value;
      ++count;
    }
    void add(const Mean& other) {
      sum += other.sum;
      count += other.count;
    }
    double value() const;
  };
  struct Sums {
    Mean previous{}, next{}, self{}, duplicate{}, induction{}, entropy{}, distance{};
    std::vector<double> by_distance{};  ///< Σ A_{i,i−r} of the text's second half
    std::vector<double> queries{};      ///< of each r
    void add(const Sums& other);
  };
  /// Logits by distance, of some keys.
  struct LogitSums {
    std::vector<double> sum{}, count{};  ///< by j − i + N − 1, N of the longest text
    double squares{0};
    void add(const LogitSums& other);
  };
  /// A query's weights and what all scores of it read.
  struct Query {
    Index i{};
    Eigen::Map<const Eigen::Array<T, 1, Eigen::Dynamic>> weights;  ///< of the first keys
    double first{};                                                ///< A_i0
    double entropy{};                                              ///< −Σ_j A_ij ln A_ij
    double distance{};                                             ///< Σ_j A_ij |i − j|
    Index seen{};                                                  ///< keys in sight
    bool sees_first{};
  };

  Query query_of(Index i, const T* row, Index keys) const;
  Index length() const { return static_cast<Index>(tokens_->last.size()); }
  void add_query(const Query& query, bool without_first, Sums& sums);
  static WeightScores scores_of(const Sums& sums);
  static double r2(const LogitSums& a, const LogitSums* b);
  void grow(LogitSums& sums) const;

  const EarlierTokens* tokens_{nullptr};
  const Mask* mask_{nullptr};
  Mean first_{};
  Sums all_{}, without_first_{};
  LogitSums first_column_{}, other_columns_{};
  std::vector<T> distances_{};  ///< |i − j| by j − i + N − 1
  Index longest_{0};            ///< N of the longest text
};

/// How much of what varies in the logits in sight the products of single channels explain.
///   l_ij = s Σ_c q_ic k_jc + rest,   share_c = cov(s q_c k_c, l)/var(l)
/// The shares and that of the rest add up to 1; one may be negative.
///
/// For RoPE, q and k come turned, and the two channels of a pair are added up: the share of a
/// frequency. `rest` has what no product explains: a bias, a softcap, a rule by position.
/// Accuracy: products in T, sums over queries in fp64.
/// Cost: 2 N² d operations per text: Σ_ij l_ij q_ic k_jc = Σ_i q_ic (l k_c)_i.
template <class T>
class ChannelShareSums {
 public:
  /// @param k     [N, d] of the text that the rows to come belong to; it must outlive them
  /// @param scale s
  void begin(const MatrixIn<T>& k, double scale, const Mask& mask);
  /// @param q, logits  of the queries from `first` on: [queries, d], [queries, keys], which may end
  ///                   behind the last key that one of them sees
  void add(Index first, const MatrixIn<T>& q, const MatrixIn<T>& logits);

  /// Adds what another one has summed up over other texts.
  void add(const ChannelShareSums& other);

  /// share_c. [d]; NaN where logits do not vary.
  std::vector<double> by_channel() const;
  /// Those of pairs of channels, in their order.
  std::vector<double> by_pair(std::span<const std::pair<Index, Index>> channels) const;

 private:
  std::shared_ptr<const PackedValues<T>> k_{};  ///< [N, d]
  Matrix<T> k_sums_{};                          ///< [N + 1, d], Σ_{j<n} k_j
  double scale_{1};
  const Mask* mask_{nullptr};
  std::vector<double> with_logits_{}, alone_{};  ///< Σ s q_c k_c l, Σ s q_c k_c
  double sum_{0}, squares_{0}, count_{0};        ///< of l
};

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

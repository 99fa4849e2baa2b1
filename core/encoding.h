#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/door.h"
#include "core/logit_rule.h"
#include "core/precision.h"
#include "core/types.h"

namespace orrery {

// Position enters attention by four doors: InputTerm, QkTransform, ScoreTerms, ValueTerm. An
// encoding is one class that inherits Encoding and exactly the doors it uses, and TableIndex where
// it looks a table up. It is nothing else: what a kernel or an experiment wants to know of an
// encoding is asked through this header. T is float or double. N_q queries at positions m, N_k keys
// at positions n, d channels per head.

/// Properties of an encoding with its settings.
struct EncodingTraits {
  /// Whether a common shift of all positions leaves the logits as they are, for every content.
  bool relative;
  /// The same of the weights, which a number added to a whole row of logits does not change.
  bool relative_weights{relative};
  /// The first position from which on logits are functions of m − n, where that is not everywhere.
  std::optional<Position> relative_from{};
  /// The last query up to which logits are functions of m − n, where that is not everywhere.
  std::optional<Position> relative_up_to{};
  /// The last position at which the encoding is defined: a trained table ends, a formula does not.
  Position last_position{max_position};
  /// Whether it has a term for the segments of tokens, as XLNet does.
  bool reads_segments{false};
  /// Whether logits depend on tokens beside the query and the key: on gates of the keys between
  /// them, read from their contents. A logit is then no function of q, k and m − n, though a common
  /// shift of all positions leaves it. A mask hides keys from the softmax, not their gates.
  bool reads_other_keys{false};

  /// Whether the weights of queries up to `last` are functions of m − n.
  bool relative_weights_up_to(Position last) const {
    return relative_weights || (relative_up_to && last <= *relative_up_to);
  }
};

/// Pairs of channels that turn with position, pair t by m·theta_t.
struct TurningPairs {
  std::vector<double> theta{};          ///< rad per token, the fastest first
  std::vector<double> rounded_theta{};  ///< theta in the format of Stage::inv_freq, as it is used
  std::vector<bool> muted{};            ///< pairs that are left out of the logits; empty for none
  /// The two channels of each pair where a QkTransform rotates channels; empty where it rotates
  /// other planes, or where the pairs are added to the input.
  std::vector<std::pair<Index, Index>> channels{};
  double gain{1.0};  ///< multiplies cos and sin, of queries and of keys

  bool is_muted(std::size_t t) const { return !muted.empty() && muted[t]; }
};

/// The interface of every encoding.
class Encoding {
 public:
  virtual ~Encoding() = default;
  virtual EncodingTraits traits() const = 0;
  /// Empty for an encoding without such pairs, or whose pairs turn by several positions of a token.
  virtual TurningPairs turning_pairs() const { return {}; }
  /// By how much the bias of each head falls per token of distance; empty where it is no line.
  virtual std::vector<double> slopes() const { return {}; }
  /// Unit vectors x over which the mean of a logit of x with x, and of −x with −x, changes with
  /// distance as the mean over all directions does (mean_logits.h). [directions, d], or empty for
  /// (1, …, 1)/√d, which has that mean wherever logits are products of channels pair by pair.
  virtual Matrix<double> mean_directions(Index /*d*/) const { return {}; }
};

/// Tables by name; vectors are matrices of one row.
using Tables = std::map<std::string, Matrix<double>, std::less<>>;

// Each door has its derivative beside it: given ∂loss by what the door has made, ∂loss by what it
// read, and by the tables that the encoding was made of, under the names of EncodingInfo::tables.
// Roundings count as if they were none. Tables that are not there yet are made; what is there is
// added to.

/// Door 1: adds a vector to x before the projections. Eq. (3): f_t(x_i, i) = W_t (x_i + p_i).
template <class T>
class InputTerm {
 public:
  /// x [N, d_model] becomes x + p, row by row at its position.
  virtual void add_to_input(PositionsIn positions, MatrixOut<T> x) const = 0;
  /// @param d_x  ∂loss by x + p, which is that by x as well. [N, d_model]
  virtual void add_input_gradients(PositionsIn positions, const MatrixIn<T>& d_x,
                                   Tables& d_tables) const = 0;

 protected:
  ~InputTerm() = default;
};

/// Door 2: transforms q_m and k_n, each by its own position. Eq. (14): f(x_m, m) = R_m W x_m. Both
/// may be asked for at the same time, on two threads.
template <class T>
class QkTransform {
 public:
  virtual void transform_queries(PositionsIn m, MatrixOut<T> q) const = 0;  ///< q [N_q, d] in place
  virtual void transform_keys(PositionsIn n, MatrixOut<T> k) const = 0;     ///< k [N_k, d] in place
  /// @param q    [N_q, d] before the transform
  /// @param d_q  ∂loss by the transformed q; becomes that by q. [N_q, d]
  virtual void pull_queries_back(PositionsIn m, const MatrixIn<T>& q, MatrixOut<T> d_q,
                                 Tables& d_tables) const = 0;
  virtual void pull_keys_back(PositionsIn n, const MatrixIn<T>& k, MatrixOut<T> d_k,
                              Tables& d_tables) const = 0;

 protected:
  ~QkTransform() = default;
};

/// One summand of the logits, by the name it has in the literature.
template <class T>
struct ScoreTerm {
  std::string_view name;  ///< "content", "linear_bias", "content_to_position", …
  Matrix<T> logits;       ///< [N_q, N_k], with the scale of the encoding's own paper applied
};

/// How products of queries and keys become terms of the logits.
struct Scoring {
  StageRounding rounding{};       ///< where the computation rounds, and to what
  std::optional<double> scale{};  ///< in place of the scale of the encoding's own paper
  LogitRule rule{};               ///< multiplies all terms of a query, but no mask's; attention's
                                  ///< business, not the encoding's
  double softcap{0};  ///< c: the sum l of the terms becomes the logit c·tanh(l/c), before the mask;
                      ///< 0 for none. Source: Gemma 2 (2024) §2
  /// A logit per head that takes its share of the weights and has no value, so that a row of weights
  /// sums to less than 1. [heads], or empty. Source: Xiao et al. 2024 §3.3; GPT-OSS (2025)
  std::span<const double> sinks{};
  WeightRule weights{WeightRule::softmax};
};

/// The segment of each token (the token_type_ids of two sentences, say): one id per row, or both
/// empty for no segments.
struct SegmentsIn {
  std::span<const std::int32_t> queries{};  ///< [N_q]
  std::span<const std::int32_t> keys{};     ///< [N_k]

  bool given() const { return !queries.empty() || !keys.empty(); }
};

template <class T>
class PackedKeys;  // core/attention/tiles.h

// Logits and values by distance n − m: core/attention/logit_factors.h.
struct Distances;
template <class T>
struct LogitFactors;
template <class T>
struct DistanceVectors;

template <class T>
struct ScoreInputs {
  MatrixIn<T> q;  ///< [N_q, d]
  MatrixIn<T> k;  ///< [N_k, d]
  PositionsIn m;  ///< query positions
  PositionsIn n;  ///< key positions
  int head{0};    ///< which head, where heads differ
  Scoring scoring{};
  SegmentsIn segments{};
  const PackedKeys<T>* packed_k{
      nullptr};  ///< keys that begin with k, laid out for products, or null
  const Matrix<T>* x{
      nullptr};  ///< [N_k, d_model], the layer's input at the keys, where it is known
};

/// ∂loss by what score_terms reads: what is there is added to.
template <class T>
struct ScoreGradients {
  MatrixOut<T> q;         ///< [N_q, d]
  MatrixOut<T> k;         ///< [N_k, d]
  Matrix<T>* x{nullptr};  ///< [N_k, d_model], where ScoreInputs::x is given
  Tables& tables;
};

/// Door 3: the named terms of the logits. The logits are their sum, and final: the scale (√d,
/// √(2d), √(3d), none) is the encoding's business, and ScoreInputs::scoring overrides it.
template <class T>
class ScoreTerms {
 public:
  /// All terms, "content" first.
  virtual std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const = 0;
  /// The factors of the sum of score_terms, with in.scoring.scale but without its roundings.
  /// Attention then adds the terms tile by tile and never holds a map. Empty, which is the default,
  /// where the sum has no such factors. `distances` are those of in.m and in.n. Long sequences are
  /// asked for in parts, any consecutive queries and keys: the factors of a query or key depend on
  /// its own row alone.
  virtual std::optional<LogitFactors<T>> logit_factors(const ScoreInputs<T>& in,
                                                       const Distances& distances) const;
  /// @param d_logits  ∂loss by the sum of score_terms. [N_q, N_k]
  virtual void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                   const ScoreGradients<T>& d) const = 0;
  /// Whether the terms beside "content", which is then q·k by the encoding's scale, do not depend on
  /// contents: one map of a head serves every sequence.
  virtual bool is_bias() const { return false; }
  /// The numbers that the products of score_terms multiply, or larger ones: they bound the rounding
  /// errors of the logits of contents x [N, d]. x itself by default.
  virtual Matrix<T> product_sizes(const MatrixIn<T>& x) const { return x; }

 protected:
  ~ScoreTerms() = default;
};

template <class T>
struct ValueInputs {
  MatrixIn<T> weights;  ///< A [N_q, N_k]
  MatrixIn<T> v;        ///< [N_k, d_v]
  PositionsIn m;
  PositionsIn n;
};

/// Door 4: adds to the weighted sum of values. Eq. (5): v_n = W_v (x_n + p~^v_{m−n}).
template <class T>
class ValueTerm {
 public:
  /// out [N_q, d_v], which holds Σ_n A_mn v_n, gains what position adds to it.
  virtual void add_to_output(const ValueInputs<T>& in, MatrixOut<T> out) const = 0;
  /// The derivative of what position adds; that of Σ_n A_mn v_n is attention's.
  /// @param d_out  ∂loss by the output. [N_q, d_v]
  /// @param d_weights, d_v  ∂loss by A and v: what is there is added to. [N_q, N_k], [N_k, d_v]
  virtual void add_value_gradients(const ValueInputs<T>& in, const MatrixIn<T>& d_out,
                                   MatrixOut<T> d_weights, MatrixOut<T> d_v,
                                   Tables& d_tables) const = 0;
  /// The vectors w_r of distances r = n − m, where o_m = Σ_n A_mn (v_n + w_r). Attention then adds
  /// them tile by tile. Empty, which is the default, for a term that is no such sum.
  virtual std::optional<DistanceVectors<T>> value_vectors(const Distances& distances) const;

 protected:
  ~ValueTerm() = default;
};

/// [N_q, N_k]
using IndexMatrix = Eigen::Matrix<Index, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// An encoding that looks a table up, and the row that it takes for each pair of tokens.
class TableIndex {
 public:
  /// Rows of the table. [N_q, N_k]. Throws UsageError for a position beyond ±2^53.
  virtual IndexMatrix table_index(PositionsIn m, PositionsIn n) const = 0;
  virtual Index table_rows() const = 0;
  /// The distance from which on all keys share a row, behind the query and ahead of it, as the
  /// paper states it; empty where it states none.
  virtual std::optional<Position> stated_reach() const { return std::nullopt; }

 protected:
  ~TableIndex() = default;
};

}  // namespace orrery

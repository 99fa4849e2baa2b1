#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/door.h"
#include "core/logit_rule.h"
#include "core/precision.h"
#include "core/types.h"

namespace orrery {

// Position enters attention by four doors. An encoding is one class that inherits exactly the doors
// it uses; every door is pure virtual. A kernel asks for the doors that it can honour. T is float
// or double. N_q queries at positions m, N_k keys at positions n, d channels per head.

/// The interface of every encoding.
class Encoding {
 public:
  virtual ~Encoding() = default;
  /// Whether no common shift of all positions changes the logits, for every content.
  virtual bool is_relative() const = 0;
  /// The same of the weights, which do not see a number added to a whole row of logits.
  virtual bool has_relative_weights() const { return is_relative(); }
  /// The last position at which it is defined: a trained table ends, a formula does not.
  virtual Position last_position() const { return max_position; }
  /// Whether it has a term for the segments of tokens: XLNet's does.
  virtual bool reads_segments() const { return false; }
};

/// Door 1: adds a vector to x before the projections. Eq. (3): f_t(x_i, i) = W_t (x_i + p_i).
template <class T>
class InputTerm {
 public:
  /// x [N, d_model] becomes x + p, row by row at its position.
  virtual void add_to_input(PositionsIn positions, MatrixOut<T> x) const = 0;

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
  WeightRule weights{WeightRule::softmax};
};

/// Which segment each token belongs to (the token_type_ids of two sentences, say), where that
/// matters: one id per row, or both empty for no segments.
struct SegmentsIn {
  std::span<const std::int32_t> queries{};  ///< [N_q]
  std::span<const std::int32_t> keys{};     ///< [N_k]

  bool given() const { return !queries.empty() || !keys.empty(); }
};

template <class T>
class PackedKeys;  // core/attention/tiles.h

template <class T>
struct ScoreInputs {
  MatrixIn<T> q;  ///< [N_q, d]
  MatrixIn<T> k;  ///< [N_k, d]
  PositionsIn m;  ///< query positions
  PositionsIn n;  ///< key positions
  int head{0};    ///< which head, where heads differ
  Scoring scoring{};
  SegmentsIn segments{};
  const PackedKeys<T>* packed_k{nullptr};  ///< k laid out for products, where that has been done
  const Matrix<T>* x{
      nullptr};  ///< [N_k, d_model], the layer's input at the keys, where it is known
};

/// Door 3: the named terms of the logits. The logits are their sum, and final: the scale (√d,
/// √(2d), √(3d), none) is the encoding's business, and ScoreInputs::scoring overrides it.
template <class T>
class ScoreTerms {
 public:
  /// All terms, "content" first.
  virtual std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const = 0;

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

 protected:
  ~ValueTerm() = default;
};

}  // namespace orrery

#pragma once

#include "core/product.h"
#include "core/types.h"

namespace orrery {

enum class NormKind {
  none,   ///< y = x
  layer,  ///< y = (x − mean)/√(variance + epsilon)·gain + bias: Ba et al. 2016
  rms,    ///< y = x/√(mean of squares + epsilon)·gain + bias: Zhang and Sennrich 2019
};

/// How rows of channels are normalised.
struct NormDesign {
  NormKind kind{NormKind::rms};
  double epsilon{1e-5};
  double added{0};  ///< multiplies by added + gain: Gemma's files hold the difference from 1
};

/// What queries and keys are normalised over, if they are.
enum class QkNormSpan {
  none,
  head,   ///< the channels of a head: Qwen 3, Gemma 3
  layer,  ///< the channels of all heads together: OLMo 2
};

struct QkNormDesign {
  QkNormSpan over{QkNormSpan::none};
  NormDesign norm{};
  bool after_position{false};  ///< Hunyuan; before it everywhere else
};

/// What a norm has learned, [1, d] each; an empty gain counts as 1, an empty bias as 0.
template <class T>
struct NormWeights {
  Matrix<T> gain{};
  Matrix<T> bias{};
};

/// Each row normalised over its d channels. [N, d]
///
/// Throws UsageError for a gain or bias that is not [1, d].
/// Accuracy: moments and the normalised row in fp64; rounded to T, then gain and bias in T.
template <class T>
Matrix<T> normalised(const NormDesign& design, const NormWeights<T>& weights,
                     const MatrixIn<T>& rows);

/// The same into `out`, [N, d], which may be `rows`.
template <class T>
void normalise(const NormDesign& design, const NormWeights<T>& weights, const MatrixIn<T>& rows,
               MatrixOut<T> out);

/// ∂loss by rows, from that by normalised(design, weights, rows): with x̂ the normalised row before
/// gain and bias, σ what it was divided by, and g = d_out ∘ gain,
///   d_x = (g − mean(g) − x̂ mean(g ∘ x̂))/σ, without the second term where rows are not centred.
///
/// @param d_weights  gains d_gain = Σ d_out ∘ x̂ and d_bias = Σ d_out where weights has them
/// @param d_rows     becomes or gains d_x. [N, d]; may be d_out
/// Accuracy: in T.
template <class T>
void pull_back_norm(const NormDesign& design, const NormWeights<T>& weights,
                    const MatrixIn<T>& rows, const MatrixIn<T>& d_out, NormWeights<T>& d_weights,
                    MatrixOut<T> d_rows, Into into = Into::set);

/// Queries or keys of all heads, normalised over the channels of each head or of all together, as
/// the design says. [N, heads·d_head]
///
/// Throws UsageError as normalised does.
template <class T>
Matrix<T> normed_heads(const QkNormDesign& design, const NormWeights<T>& w, Index d_head,
                       const Matrix<T>& all);

/// d ← ∂loss by `all`, from that by normed_heads(design, w, d_head, all). [as all]
///
/// @param d_w  gains what pull_back_norm says of it
template <class T>
void pull_back_heads(const QkNormDesign& design, const NormWeights<T>& w, Index d_head,
                     const Matrix<T>& all, Matrix<T>& d, NormWeights<T>& d_w);

}  // namespace orrery

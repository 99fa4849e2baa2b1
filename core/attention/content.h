#pragma once

#include <fmt/format.h>

#include "core/encoding.h"
#include "core/errors.h"

namespace orrery {

/// 1/√(terms·d), or 1 for terms = 0; scoring.scale takes the place of either.
double score_scale(int terms, Index d, const Scoring& scoring);

/// a bᵀ/√(terms·d), d the channels of both: the product behind every term, with the scale 1/√(2d)
/// or 1/√(3d) of papers that add two or three of them, and 1 for terms = 0 (T5). scoring.scale
/// takes the place of all of these. Rounds the product (Stage::term) and the scaled product
/// (Stage::scale). [rows of a, rows of b]. Throws UsageError when a and b have different numbers of
/// channels, or none.
template <class T>
Matrix<T> scaled_product(const MatrixIn<T>& a, const MatrixIn<T>& b, int terms,
                         const Scoring& scoring = {});

/// The product of in.q and in.k, as above.
template <class T>
Matrix<T> content_product(const ScoreInputs<T>& in, int terms);

/// The content term q_m·k_n/√d of eq. (2), or with the scale of in.scoring. [N_q, N_k].
/// Throws UsageError when q and k have different numbers of channels, or none.
template <class T>
ScoreTerm<T> scaled_content_term(const ScoreInputs<T>& in);

/// sum gains the summand, as ScoreGradients does, whose references are const.
template <class T>
void add_to(MatrixOut<T> sum, const MatrixIn<T>& summand) {
  sum += summand;
}

/// The derivative of c = scale·a bᵀ: d_a gains scale·d_c b and d_b scale·d_cᵀ a. a [N_a, d], b
/// [N_b, d], d_c ∂loss by c [N_a, N_b]; d_a and d_b as a and b.
template <class T>
void add_product_gradients(const MatrixIn<T>& a, const MatrixIn<T>& b, const MatrixIn<T>& d_c,
                           double scale, MatrixOut<T> d_a, MatrixOut<T> d_b);

/// What content_product hands back to q and k: all there is for an encoding whose other terms are
/// biases without contents.
template <class T>
void add_content_gradients(const ScoreInputs<T>& in, int terms, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d);

/// Checks the inputs of one head or of a whole layer. Throws UsageError unless W_q, W_k and W_v
/// take as many channels as x_q and x_k have.
template <class Weights, class Contents>
void check_contents(const Weights& w, const Contents& in) {
  if (w.W_q.rows() == in.x_q.cols() && w.W_k.rows() == in.x_k.cols() &&
      w.W_v.rows() == in.x_k.cols())
    return;
  throw UsageError(fmt::format("x with {} and {} channels", in.x_q.cols(), in.x_k.cols()),
                   fmt::format("the projections take d_model={}", w.W_q.rows()),
                   "give x and projections of the same d_model");
}

}  // namespace orrery

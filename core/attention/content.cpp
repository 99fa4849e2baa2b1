#include "core/attention/content.h"

#include <fmt/format.h>

#include <cmath>

#include "core/attention/tiles.h"
#include "core/errors.h"
#include "core/product.h"

namespace orrery {

double score_scale(int terms, Index d, const Scoring& scoring) {
  if (scoring.scale) return *scoring.scale;
  return terms == 0 ? 1.0 : 1.0 / std::sqrt(static_cast<double>(terms) * static_cast<double>(d));
}

namespace {

/// product(scale) is scale·(a bᵀ), `channels` those of both.
template <class T, class Product>
Matrix<T> rounded_product(const Product& product, int terms, Index channels,
                          const Scoring& scoring) {
  const T scale = static_cast<T>(score_scale(terms, channels, scoring));
  Matrix<T> scores;
  if (scoring.rounding.rounds(Stage::term)) {
    scores = product(T(1));
    scoring.rounding.template apply<T>(Stage::term, scores);
    scores *= scale;
  } else {
    scores = product(scale);
  }
  scoring.rounding.template apply<T>(Stage::scale, scores);
  return scores;
}

}  // namespace

template <class T>
Matrix<T> scaled_product(const MatrixIn<T>& a, const MatrixIn<T>& b, int terms,
                         const Scoring& scoring) {
  if (a.cols() != b.cols() || a.cols() == 0)
    throw UsageError(fmt::format("q with {} and k with {} channels", a.cols(), b.cols()),
                     "q and k have the same number of channels, one or more",
                     "give arrays of the same head");
  return rounded_product<T>([&](T scale) { return scores_of<T>(a, b, scale); }, terms, a.cols(),
                            scoring);
}

template <class T>
Matrix<T> content_product(const ScoreInputs<T>& in, int terms) {
  if (!in.packed_k || in.q.cols() != in.k.cols() || in.q.cols() == 0)
    return scaled_product<T>(in.q, in.k, terms, in.scoring);
  return rounded_product<T>(
      [&](T scale) { return scores_of<T>(in.q, *in.packed_k, in.k.rows(), scale); }, terms,
      in.q.cols(), in.scoring);
}

template <class T>
ScoreTerm<T> scaled_content_term(const ScoreInputs<T>& in) {
  return {"content", content_product(in, 1)};
}

template <class T>
void add_product_gradients(const MatrixIn<T>& a, const MatrixIn<T>& b, const MatrixIn<T>& d_c,
                           double scale, MatrixOut<T> d_a, MatrixOut<T> d_b) {
  d_a += static_cast<T>(scale) * product<T>(d_c, b);
  d_b += static_cast<T>(scale) * transposed_product<T>(d_c, a);
}

template <class T>
void add_content_gradients(const ScoreInputs<T>& in, int terms, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) {
  add_product_gradients<T>(in.q, in.k, d_logits, score_scale(terms, in.q.cols(), in.scoring), d.q,
                           d.k);
}

#define ORRERY_INSTANTIATE(T)                                                                     \
  template void add_product_gradients(const MatrixIn<T>&, const MatrixIn<T>&, const MatrixIn<T>&, \
                                      double, MatrixOut<T>, MatrixOut<T>);                        \
  template void add_content_gradients(const ScoreInputs<T>&, int, const MatrixIn<T>&,             \
                                      const ScoreGradients<T>&);                                  \
  template Matrix<T> content_product(const ScoreInputs<T>&, int);                                 \
  template Matrix<T> scaled_product(const MatrixIn<T>&, const MatrixIn<T>&, int, const Scoring&); \
  template ScoreTerm<T> scaled_content_term(const ScoreInputs<T>&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery

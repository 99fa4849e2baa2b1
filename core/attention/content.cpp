#include "core/attention/content.h"

#include <fmt/format.h>

#include <cmath>

#include "core/attention/tiles.h"
#include "core/errors.h"

namespace orrery {

double score_scale(int terms, Index d, const Scoring& scoring) {
  if (scoring.scale) return *scoring.scale;
  return terms == 0 ? 1.0 : 1.0 / std::sqrt(static_cast<double>(terms) * static_cast<double>(d));
}

template <class T>
Matrix<T> scaled_product(const MatrixIn<T>& a, const MatrixIn<T>& b, int terms,
                         const Scoring& scoring) {
  if (a.cols() != b.cols() || a.cols() == 0)
    throw UsageError(fmt::format("q with {} and k with {} channels", a.cols(), b.cols()),
                     "q and k have the same number of channels, one or more",
                     "give arrays of the same head");
  const T scale = static_cast<T>(score_scale(terms, a.cols(), scoring));
  Matrix<T> scores;
  if (scoring.rounding.rounds(Stage::term)) {
    scores = scores_of<T>(a, b);
    scoring.rounding.template apply<T>(Stage::term, scores);
    scores *= scale;
  } else {
    scores = scores_of<T>(a, b, scale);
  }
  scoring.rounding.template apply<T>(Stage::scale, scores);
  return scores;
}

template <class T>
ScoreTerm<T> scaled_content_term(const ScoreInputs<T>& in) {
  return {"content", scaled_product<T>(in.q, in.k, 1, in.scoring)};
}

template Matrix<float> scaled_product(const MatrixIn<float>&, const MatrixIn<float>&, int,
                                      const Scoring&);
template Matrix<double> scaled_product(const MatrixIn<double>&, const MatrixIn<double>&, int,
                                       const Scoring&);
template ScoreTerm<float> scaled_content_term(const ScoreInputs<float>&);
template ScoreTerm<double> scaled_content_term(const ScoreInputs<double>&);

}  // namespace orrery

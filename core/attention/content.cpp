#include "core/attention/content.h"

#include <fmt/format.h>

#include <cmath>

#include "core/errors.h"

namespace orrery {

template <class T>
ScoreTerm<T> scaled_content_term(const ScoreInputs<T>& in) {
  if (in.q.cols() != in.k.cols() || in.q.cols() == 0)
    throw UsageError(fmt::format("q with {} and k with {} channels", in.q.cols(), in.k.cols()),
                     "q and k have the same number of channels, one or more",
                     "give arrays of the same head");
  const T scale = T(1) / std::sqrt(static_cast<T>(in.q.cols()));
  ScoreTerm<T> term{"content", in.q * in.k.transpose()};
  term.logits *= scale;
  return term;
}

template ScoreTerm<float> scaled_content_term(const ScoreInputs<float>&);
template ScoreTerm<double> scaled_content_term(const ScoreInputs<double>&);

}  // namespace orrery

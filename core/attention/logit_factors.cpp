#include "core/attention/logit_factors.h"

#include <algorithm>

namespace orrery {
namespace {

bool are_consecutive(PositionsIn positions) {
  for (std::size_t i = 1; i < positions.size(); ++i)
    if (positions[i - 1] > max_position || positions[i] != positions[i - 1] + 1) return false;
  return !positions.empty();
}

bool is_near(Position p) { return -max_position <= p && p <= max_position; }

}  // namespace

std::optional<Distances> consecutive_distances(PositionsIn m, PositionsIn n) {
  if (!are_consecutive(m) || !are_consecutive(n)) return std::nullopt;
  for (const Position p : {m.front(), m.back(), n.front(), n.back()})
    if (!is_near(p)) return std::nullopt;
  const Distances found{n.front() - m.back(), static_cast<Index>(m.size() + n.size()) - 1};
  // The first query with all distances, as distance_bias_factors asks for it, too.
  if (!is_near(m.front() + found.first)) return std::nullopt;
  if (!is_near(found.first) || !is_near(n.back() - m.front())) return std::nullopt;
  return found;
}

template <class T>
std::optional<LogitFactors<T>> ScoreTerms<T>::logit_factors(const ScoreInputs<T>&,
                                                            const Distances&) const {
  return std::nullopt;
}

template <class T>
std::optional<DistanceVectors<T>> ValueTerm<T>::value_vectors(const Distances&) const {
  return std::nullopt;
}

template <class T>
LogitFactors<T> distance_bias_factors(const ScoreTerms<T>& terms, const ScoreInputs<T>& in,
                                      const Distances& distances) {
  LogitFactors<T> out{.q = {}, .bias = Matrix<T>::Zero(1, distances.count)};
  Matrix<T> q = Matrix<T>::Zero(1, in.q.cols());
  q(0, 0) = T(1);
  for (Index first = 0; first < distances.count; first += distances_at_once) {
    const Index count = std::min(distances_at_once, distances.count - first);
    const Positions n = consecutive_positions(count, in.m.front() + distances.first + first);
    Matrix<T> k = Matrix<T>::Zero(count, in.q.cols());
    k.col(0).setOnes();
    const std::vector<ScoreTerm<T>> found =
        terms.score_terms({q, k, in.m.first(1), n, in.head, in.scoring, {}});
    if (first == 0) out.q = in.q * found.front().logits(0, 0);
    for (std::size_t t = 1; t < found.size(); ++t)
      out.bias.middleCols(first, count) += found[t].logits;
  }
  return out;
}

template class ScoreTerms<float>;
template class ScoreTerms<double>;
template class ValueTerm<float>;
template class ValueTerm<double>;
template LogitFactors<float> distance_bias_factors(const ScoreTerms<float>&,
                                                   const ScoreInputs<float>&, const Distances&);
template LogitFactors<double> distance_bias_factors(const ScoreTerms<double>&,
                                                    const ScoreInputs<double>&, const Distances&);

}  // namespace orrery

#include "core/encodings/table_terms.h"

#include <utility>

#include "core/attention/content.h"
#include "core/attention/tiles.h"
#include "core/encodings/relative_index.h"

namespace orrery {

template <class T>
std::vector<ScoreTerm<T>> TableTerms<T>::score_terms(const ScoreInputs<T>& in) const {
  const std::vector<TableTerm<T>> stated = table_terms(in);
  std::vector<ScoreTerm<T>> terms;
  terms.push_back({"content", content_product(in, products())});
  for (const TableTerm<T>& term : stated) {
    const UsedRows used = used_rows(term.index(in.m, in.n));
    const Matrix<T> rows = term.rows(used.first, used.count);
    const bool of_query = term.side == TableTerm<T>::Side::query;
    const MatrixIn<T>& x = of_query ? in.q : in.k;
    const Matrix<T> found =
        term.scaled ? scaled_product<T>(x, rows, products(), in.scoring) : scores_of<T>(x, rows);
    terms.push_back({term.name, of_query ? gather_by_query<T>(found, used.index)
                                         : gather_by_key<T>(found, used.index)});
  }
  return terms;
}

template <class T>
std::optional<LogitFactors<T>> TableTerms<T>::logit_factors(const ScoreInputs<T>& in,
                                                            const Distances& distances) const {
  const double scale = score_scale(products(), in.q.cols(), in.scoring);
  const Positions ahead = consecutive_positions(distances.count, distances.first);
  LogitFactors<T> out{.q = scaled_queries<T>(in.q, scale)};
  for (const TableTerm<T>& term : table_terms(in)) {
    const IndexMatrix index = term.index(Positions{0}, ahead);
    DistanceVectors<T> vectors =
        distance_vectors<T>(term.rows(0, term.count), distances,
                            [&](Position r) { return index(0, r - distances.first); });
    if (vectors.rows.cols() != in.q.cols())
      return std::nullopt;  // left to score_terms, which refuses it
    if (term.side == TableTerm<T>::Side::query) {
      out.by_query = std::move(vectors);
      if (!term.scaled) out.q_of_distance = in.q;
    } else {
      if (term.scaled) vectors.rows *= static_cast<T>(scale);
      out.by_key = std::move(vectors);
    }
  }
  return out;
}

template <class T>
void TableTerms<T>::add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                                        const ScoreGradients<T>& d) const {
  add_content_gradients<T>(in, products(), d_logits, d);
  const double scale = score_scale(products(), in.q.cols(), in.scoring);
  for (const TableTerm<T>& term : table_terms(in)) {
    const UsedRows used = used_rows(term.index(in.m, in.n));
    const Matrix<T> rows = term.rows(used.first, used.count);
    const bool of_query = term.side == TableTerm<T>::Side::query;
    const Matrix<T> d_found = of_query ? sums_by_query<T>(d_logits, used.index, used.count)
                                       : sums_by_key<T>(d_logits, used.index, used.count);
    Matrix<T> d_rows = Matrix<T>::Zero(rows.rows(), rows.cols());
    add_product_gradients<T>(of_query ? in.q : in.k, rows, d_found, term.scaled ? scale : 1.0,
                             of_query ? d.q : d.k, d_rows);
    term.add_gradients(used.first, d_rows, d.tables);
  }
}

template class TableTerms<float>;
template class TableTerms<double>;

}  // namespace orrery

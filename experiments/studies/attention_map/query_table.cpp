#include "experiments/studies/attention_map/query_table.h"

#include <fmt/format.h>

#include "core/analysis/row_statistics.h"

namespace orrery::studies {
TableBuilder query_table() {
  return {"queries",
          "the weights of each query: entropy, mean distance, strongest key",
          {{"encoding"},
           {"query"},
           {"position", "tokens"},
           {"token"},
           {"entropy", "bits"},
           {"mean_distance", "tokens"},
           {"strongest_key"},
           {"strongest_token"},
           {"strongest_weight"}}};
}

template <class T>
void add_queries(TableBuilder& table, const std::string& encoding, const QueryTokens& tokens,
                 Index first, const Matrix<T>& weights, QuerySums& sums) {
  const auto label = [&](Index i) {
    return tokens.labels.empty() ? fmt::format("{}", i)
                                 : tokens.labels[static_cast<std::size_t>(i)];
  };
  for (Index i = 0; i < weights.rows(); ++i) {
    const Index query = first + i;
    const Position m = tokens.positions[static_cast<std::size_t>(query)];
    const RowStatistics s = row_statistics(weights, i, m, tokens.positions);
    table.row({encoding, query, m, label(query), s.entropy_bits, s.mean_distance, s.strongest,
               label(s.strongest), weights(i, s.strongest)});
    sums.entropy_bits += s.entropy_bits;
    sums.distance += s.mean_distance;
  }
}

template void add_queries(TableBuilder&, const std::string&, const QueryTokens&, Index,
                          const Matrix<float>&, QuerySums&);
template void add_queries(TableBuilder&, const std::string&, const QueryTokens&, Index,
                          const Matrix<double>&, QuerySums&);

}  // namespace orrery::studies

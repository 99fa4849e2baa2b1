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
QueryMeans add_queries(TableBuilder& table, const std::string& encoding,
                       const std::vector<std::string>& labels, PositionsIn positions,
                       const Matrix<T>& weights) {
  const auto label = [&](Index i) {
    return labels.empty() ? fmt::format("{}", i) : labels[static_cast<std::size_t>(i)];
  };
  QueryMeans sums;
  for (Index i = 0; i < weights.rows(); ++i) {
    const RowStatistics s = row_statistics(weights, positions, i);
    table.row({encoding, i, positions[static_cast<std::size_t>(i)], label(i), s.entropy_bits,
               s.mean_distance, s.strongest, label(s.strongest), weights(i, s.strongest)});
    sums.entropy_bits += s.entropy_bits;
    sums.distance += s.mean_distance;
  }
  const auto rows = static_cast<double>(weights.rows());
  return {sums.entropy_bits / rows, sums.distance / rows};
}

template QueryMeans add_queries(TableBuilder&, const std::string&, const std::vector<std::string>&,
                                PositionsIn, const Matrix<float>&);
template QueryMeans add_queries(TableBuilder&, const std::string&, const std::vector<std::string>&,
                                PositionsIn, const Matrix<double>&);

}  // namespace orrery::studies

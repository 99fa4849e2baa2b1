#include "experiments/row_table.h"

#include <fmt/format.h>

#include "core/analysis/row_statistics.h"

namespace orrery {
namespace {

double mean_from(const std::vector<double>& values, std::size_t first) {
  double sum = 0;
  for (std::size_t i = first; i < values.size(); ++i) sum += values[i];
  return sum / static_cast<double>(values.size() - first);
}

}  // namespace

template <class T>
RowTable::Means RowTable::add(const std::string& encoding, const std::vector<std::string>& labels,
                              PositionsIn positions, const Matrix<T>& weights) {
  const auto label = [&](Index i) {
    return labels.empty() ? fmt::format("{}", i) : labels[static_cast<std::size_t>(i)];
  };
  const std::size_t first = entropy_.size();
  for (Index i = 0; i < weights.rows(); ++i) {
    const RowStatistics s = row_statistics(weights, positions, i);
    encoding_.push_back(encoding);
    query_.push_back(static_cast<double>(i));
    position_.push_back(static_cast<double>(positions[static_cast<std::size_t>(i)]));
    token_.push_back(label(i));
    entropy_.push_back(s.entropy_bits);
    distance_.push_back(s.mean_distance);
    strongest_.push_back(static_cast<double>(s.strongest));
    strongest_token_.push_back(label(s.strongest));
    weight_.push_back(static_cast<double>(weights(i, s.strongest)));
  }
  return {mean_from(entropy_, first), mean_from(distance_, first)};
}

Table RowTable::finish() && {
  return {.name = "queries",
          .caption = "where each query looks: entropy of its weights, mean distance, strongest key",
          .columns = {{"encoding", "", std::move(encoding_)},
                      {"query", "", std::move(query_)},
                      {"position", "tokens", std::move(position_)},
                      {"token", "", std::move(token_)},
                      {"entropy", "bits", std::move(entropy_)},
                      {"mean_distance", "tokens", std::move(distance_)},
                      {"strongest_key", "", std::move(strongest_)},
                      {"strongest_token", "", std::move(strongest_token_)},
                      {"strongest_weight", "", std::move(weight_)}}};
}

template RowTable::Means RowTable::add(const std::string&, const std::vector<std::string>&,
                                       PositionsIn, const Matrix<float>&);
template RowTable::Means RowTable::add(const std::string&, const std::vector<std::string>&,
                                       PositionsIn, const Matrix<double>&);

}  // namespace orrery

#pragma once

#include <string>
#include <vector>

#include "core/types.h"
#include "experiments/setup/table_builder.h"

namespace orrery::studies {

/// "queries": one row per query and encoding (long format), which a spreadsheet filters by
/// encoding.
TableBuilder query_table();

/// Sums over the queries of an encoding.
struct QuerySums {
  double entropy_bits{};
  double distance{};
};

/// The tokens of self-attention.
struct QueryTokens {
  const std::vector<std::string>& labels;  ///< [N]; empty when they have none
  PositionsIn positions;                   ///< [N]
};

/// Appends one row per query of some rows of a map, and adds to the sums.
/// @param first  the number of the first of these queries
template <class T>
void add_queries(TableBuilder& table, const std::string& encoding, const QueryTokens& tokens,
                 Index first, const Matrix<T>& weights, QuerySums& sums);

}  // namespace orrery::studies

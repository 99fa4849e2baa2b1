#pragma once

#include <string>
#include <vector>

#include "core/types.h"
#include "experiments/setup/table_builder.h"

namespace orrery::studies {

/// "queries": one row per query and encoding (long format), which a spreadsheet filters by
/// encoding.
TableBuilder query_table();

struct QueryMeans {
  double entropy_bits{};
  double distance{};
};

/// Appends one row per query and returns the means over them.
/// @param labels  of the tokens, [N]; empty when they have none
template <class T>
QueryMeans add_queries(TableBuilder& table, const std::string& encoding,
                       const std::vector<std::string>& labels, PositionsIn positions,
                       const Matrix<T>& weights);

}  // namespace orrery::studies

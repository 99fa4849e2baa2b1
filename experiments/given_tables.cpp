#include "experiments/given_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"
#include "experiments/tensor_matrix.h"

namespace orrery {

Tables tables_of(const NamedTensors& given) {
  Tables tables;
  for (const auto& [name, tensor] : given) tables.emplace(name, table_matrix(tensor));
  return tables;
}

void check_table_names(const EncodingInfo& info, const NamedTensors& given,
                       const std::vector<std::string>& also) {
  std::vector<std::string> known = also;
  for (const TableSpec& spec : info.tables) known.push_back(spec.name);
  for (const auto& [name, tensor] : given) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest_name(name, known);
    const std::string all = known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "));
    throw UsageError(fmt::format("table {}", name),
                     fmt::format("is not read by encoding={} with these inputs", info.name),
                     near.empty() ? "it reads " + all : fmt::format("did you mean {}?", near));
  }
}

}  // namespace orrery

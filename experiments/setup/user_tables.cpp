#include "experiments/setup/user_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/setup/eigen_arrays.h"

namespace orrery {

Tables tables_of(const TensorMap& given) {
  Tables tables;
  for (const auto& [name, tensor] : given) tables.emplace(name, to_matrix(tensor));
  return tables;
}

void check_table_names(const EncodingInfo& info, const TensorMap& given,
                       const std::vector<std::string>& also) {
  std::vector<std::string> known = also;
  for (const TableSpec& spec : info.tables) known.push_back(spec.name);
  for (const auto& [name, tensor] : given) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string all = known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "));
    throw UsageError(fmt::format("table {}", name),
                     fmt::format("is not read by encoding={} with these inputs", info.name),
                     remedy_for_unknown(name, known, "it reads " + all));
  }
}

}  // namespace orrery

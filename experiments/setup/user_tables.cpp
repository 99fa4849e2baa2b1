#include "experiments/setup/user_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/encodings/catalogue.h"
#include "experiments/data/load_inputs.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"

namespace orrery {

ParamSpec table_param(const std::string& name, const std::string& description) {
  ParamSpec spec = array_file_param(name, description);
  spec.symbol.clear();
  spec.group = table_group;
  return spec;
}

std::vector<ParamSpec> encoding_table_params() {
  std::vector<ParamSpec> specs{{.key = "tables",
                                .description = "A file of several tables under their own names.",
                                .kind = ParamKind::file,
                                .default_value = std::string(),
                                .file_types = {"npz", "safetensors"},
                                .group = table_group}};
  const std::vector<ParamSpec> settings = with_encoding_params({});
  const auto find = [](const std::vector<ParamSpec>& some, const std::string& key) {
    return std::find_if(some.begin(), some.end(),
                        [&](const ParamSpec& spec) { return spec.key == key; });
  };
  for (const EncodingEntry& entry : encoding_catalogue())
    for (const TableSpec& table : entry.info.tables) {
      const bool is_list = find(settings, table.name) != settings.end();
      const std::string key = table.name + (is_list ? ".file" : "");
      if (const auto known = find(specs, key); known != specs.end()) {
        specs[static_cast<std::size_t>(known - specs.begin())].used_when->any_of.push_back(
            entry.info.name);
        continue;
      }
      specs.push_back(read_while(
          "encoding", {entry.info.name},
          table_param(key, fmt::format("{} Otherwise {}.", table.description, table.initial))));
    }
  return specs;
}

Tables tables_of(const ParamSet& params, const Inputs& inputs) {
  Tables tables;
  for (const ParamSpec& spec : params.specs())
    if (const Tensor* given = spec.group == table_group ? tensor_of(inputs, spec.key) : nullptr)
      tables.emplace(table_of_key(spec.key), to_matrix(*given));
  return tables;
}

}  // namespace orrery

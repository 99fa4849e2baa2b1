#include <nlohmann/json.hpp>

#include "experiments/checkpoints/family_table.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"

namespace orrery::cli {
namespace {

using nlohmann::ordered_json;

ordered_json row_json(const FamilyRow& row) {
  return {{"name", row.name},
          {"model_types", row.model_types},
          {"gguf_architectures", row.architectures},
          {"norm", row.norm},
          {"epsilon", row.epsilon},
          {"blocks", row.blocks},
          {"feed_forward", row.feed_forward},
          {"qk_norm", row.qk_norm},
          {"tied", row.tied}};
}

}  // namespace

int families_command(const FamiliesOptions& options) {
  if (!options.json) {
    print(families_text());
    return exit_ok;
  }
  ordered_json all = ordered_json::array();
  for (const FamilyRow& row : family_rows()) all.push_back(row_json(row));
  print(all.dump(2) + "\n");
  return exit_ok;
}

}  // namespace orrery::cli

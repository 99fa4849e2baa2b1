#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <memory>

#include "experiments/checkpoints/family_table.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/catalogue_json.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/display_width.h"

namespace orrery {
namespace {

struct ListOptions {
  std::string what{"all"};
  bool json{false};
};

void list_as_text(bool experiments, bool encodings, bool presets) {
  if (experiments) {
    print("Experiments\n");
    for (const Experiment* e : experiment_catalogue())
      print(fmt::format("  {} {}\n", bold(padded(e->info.name, 20)), plain_text(e->info.question)));
  }
  if (encodings) {
    print("Encodings\n");
    for (const EncodingSummary& e : encoding_list())
      print(fmt::format("  {} {}\n", bold(padded(e.name, 20)), plain_text(e.statement)));
  }
  if (presets) {
    print("Presets\n");
    for (const std::string& name : preset_names())
      print(fmt::format("  {} {}\n", bold(padded(name, 20)), preset_description(name)));
  }
  print("\norrery describe NAME gives details.\n");
}

nlohmann::ordered_json row_json(const FamilyRow& row) {
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

void list_families(bool json) {
  if (!json) return print(families_text());
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const FamilyRow& row : family_rows()) all.push_back(row_json(row));
  print(all.dump(2) + "\n");
}

int list_names(const ListOptions& options) {
  if (options.what == "families") {
    list_families(options.json);
    return exit_ok;
  }
  const auto wanted = [&](std::string_view part) {
    return options.what == "all" || options.what == part;
  };
  const bool experiments = wanted("experiments"), encodings = wanted("encodings"),
             presets = wanted("presets");
  if (options.json)
    print(json_text(list_json(experiments, encodings, presets)));
  else
    list_as_text(experiments, encodings, presets);
  return exit_ok;
}

}  // namespace

Command list_command() {
  const auto o = std::make_shared<ListOptions>();
  Command command{"list",
                  "List experiments, encodings and presets, or the families of models that run",
                  [o] { return list_names(*o); }};
  command.options = {
      {"what", &o->what, "all, experiments, encodings, presets, or families, which all leaves out",
       one_of({"all", "experiments", "encodings", "presets", "families"})},
      {"--json", &o->json, "As JSON"}};
  command.footer =
      R"(A family's row is what its code does; sizes, scalings and windows are those of each model's
own files.

Examples:
  orrery list encodings --json
  orrery list families)";
  return command;
}

}  // namespace orrery

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/catalogue_json.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/display_width.h"

namespace orrery::cli {
namespace {

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

}  // namespace

int list_command(const ListOptions& options) {
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

}  // namespace orrery::cli

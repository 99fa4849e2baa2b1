#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/display_width.h"

namespace orrery::cli {
namespace {

using nlohmann::ordered_json;

void list_as_json(bool experiments, bool encodings, bool presets) {
  ordered_json json;
  if (experiments)
    for (const Experiment* e : experiment_catalogue())
      json["experiments"].push_back({{"name", e->info.name},
                                     {"version", e->info.version},
                                     {"title", e->info.title},
                                     {"question", plain_text(e->info.question)}});
  if (encodings)
    for (const EncodingSummary& e : encoding_list())
      json["encodings"].push_back({{"name", e.name},
                                   {"title", e.title},
                                   {"statement", plain_text(e.statement)},
                                   {"doors", e.doors},
                                   {"source", e.source}});
  if (presets)
    for (const std::string& name : preset_names()) {
      const SweepSpec preset = preset_named(name);
      json["presets"].push_back({{"name", name},
                                 {"experiment", preset.experiment->info.name},
                                 {"description", preset.description}});
    }
  print(json.dump(2) + "\n");
}

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
      print(fmt::format("  {} {}\n", bold(padded(name, 20)), preset_named(name).description));
  }
  print("\norrery describe NAME gives details.\n");
}

}  // namespace

int list_command(const ListOptions& options) {
  const auto wanted = [&](std::string_view part) {
    return options.what == "all" || options.what == part;
  };
  (options.json ? list_as_json : list_as_text)(wanted("experiments"), wanted("encodings"),
                                               wanted("presets"));
  return exit_ok;
}

}  // namespace orrery::cli

// passport
#include <memory>

#include "experiments/cli/array_options.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"
#include "experiments/studies/catalogue.h"

namespace orrery::cli {

std::vector<Command> declare_heads_commands(CLI::App& app, const std::vector<std::string>&) {
  auto options = std::make_shared<PassportOptions>();
  CLI::App* command = app.add_subcommand(
      "passport", "A model on one page: positions, proofs by loss, heads, reach, what breaks it");
  command
      ->add_option("MODEL", options->model,
                   "A model's folder, a .gguf file, or a passport that was written before")
      ->required();
  command->allow_extras();
  command->add_option("--out", options->out, "A new .html or .json file");
  command->add_flag("--force", options->force, "Replace the file that is there");
  command->add_flag("--json", options->json, "As JSON");
  command->footer([] {
    return "A second word is another model, and the two are compared. Either may be a .json that\n"
           "--out has written. Heads are chosen by even texts and tested on odd ones.\n\n" +
           keys_section(find_experiment("passport").info.params) +
           "\nExamples:\n"
           "  orrery passport tiny-llama tokens=ids.npy parts=4 repeated=8 targets=1 --out a.json\n"
           "  orrery passport a.json tiny-bert tokens=ids.npy parts=4 repeated=8 --out both.html";
  });
  return {{command, [=] {
             options->words = command->remaining();
             return passport_command(*options);
           }}};
}

}  // namespace orrery::cli

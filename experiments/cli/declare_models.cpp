// models, families, tokens
#include <memory>

#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"

namespace orrery::cli {
namespace {

Command declare_models(CLI::App& app) {
  auto options_of = std::make_shared<ModelsOptions>();
  ModelsOptions& options = *options_of;
  CLI::App* command =
      app.add_subcommand("models", "List the models on this machine, and how to get one");
  command->add_option("PLACE", options.places,
                      "Folders to look in; default ORRERY_MODELS and the Hugging Face cache");
  command->add_flag("--json", options.json, "As JSON");
  command->footer(
      "Examples:\n"
      "  orrery models\n"
      "  orrery models . --json\n"
      "  ORRERY_MODELS=/data/models:/data/more orrery models");
  return {command, [=] { return models_command(*options_of); }};
}

Command declare_families(CLI::App& app) {
  auto options_of = std::make_shared<FamiliesOptions>();
  FamiliesOptions& options = *options_of;
  CLI::App* command =
      app.add_subcommand("families", "List the families of models that run, a row each");
  command->add_flag("--json", options.json, "As JSON");
  command->footer(
      "A family's row is what its code does; sizes, scalings and windows are those of each model's "
      "own files.\n"
      "Examples:\n"
      "  orrery families\n"
      "  orrery families --json");
  return {command, [=] { return families_command(*options_of); }};
}

Command declare_tokens(CLI::App& app) {
  auto options_of = std::make_shared<TokensOptions>();
  TokensOptions& options = *options_of;
  CLI::App* command =
      app.add_subcommand("tokens", "Print the tokens of a text as a model reads them");
  command
      ->add_option("MODEL", options.model,
                   "A model's folder, its tokenizer.json or tokenizer.model, or a .gguf")
      ->required();
  command->add_flag("--plain", options.plain,
                    "Without the tokens that the model expects around a text, such as [CLS]");
  command->add_option("--out", options.out, "A new .npy file of the ids");
  command->add_flag("--force", options.force, "Replace the file that is there");
  command->add_flag("--json", options.json, "As JSON: id, piece, and its bytes of the text");
  command->allow_extras();
  command->footer(
      "text=FILE is the text, or text=bundled:the_orrery.txt.\n"
      "Examples:\n"
      "  orrery tokens smollm2.gguf text=story.txt\n"
      "  orrery tokens smollm2.gguf text=bundled:the_orrery.txt --out ids.npy");
  return {command, [=] {
            options_of->words = command->remaining();
            return tokens_command(*options_of);
          }};
}

}  // namespace

std::vector<Command> declare_models_commands(CLI::App& app, const std::vector<std::string>&) {
  return {declare_models(app), declare_families(app), declare_tokens(app)};
}

}  // namespace orrery::cli

// models, families, tokens, forward
#include <memory>

#include "experiments/checkpoints/forward_pass.h"
#include "experiments/cli/array_options.h"
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

Command declare_forward(CLI::App& app) {
  auto options_of = std::make_shared<ForwardOptions>();
  ForwardOptions& options = *options_of;
  CLI::App* command = app.add_subcommand(
      "forward", "Run a model over a text: loss by token, hidden states, attention, logits");
  command->add_option("MODEL", options.model, "A model's folder, or a .gguf file")->required();
  command->allow_extras();
  command->add_option("--layers", options.layers, "Layers that are written: 0..3 or 0,5");
  command->add_option("--heads", options.heads, "Heads that are written, the same way");
  command->add_option("--out", options.out, "A new .npz or .safetensors file of the arrays");
  command->add_flag("--force", options.force, "Replace the file that is there");
  command->add_option("--threads", options.threads, "Threads; default all cores. The same bytes")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--memory", options.memory_mib,
                   "MiB of memory that the pass may take, beside the mapped files")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 30));
  command->add_flag("--json", options.json, "Losses by token as JSON");
  command->footer([] {
    return "Arrays of layers are called NAME.0, NAME.1, …; those of an encoder-decoder\n"
           "encoder.NAME.0 and decoder.NAME.0.\n\n" +
           keys_section(forward_params()) +
           "\nExamples:\n"
           "  orrery forward tiny-llama text=story.txt length=256\n"
           "  orrery forward tiny-llama tokens=ids.npy arrays=loss+hidden --out pass.npz\n"
           "  orrery forward tiny-bert tokens=ids.npy arrays=attention --layers 1 --out maps.npz";
  });
  return {command, [=] {
            options_of->words = command->remaining();
            return forward_command(*options_of);
          }};
}

}  // namespace

std::vector<Command> declare_models_commands(CLI::App& app, const std::vector<std::string>&) {
  return {declare_models(app), declare_families(app), declare_tokens(app), declare_forward(app)};
}

}  // namespace orrery::cli

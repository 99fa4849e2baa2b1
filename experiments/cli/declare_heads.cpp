// model_heads, what_if, settle, lens, patch, repeat, needle, passport
#include <fmt/format.h>

#include <memory>

#include "experiments/cli/array_options.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/declare.h"
#include "experiments/cli/live_params.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/heads/what_if.h"

namespace orrery::cli {
namespace {

/// What every command that asks a model takes.
std::shared_ptr<LiveOptions> add_live_options(CLI::App* command) {
  auto options_of = std::make_shared<LiveOptions>();
  LiveOptions& options = *options_of;
  command->add_option("MODEL", options.model, "A model's folder, or a .gguf file")->required();
  command->allow_extras();
  command->add_option("--threads", options.threads, "Threads; default all cores. The same bytes")
      ->check(CLI::Range(1, 4096));
  command->add_flag("--json", options.json, "As JSON");
  return options_of;
}

/// --out, of a command that writes something.
void add_out(CLI::App* command, LiveOptions& options,
             const char* what = "A new .npz or .safetensors file of the arrays") {
  command->add_option("--out", options.out, what);
  command->add_flag("--force", options.force, "Replace the file that is there");
}

/// --edit, which may be repeated.
CLI::Option* add_edits(CLI::App* command, LiveOptions& options, const char* description) {
  return command->add_option("--edit", options.edits, description)->allow_extra_args(false);
}

Command live_command(CLI::App* command, const std::shared_ptr<LiveOptions>& options,
                     int (*run)(const LiveOptions&)) {
  return {command, [=] {
            options->words = command->remaining();
            return run(*options);
          }};
}

Command declare_model_heads(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "model_heads", "Measure every head of a model: where it looks, and by which frequencies");
  const auto options = add_live_options(command);
  add_out(command, *options);
  command->footer([] {
    return "Heads are named by texts with even numbers and tested on the others. Scores come with\n"
           "the first token and, in JSON and arrays, without it.\n\n" +
           keys_section(model_heads_params()) +
           "\nExamples:\n"
           "  orrery model_heads tiny-llama text=story.txt length=64 parts=2\n"
           "  orrery model_heads tiny-llama tokens=ids.npy --json\n"
           "  orrery model_heads tiny-bert tokens=ids.npy repeated=0 --out heads.npz";
  });
  return live_command(command, options, model_heads_command);
}

std::string edits_text() {
  std::string text =
      "Edits, NAME:VALUE@LAYERS; PAIRS, HEADS and LAYERS are numbers and ranges\n"
      "joined by +, 0..3+7, a head LAYER.HEAD:\n";
  for (const EditHelp& edit : edit_help())
    text += fmt::format("  {:<22} {}\n", edit.form, plain_text(edit.description));
  return text;
}

Command declare_what_if(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "what_if", "Change a model and see what follows: losses, next tokens, every head");
  const auto options = add_live_options(command);
  add_out(command, *options);
  add_edits(command, *options, "A change; several act in their order")->required();
  command
      ->add_option("--maps", options->maps,
                   "Heads whose maps --out gets, before and after: 16.0+18")
      ->allow_extra_args(false);
  command->footer([] {
    return edits_text() + "\n" + keys_section(what_if_params()) +
           "\nExamples:\n"
           "  orrery what_if tiny-llama text=story.txt --edit base:500\n"
           "  orrery what_if tiny-llama tokens=ids.npy --edit still:0 --edit zero:1.0+1.2\n"
           "  orrery what_if tiny-llama tokens=ids.npy --edit no_position@1 --maps 1 --out "
           "maps.npz";
  });
  return live_command(command, options, what_if_command);
}

Command declare_settle(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "settle", "Let a model's loss say which pairing, base, scaling, norm and window it has");
  const auto options = add_live_options(command);
  add_edits(command, *options,
            "A change that the model is asked about with: orrery what_if --help");
  command->footer([] {
    return "Status 1: the loss contradicts the model as it stands. A lower loss is no proof: a "
           "base\n"
           "that is too large may lower it on short texts.\n\n" +
           keys_section(settle_params()) +
           "\nExamples:\n"
           "  orrery settle tiny-llama tokens=ids.npy parts=4\n"
           "  orrery settle tiny-llama tokens=ids.npy parts=4 questions=pairing+base --json";
  });
  return live_command(command, options, settle_command);
}

Command declare_lens(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "lens", "Give the residual stream behind each layer to the model's head: the logit lens");
  const auto options = add_live_options(command);
  add_out(command, *options);
  command->add_option("--positions", options->positions,
                      "Tokens that are printed, 0..3 or 0,5; default the last");
  add_edits(command, *options, "A change of the model that is looked into: orrery what_if --help");
  command->footer([] {
    return keys_section(lens_params()) +
           "\nExamples:\n"
           "  orrery lens tiny-llama text=story.txt --positions 0..4\n"
           "  orrery lens tiny-llama tokens=ids.npy --out lens.npz";
  });
  return live_command(command, options, lens_command);
}

Command declare_patch(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("patch", "Put activations of a corrupted text into a run, place by place");
  const auto options = add_live_options(command);
  add_out(command, *options);
  command->footer([] {
    return "Both texts have as many tokens. An effect of 1 is that of the whole corrupted "
           "run.\n\n" +
           keys_section(patch_params()) +
           "\nExamples:\n"
           "  orrery patch tiny-llama tokens=ids.npy corrupted_tokens=other.npy\n"
           "  orrery patch tiny-llama tokens=ids.npy corrupted_tokens=other.npy by=head --json";
  });
  return live_command(command, options, patch_command);
}

Command declare_repeat(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "repeat", "Give a model random tokens twice: what it copies, and from where on");
  const auto options = add_live_options(command);
  add_out(command, *options);
  add_edits(command, *options, "A change of the model that copies: orrery what_if --help");
  command->footer([] {
    return "Both halves are judged by the same tokens, all but the first, whose repetition "
           "nothing\n"
           "announces. The tokens of a sequence are distinct.\n\n" +
           keys_section(repeat_params()) +
           "\nExamples:\n"
           "  orrery repeat tiny-llama repeated=16\n"
           "  orrery repeat tiny-llama repeated=16 seed=3 --edit still:0 --json";
  });
  return live_command(command, options, repeat_command);
}

Command declare_needle(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "needle", "Put a fact into a text, and see from which places and lengths a model finds it");
  const auto options = add_live_options(command);
  add_out(command, *options);
  add_edits(command, *options, "A change of the model: orrery what_if --help");
  command->add_option("--fact", options->fact, "The fact; default random tokens, key and value");
  command->add_option("--question", options->question, "What asks for it, behind the text");
  command->add_option("--answer", options->answer, "What should come next, with its space");
  command->footer([] {
    return "Random needles are of tokens that the text does not have. The gain is over the same\n"
           "question behind a text as long without the fact.\n\n" +
           keys_section(needle_params()) +
           "\nExamples:\n"
           "  orrery needle tiny-llama text=story.txt lengths=8+12 key=1 value=1\n"
           "  orrery needle tiny-llama text=story.txt lengths=24 --fact \" key is cog\" \\\n"
           "    --question \" key is\" --answer \" cog\"";
  });
  return live_command(command, options, needle_command);
}

Command declare_passport(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "passport", "A model on one page: positions, proofs by loss, heads, reach, what breaks it");
  const auto options = add_live_options(command);
  add_out(command, *options, "A new .html or .json file");
  command->footer([] {
    return "A second word is another model, and the two are compared. Either may be a .json that\n"
           "--out has written. Heads are chosen by even texts and tested on odd ones.\n\n" +
           keys_section(passport_params()) +
           "\nExamples:\n"
           "  orrery passport tiny-llama tokens=ids.npy parts=4 repeated=8 targets=1 --out a.json\n"
           "  orrery passport a.json tiny-bert tokens=ids.npy parts=4 repeated=8 --out both.html";
  });
  return live_command(command, options, passport_command);
}

}  // namespace

std::vector<Command> declare_heads_commands(CLI::App& app, const std::vector<std::string>&) {
  return {declare_model_heads(app), declare_what_if(app), declare_settle(app),
          declare_lens(app),        declare_patch(app),   declare_repeat(app),
          declare_needle(app),      declare_passport(app)};
}

}  // namespace orrery::cli

#include "experiments/cli/live_params.h"

#include <string>
#include <utility>

#include "experiments/checkpoints/forward_pass.h"
#include "experiments/cli/live_options.h"
#include "experiments/heads/settle.h"

namespace orrery::cli {
namespace {

ParamSpec whole_number(const char* key, const char* description, std::int64_t usual, double min,
                       double max) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::integer,
          .default_value = usual,
          .min = min,
          .max = max};
}

ParamSpec seed_of_draws() {
  ParamSpec spec = whole_number("seed", "Seed of random tokens.", 0, 0, 0x1p53);
  spec.role = ParamRole::seed;
  return spec;
}

ParamSpec sequences_of_repeats(std::int64_t usual) {
  return whole_number("repeats", "Sequences of repeated random tokens.", usual, 1, 4096);
}

ParamSpec asked_questions(std::vector<std::string> usual) {
  ParamSpec questions{.key = "questions",
                      .description = "What is asked.",
                      .kind = ParamKind::choice_list,
                      .default_value = std::move(usual)};
  for (const std::string& name : question_names()) questions.choices.push_back({name, ""});
  return questions;
}

void add(std::vector<ParamSpec>& specs, std::vector<ParamSpec> more) {
  for (ParamSpec& spec : more) specs.push_back(std::move(spec));
}

}  // namespace

std::vector<ParamSpec> model_heads_params() {
  std::vector<ParamSpec> specs = text_params(256, 4);
  specs.push_back(
      whole_number("repeated", "Random tokens that come twice; 0 leaves them out.", 64, 0, 65536));
  specs.push_back(sequences_of_repeats(4));
  specs.push_back(seed_of_draws());
  specs.push_back(whole_number("chosen", "Heads that each score chooses.", 8, 1, 4096));
  specs.push_back(pass_precision_param());
  return specs;
}

std::vector<ParamSpec> what_if_params() {
  std::vector<ParamSpec> specs = text_params(256, 1);
  add(specs, other_text_params("corpus", "The text over which corpus_mean averages."));
  specs.push_back(
      whole_number("next", "Tokens that are listed as the most probable next ones.", 5, 0, 100));
  specs.push_back({.key = "changes",
                   .description = "Whether the change of every head is measured.",
                   .kind = ParamKind::boolean,
                   .default_value = true});
  specs.push_back(pass_precision_param());
  return specs;
}

std::vector<ParamSpec> settle_params() {
  std::vector<ParamSpec> specs = text_params(256, 12);
  specs.push_back(asked_questions(question_names()));
  specs.push_back(
      whole_number("rounds", "Settings that are corrected, one after another.", 4, 0, 64));
  specs.push_back(pass_precision_param());
  return specs;
}

std::vector<ParamSpec> lens_params() {
  std::vector<ParamSpec> specs = text_params(32, 1);
  specs.push_back(whole_number("next", "Most probable tokens of each state.", 5, 1, 100));
  specs.push_back(pass_precision_param());
  return specs;
}

std::vector<ParamSpec> patch_params() {
  std::vector<ParamSpec> specs = text_params(64, 1);
  add(specs, other_text_params("corrupted", "The text whose activations are put in."));
  specs.push_back(whole_number("answer", "Id of the right token; -1: what the model takes.", -1, -1,
                               2147483647.0));
  specs.push_back(
      whole_number("foil", "Id of the wrong one; -1: what else it takes behind the corrupted text.",
                   -1, -1, 2147483647.0));
  specs.push_back(
      {.key = "by",
       .description = "Places that are patched.",
       .kind = ParamKind::choice_list,
       .default_value = std::vector<std::string>{"position", "head"},
       .choices = {{"position", "stream, attention and feed-forward, by layer and token"},
                   {"head", "heads' outputs at all tokens"}}});
  specs.push_back(pass_precision_param());
  return specs;
}

std::vector<ParamSpec> repeat_params() {
  return {whole_number("repeated", "Random tokens that come twice.", 64, 2, 65536),
          sequences_of_repeats(8), seed_of_draws(), first_token_param(), pass_precision_param()};
}

std::vector<ParamSpec> needle_params() {
  std::vector<ParamSpec> specs = source_params();
  specs.push_back({.key = "lengths",
                   .unit = "tokens",
                   .description = "Lengths of contexts: text, fact and question.",
                   .kind = ParamKind::number_list,
                   .default_value = std::vector<double>{64, 128, 256},
                   .min = 2,
                   .max = 1 << 20});
  specs.push_back(whole_number("depths", "Places of the fact, from first to last.", 5, 1, 1000));
  specs.push_back(whole_number("draws", "Needles, in as many parts of the text.", 4, 1, 4096));
  specs.push_back(whole_number("key", "Random tokens that the question repeats.", 2, 1, 1024));
  specs.push_back(whole_number("value", "Random tokens that answer it.", 2, 1, 1024));
  specs.push_back(seed_of_draws());
  specs.push_back(first_token_param());
  specs.push_back(pass_precision_param());
  return specs;
}

std::vector<ParamSpec> passport_params() {
  std::vector<ParamSpec> specs = text_params(128, 12);
  specs.push_back(asked_questions(
      {"pairing", "base", "scaling", "direction", "norm_plus_one", "scale", "window"}));
  specs.push_back(
      whole_number("targets", "Last tokens of each text, for the reach.", 32, 1, 65536));
  specs.push_back(whole_number("repeated", "Random tokens that come twice.", 32, 2, 65536));
  specs.push_back(sequences_of_repeats(8));
  specs.push_back(whole_number("chosen", "Heads that each score chooses.", 4, 1, 64));
  specs.push_back(seed_of_draws());
  specs.push_back(first_token_param());
  specs.push_back(pass_precision_param());
  return specs;
}

}  // namespace orrery::cli

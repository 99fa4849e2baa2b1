#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/data/load_inputs.h"
#include "experiments/data/npy.h"
#include "experiments/files/atomic_write.h"
#include "experiments/sweeps/assignments.h"
#include "experiments/tokenizers/read_tokenizer.h"

namespace orrery {
namespace {

struct TokensOptions {
  std::string model{}, out{};
  Words words{};
  bool plain{false}, force{false}, json{false};
};

using nlohmann::ordered_json;

ParamSpec text_param() {
  return {.key = "text",
          .description = "The text.",
          .kind = ParamKind::file,
          .default_value = std::string(),
          .file_types = {"*"}};
}

std::string text_of(const TokensOptions& options) {
  const ParamSet params = params_from(ParamSet({text_param()}), options.words);
  const LoadedInputs loaded = load_inputs(params);
  const auto text = loaded.inputs.find("text");
  if (text == loaded.inputs.end())
    throw UsageError("no text", "is given", "add text=FILE, or text=bundled:the_orrery.txt");
  for (const std::string& note : loaded.notes) warn(note);
  return std::get<Text>(text->second).utf8;
}

/// A piece of several characters need not be UTF-8: a byte-level token may end within one.
std::string line_of(const Tokenizer& tokenizer, const TokenSpan& span) {
  return fmt::format("{:6} {:6} {:5}  {}\n", span.id, span.begin, span.end - span.begin,
                     label(tokenizer, span.id));
}

/// An entry of a list that is indented by one.
std::string entry_of(const Tokenizer& tokenizer, const TokenSpan& span) {
  const ordered_json json{{"id", span.id},
                          {"piece", label(tokenizer, span.id)},
                          {"begin", span.begin},
                          {"end", span.end}};
  std::string text = "\n ";
  for (const char c : json.dump(1)) text += c == '\n' ? std::string("\n ") : std::string(1, c);
  return text;
}

/// Prints what each token is said by, some at a time: all together would be many times the text.
template <class Say>
void print_each(const std::vector<TokenSpan>& spans, const Say& say) {
  constexpr std::size_t at_once = std::size_t{1} << 16;
  std::string text;
  for (const TokenSpan& span : spans) {
    text += say(span);
    if (text.size() < at_once) continue;
    print(text);
    text.clear();
  }
  print(text);
}

void print_tokens(const Tokenizer& tokenizer, const std::vector<TokenSpan>& spans) {
  print("    id  begin bytes  piece\n");
  print_each(spans, [&](const TokenSpan& span) { return line_of(tokenizer, span); });
  print(fmt::format("{} tokens\n", spans.size()));
}

void print_json(const Tokenizer& tokenizer, const std::vector<TokenSpan>& spans) {
  if (spans.empty()) return print("[]\n");
  print("[");
  print_each(spans, [&](const TokenSpan& span) {
    return entry_of(tokenizer, span) + (&span == &spans.back() ? "" : ",");
  });
  print("\n]\n");
}

void write_ids(const TokensOptions& options, const std::vector<TokenSpan>& spans) {
  if (!options.out.ends_with(".npy"))
    throw UsageError("--out " + options.out, "must be a .npy file", "name it ids.npy");
  require_no_input(options.out, {}, options.model);
  std::vector<double> ids;
  for (const TokenSpan& span : spans) ids.push_back(span.id);
  const Array array{.name = "tokens", .shape = {ids.size()}, .axes = {"token"}, .values = ids};
  atomic_write(options.out, npy_bytes(array),
               options.force ? Existing::replaced : Existing::refused);
}

int print_tokens(const TokensOptions& options) {
  const std::string text = text_of(options);
  const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(options.model);
  const std::vector<TokenSpan> spans =
      tokenizer->spans(text, options.plain ? Special::omit : Special::add);
  if (!options.out.empty()) write_ids(options, spans);
  if (options.json)
    print_json(*tokenizer, spans);
  else if (!is_quiet())
    print_tokens(*tokenizer, spans);
  return exit_ok;
}

}  // namespace

Command tokens_command() {
  const auto o = std::make_shared<TokensOptions>();
  Command command{"tokens", "Print the tokens of a text as a model reads them",
                  [o] { return print_tokens(*o); }};
  command.options = {
      {"MODEL", &o->model, "A model's folder, its tokenizer.json or tokenizer.model, or a .gguf",
       required()},
      {"--plain", &o->plain,
       "Without the tokens that the model expects around a text, such as [CLS]"},
      {"--out", &o->out, "A new .npy file of the ids"},
      {"--force", &o->force, "Replace the file that is there"},
      {"--json", &o->json, "As JSON: id, piece, and its bytes of the text"}};
  command.words = &o->words;
  command.footer = R"(text=FILE is the text, or text=bundled:the_orrery.txt.
Examples:
  orrery tokens smollm2.gguf text=story.txt
  orrery tokens smollm2.gguf text=bundled:the_orrery.txt --out ids.npy)";
  return command;
}

}  // namespace orrery

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/data/load_inputs.h"
#include "experiments/data/npy.h"
#include "experiments/files/atomic_write.h"
#include "experiments/sweeps/assignments.h"
#include "experiments/tokenizers/read_tokenizer.h"

namespace orrery::cli {
namespace {

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
  return std::get<Text>(text->second).utf8;
}

/// A piece of several characters need not be UTF-8: a byte-level token may end within one.
std::string line_of(const Tokenizer& tokenizer, const TokenSpan& span) {
  return fmt::format("{:6} {:6} {:5}  {}\n", span.id, span.begin, span.end - span.begin,
                     label(tokenizer, span.id));
}

std::string text_listing(const Tokenizer& tokenizer, const std::vector<TokenSpan>& spans) {
  std::string text = "    id  begin bytes  piece\n";
  for (const TokenSpan& span : spans) text += line_of(tokenizer, span);
  return text + fmt::format("{} tokens\n", spans.size());
}

std::string json_listing(const Tokenizer& tokenizer, const std::vector<TokenSpan>& spans) {
  ordered_json all = ordered_json::array();
  for (const TokenSpan& span : spans)
    all.push_back({{"id", span.id},
                   {"piece", label(tokenizer, span.id)},
                   {"begin", span.begin},
                   {"end", span.end}});
  return all.dump(1) + "\n";
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

}  // namespace

int tokens_command(const TokensOptions& options) {
  const std::string text = text_of(options);
  const std::unique_ptr<Tokenizer> tokenizer = read_tokenizer(options.model);
  const std::vector<TokenSpan> spans =
      tokenizer->spans(text, options.plain ? Special::omit : Special::add);
  if (!options.out.empty()) write_ids(options, spans);
  print_answer(options.json,
               options.json ? json_listing(*tokenizer, spans) : text_listing(*tokenizer, spans));
  return exit_ok;
}

}  // namespace orrery::cli

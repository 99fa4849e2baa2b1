#include "experiments/heads/passport.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/cli/live_options.h"
#include "experiments/cli/live_params.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"

namespace orrery::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::uintmax_t most_bytes_of_a_passport = 48 << 10;  // its page is not much longer

bool is_written(const std::string& model) {
  return std::filesystem::path(model).extension() == ".json";
}

/// A passport that was written before, or that of a model.
ordered_json document_of(const LiveOptions& options, const std::string& model) {
  if (is_written(model)) return read_passport(read_file(model, most_bytes_of_a_passport), model);
  LiveOptions own = options;
  own.model = model;
  own.out.clear();
  const LiveQuestion question = live_question(own, passport_params());
  const PassportRequest request{
      .texts = question.texts,
      .questions = question.params.list("questions"),
      .targets = question.params.integer("targets"),
      .repeated = question.params.integer("repeated"),
      .repeats = question.params.integer("repeats"),
      .chosen = static_cast<std::size_t>(question.params.integer("chosen")),
      .seed = question.params.integer("seed"),
      .first = first_token(own, question)};
  const std::int64_t copied = 2 * request.repeated + 1;
  std::int64_t longest = copied;
  for (const ModelText& text : request.texts)
    longest = std::max<std::int64_t>(longest, static_cast<std::int64_t>(text.tokens.size()));
  LiveModel asked(model, run_settings(own, question, longest));
  ConsoleProgress progress(is_quiet());
  return passport_document(passport_of(asked, request, progress));
}

/// What --out is written as: by its ending.
std::string written_as(const std::string& out, const ordered_json& one, const ordered_json& other) {
  if (std::filesystem::path(out).extension() == ".html") return passport_page(one, other);
  return passport_json(other.is_null() ? one : passports_compared(one, other));
}

void require_page(const std::string& out) {
  const std::string ending = std::filesystem::path(out).extension().string();
  if (out.empty() || ending == ".html" || ending == ".json") return;
  throw UsageError("--out " + out, "must end in .html or .json", "give such a name");
}

}  // namespace

int passport_command(const LiveOptions& options) {
  require_page(options.out);
  LiveOptions of_models = options;
  std::string second;
  // A word without "=" is the other model.
  const auto word =
      std::find_if(of_models.words.begin(), of_models.words.end(),
                   [](const std::string& one) { return one.find('=') == std::string::npos; });
  if (word != of_models.words.end()) {
    second = *word;
    of_models.words.erase(word);
  }
  if (!of_models.words.empty() && is_written(options.model) &&
      (second.empty() || is_written(second)))
    throw UsageError(of_models.words.front(), "would change nothing: no model is asked",
                     "leave it out, or give a model");
  const ordered_json one = document_of(of_models, options.model);
  const ordered_json other = second.empty() ? ordered_json() : document_of(of_models, second);
  if (!options.out.empty())
    atomic_write(options.out, written_as(options.out, one, other),
                 options.force ? Existing::replaced : Existing::refused);
  print_answer(options.json, options.json ? written_as("", one, other) : passport_text(one, other));
  return exit_ok;
}

}  // namespace orrery::cli

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/cli/array_options.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/data/load_inputs.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/heads/passport.h"
#include "experiments/reports/passport_page.h"
#include "experiments/results/memory.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/assignments.h"

namespace orrery {
namespace {

struct PassportOptions {
  std::string model{}, out{};
  Words words{};
  bool force{false}, json{false};
};

using nlohmann::ordered_json;

constexpr std::uintmax_t most_bytes_of_a_passport = 48 << 10;  // its page is not much longer

bool is_written(const std::string& model) {
  return std::filesystem::path(model).extension() == ".json";
}

/// The passport of a model, as the experiment makes it.
ordered_json made_passport(const std::string& model, Words words) {
  const Experiment& experiment = find_experiment("passport");
  words.push_back("model=" + model);
  const ParamSet params = params_from(ParamSet(experiment.info.params), words);
  const LoadedInputs loaded = load_inputs(params);
  ConsoleProgress progress(is_quiet());
  const Result result = experiment.run(params, loaded.inputs, progress);
  return read_passport(result.files.front().bytes, model);
}

/// A passport that was written before, or that of a model.
ordered_json document_of(const std::string& model, const Words& words) {
  if (!is_written(model)) return made_passport(model, words);
  return read_passport(read_file(model, most_bytes_of_a_passport), model);
}

/// What --out is written as: by its ending.
std::string written_as(const std::string& out, const ordered_json& one, const ordered_json& other) {
  if (std::filesystem::path(out).extension() == ".html") return html_of(passport_page(one, other));
  return passport_json(other.is_null() ? one : passports_compared(one, other));
}

void require_page(const std::string& out) {
  const std::string ending = std::filesystem::path(out).extension().string();
  if (out.empty() || ending == ".html" || ending == ".json") return;
  throw UsageError("--out " + out, "must end in .html or .json", "give such a name");
}

int write_passport(const PassportOptions& options) {
  require_page(options.out);
  Words words = options.words;
  std::string second;
  // A word without "=" is the other model.
  const auto word = std::ranges::find_if(
      words, [](const std::string& one) { return one.find('=') == std::string::npos; });
  if (word != words.end()) {
    second = *word;
    words.erase(word);
  }
  if (!words.empty() && is_written(options.model) && (second.empty() || is_written(second)))
    throw UsageError(words.front(), "would change nothing: no model is asked",
                     "leave it out, or give a model");
  const ordered_json one = document_of(options.model, words);
  const ordered_json other = second.empty() ? ordered_json() : document_of(second, words);
  if (!options.out.empty())
    atomic_write(options.out, written_as(options.out, one, other),
                 options.force ? Existing::replaced : Existing::refused);
  if (options.json)
    print(written_as("", one, other));
  else if (!is_quiet())
    print(passport_text(one, other));
  return exit_ok;
}

bool is_of_an_encoding(const std::string& key) {
  for (const EncodingSummary& encoding : encoding_list())
    for (const ParamSpec& spec : encoding.params)
      if (spec.key == key) return true;
  return false;
}

/// " One of a, b. [a]": the choices and the default, where there are any.
std::string values_text(const ParamSpec& spec) {
  std::vector<std::string> choices;
  for (const Choice& choice : spec.choices) choices.push_back(choice.name);
  std::string text;
  if (!choices.empty()) text += fmt::format(" One of {}.", fmt::join(choices, ", "));
  const std::string value = to_text(spec.default_value);
  return value.empty() ? text : text + fmt::format(" [{}]", value);
}

/// Lines "  key  description" with choices and default under a heading, for help texts. Parameters of
/// single encodings are left out: `describe ENCODING` has them.
std::string keys_section(const std::vector<ParamSpec>& specs) {
  constexpr int key_width = 20;
  std::string text = "Keys, as key=value, with their defaults:\n", group;
  for (const ParamSpec& spec : specs) {
    if (is_of_an_encoding(spec.key)) continue;
    if (!spec.group.empty() && spec.group != group)
      text += fmt::format("  {}:{}\n", spec.group, values_text(spec));
    group = spec.group;
    text += fmt::format("  {:<{}} {}", spec.key, key_width, plain_text(spec.description));
    text += group.empty() ? values_text(spec) + "\n" : "\n";
  }
  return text;
}

}  // namespace

Command passport_command() {
  const auto o = std::make_shared<PassportOptions>();
  Command command{"passport",
                  "A model on one page: positions, proofs by loss, heads, reach, what breaks it",
                  [o] { return write_passport(*o); }};
  command.options = {
      {"MODEL", &o->model, "A model's folder, a .gguf file, or a passport that was written before",
       required()},
      {"--out", &o->out, "A new .html or .json file"},
      {"--force", &o->force, "Replace the file that is there"},
      {"--json", &o->json, "As JSON"}};
  command.words = &o->words;
  command.footer = [] {
    return R"(A second word is another model, and the two are compared. Either may be a .json that
--out has written. Heads are chosen by even texts and tested on odd ones.

)" + keys_section(find_experiment("passport").info.params) +
           R"(
Examples:
  orrery passport tiny-llama tokens=ids.npy parts=4 repeated=8 targets=1 --out a.json
  orrery passport a.json tiny-bert tokens=ids.npy parts=4 repeated=8 --out both.html)";
  };
  return command;
}

}  // namespace orrery

#include "experiments/sweeps/assignments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/model_files/layer_settings.h"
#include "experiments/model_files/read_positions.h"

namespace orrery {
namespace {

bool is_boolean(const ParamSet& defaults, const std::string& key) {
  return defaults.has(key) && defaults.spec(key).kind == ParamKind::boolean;
}

/// "--key value", "--key=value", "--flag" or "--no-flag", starting at words[i]; advances i past
/// a value.
Assignment parse_flag(const ParamSet& defaults, const std::vector<std::string>& words,
                      std::size_t& i) {
  const std::string word = words[i].substr(2);
  const std::size_t equals = word.find('=');
  std::string key = word.substr(0, equals);
  std::replace(key.begin(), key.end(), '-', '_');
  if (equals != std::string::npos) return {key, word.substr(equals + 1)};
  if (key.starts_with("no_") && is_boolean(defaults, key.substr(3)))
    return {key.substr(3), "false"};
  if (is_boolean(defaults, key)) return {key, "true"};
  defaults.spec(key);  // an unknown key gives the better message
  if (i + 1 == words.size())
    throw UsageError(words[i], "needs a value", fmt::format("write {}=VALUE", words[i]));
  return {key, words[++i]};
}

/// The parameter that a word without one is probably meant for: one that has it as a choice, or
/// reads such a file or text.
std::string key_for(const ParamSet& defaults, const std::string& word) {
  std::error_code failure;
  const bool is_file = std::filesystem::exists(word, failure);
  for (const ParamSpec& spec : defaults.specs()) {
    const bool chosen = std::any_of(spec.choices.begin(), spec.choices.end(),
                                    [&](const Choice& choice) { return choice.name == word; });
    const bool file = spec.kind == ParamKind::file;
    if (chosen || (file && is_file && spec.key != "text") ||
        (spec.key == "text" && (is_file || word.find(' ') != std::string::npos)))
      return spec.key;
  }
  return {};
}

[[noreturn]] void refuse_word(const ParamSet& defaults, const std::string& word) {
  const std::string key = key_for(defaults, word);
  const bool quoted = word.find(' ') != std::string::npos;
  throw UsageError(word, "is not of the form key=value",
                   key.empty() ? "write it like dim=64"
                   : quoted    ? fmt::format("did you mean {}=\"{}\"?", key, word)
                               : fmt::format("did you mean {}={}?", key, word));
}

Assignment parse_word(const ParamSet& defaults, const std::vector<std::string>& words,
                      std::size_t& i) {
  if (words[i].starts_with("--") && words[i].size() > 2) return parse_flag(defaults, words, i);
  const std::size_t equals = words[i].find('=');
  if (equals == std::string::npos || equals == 0) refuse_word(defaults, words[i]);
  return {words[i].substr(0, equals), words[i].substr(equals + 1)};
}

/// Takes "KEY=value" or "--KEY value" out of the words.
std::optional<std::string> taken(std::vector<std::string>& words, const std::string& key) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i < words.size();) {
    const std::string word = words[i].starts_with("--") ? words[i].substr(2) : words[i];
    const bool apart = word == key && words[i].starts_with("--") && i + 1 < words.size();
    if (!apart && !word.starts_with(key + "=")) {
      ++i;
      continue;
    }
    if (found)
      throw UsageError(fmt::format("{}={}", key, *found), "is given twice", "give it once");
    found = apart ? words[i + 1] : word.substr(key.size() + 1);
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(at, at + (apart ? 2 : 1));
  }
  return found;
}

/// "0,5".
std::vector<std::int64_t> layer_numbers(const std::string& text) {
  std::vector<std::int64_t> numbers;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const auto [end, error] =
        std::from_chars(text.data() + start, text.data() + comma, numbers.emplace_back());
    if (error != std::errc() || end != text.data() + comma)
      throw UsageError(fmt::format("layer={}", text), "is not the number of a layer",
                       "write it like layer=12, or layer=0,5 for both");
    start = comma + 1;
  }
  return numbers;
}

/// The first layer that has positions, or layer 0.
std::int64_t first_with_positions(const PositionPlan& plan) {
  for (const LayerPlan& layer : plan.layers)
    if (layer.encoding != "none" && layer.encoding != "not_attention") return layer.layer;
  return 0;
}

/// The experiment's parameters with the words that are there, as far as they are single values.
ParamSet with_words(const std::vector<ParamSpec>& specs, const std::vector<Assignment>& given) {
  ParamSet params(specs);
  for (const auto& [key, text] : given) try {
      params.set(key, text);
    } catch (const UsageError&) {
      continue;  // a list of values, or one that is refused later, with a better message
    }
  return params;
}

/// A layer's settings among the parameters, but for those that were typed.
struct LayerWords {
  ParamSet params;
  std::vector<std::string> keys{};  ///< that something reads

  LayerWords(const LayerPlan& layer, const ParamSet& typed, const std::vector<Assignment>& given)
      : params(typed) {
    for (const auto& setting : layer_settings(layer, typed.specs())) {
      const std::string& key = setting.first;
      const bool is_given =
          std::any_of(given.begin(), given.end(),
                      [&](const Assignment& assignment) { return assignment.first == key; });
      if (is_given) continue;
      params.set_value(key, setting.second);
      keys.push_back(key);
    }
    std::erase_if(keys, [&](const std::string& key) { return !params.is_used(key); });
  }
  std::vector<std::string> words() const {
    std::vector<std::string> found;
    for (const std::string& key : keys)
      found.push_back(fmt::format("{}={}", key, params.to_text(key)));
    return found;
  }
};

/// The words of all layers as one: what some of them set has a value for each kind of layer.
ExpandedWords united(std::vector<LayerWords> layers) {
  for (auto at = layers.begin(); at != layers.end();)
    at = std::any_of(layers.begin(), at,
                     [&](const LayerWords& before) { return before.words() == at->words(); })
             ? layers.erase(at)
             : at + 1;
  std::vector<std::string> keys;
  for (const LayerWords& layer : layers)
    for (const std::string& key : layer.keys)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  ExpandedWords all;
  for (const std::string& key : keys) {
    std::vector<std::string> values;
    for (const LayerWords& layer : layers) values.push_back(layer.params.to_text(key));
    const bool same = std::count(values.begin(), values.end(), values.front()) ==
                      static_cast<std::ptrdiff_t>(values.size());
    if (same) values.resize(1);
    if (!same) all.zip.push_back(key);
    all.words.push_back(fmt::format("{}={}", key, fmt::join(values, ",")));
  }
  return all;
}

/// The words for a reader: of a long list only its beginning.
std::string brief_words(const std::vector<std::string>& words) {
  constexpr std::size_t most = 60;
  std::vector<std::string> brief;
  for (const std::string& word : words) {
    const std::size_t cut = word.size() <= most ? std::string::npos : word.find('+', most / 2);
    brief.push_back(cut == std::string::npos ? word : word.substr(0, cut) + "+…");
  }
  return fmt::format("{}", fmt::join(brief, " "));
}

}  // namespace

std::vector<Assignment> parse_assignments(const ParamSet& defaults,
                                          const std::vector<std::string>& words) {
  std::vector<Assignment> assignments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    Assignment next = parse_word(defaults, words, i);
    defaults.spec(next.first);
    const bool repeated = std::any_of(assignments.begin(), assignments.end(),
                                      [&](const Assignment& a) { return a.first == next.first; });
    if (repeated)
      throw UsageError(fmt::format("{}={}", next.first, next.second), "sets the same key again",
                       fmt::format("give {} once; {}=a,b runs both", next.first, next.first));
    assignments.push_back(std::move(next));
  }
  return assignments;
}

ParamSet params_from(ParamSet defaults, const std::vector<std::string>& words) {
  for (const auto& [key, value] : parse_assignments(defaults, words)) defaults.set(key, value);
  defaults.require_all_set_are_used();
  return defaults;
}

ExpandedWords expand_model_words(const std::vector<ParamSpec>& specs,
                                 std::vector<std::string> words) {
  const auto has = [&](const char* key) {
    return std::any_of(specs.begin(), specs.end(),
                       [&](const ParamSpec& spec) { return spec.key == key; });
  };
  if (has("model")) return {.words = std::move(words)};
  const std::optional<std::string> model = taken(words, "model");
  if (!model && has("layer")) return {.words = std::move(words)};
  const std::optional<std::string> layer = taken(words, "layer");
  if (!model && layer)
    throw UsageError(fmt::format("layer={}", *layer), "says no model",
                     "add model=FILE, a config.json, params.json or .gguf");
  if (!model) return {.words = std::move(words)};
  const PositionPlan plan = read_positions(*model);
  const std::vector<Assignment> given = parse_assignments(ParamSet(specs), words);
  const ParamSet typed = with_words(specs, given);
  std::vector<LayerWords> layers;
  std::vector<std::string> notes;
  const auto note = [&](std::string sentence) {
    if (std::find(notes.begin(), notes.end(), sentence) == notes.end())
      notes.push_back(std::move(sentence));
  };
  for (const std::int64_t number :
       layer ? layer_numbers(*layer) : std::vector{first_with_positions(plan)}) {
    const LayerPlan& chosen = layer_of(plan, number);
    layers.emplace_back(chosen, typed, given);
    note(fmt::format("layer {} of {} is {}", number, plan.source,
                     brief_words(layers.back().words())));
    for (const std::string& part : left_out(chosen, specs))
      note(fmt::format("not in this experiment: {}", part));
  }
  for (const std::string& sentence : plan.assumed) note(fmt::format("assumed: {}", sentence));
  ExpandedWords expanded = united(std::move(layers));
  expanded.notes = std::move(notes);
  expanded.words.insert(expanded.words.end(), words.begin(), words.end());
  return expanded;
}

}  // namespace orrery

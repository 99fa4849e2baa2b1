#include "experiments/sweeps/assignments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"

namespace orrery {
namespace {

std::string underscored(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool is_boolean(const ParamSet& defaults, const std::string& key) {
  return defaults.has(key) && defaults.spec(key).kind == ParamKind::boolean;
}

/// "--key value", "--key=value", "--flag" or "--no-flag", starting at words[i]; advances i past
/// a value.
Assignment parse_flag(const ParamSet& defaults, const std::vector<std::string>& words,
                      std::size_t& i) {
  const std::string word = words[i].substr(2);
  const std::size_t equals = word.find('=');
  const std::string key = underscored(word.substr(0, equals));
  if (equals != std::string::npos) return {key, word.substr(equals + 1)};
  if (key.starts_with("no_") && is_boolean(defaults, key.substr(3)))
    return {key.substr(3), "false"};
  if (is_boolean(defaults, key)) return {key, "true"};
  defaults.spec(key);  // an unknown key gives the better message
  if (i + 1 == words.size())
    throw UsageError(words[i], "needs a value", fmt::format("write {}=VALUE", words[i]));
  return {key, words[++i]};
}

Assignment parse_word(const ParamSet& defaults, const std::vector<std::string>& words,
                      std::size_t& i) {
  if (words[i].starts_with("--") && words[i].size() > 2) return parse_flag(defaults, words, i);
  const std::size_t equals = words[i].find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(words[i], "is not of the form key=value", "write it like dim=64");
  return {words[i].substr(0, equals), words[i].substr(equals + 1)};
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

}  // namespace orrery

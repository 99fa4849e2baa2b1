#include "experiments/c/settings.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "core/errors.h"

namespace orrery {
namespace {

using nlohmann::ordered_json;

UsageError wrong_value(const std::string& key, const ordered_json& value) {
  return {fmt::format("\"{}\": {}", key,
                      value.dump(-1, ' ', false, ordered_json::error_handler_t::replace)),
          "is no setting", "give a text, a number, true or false, or a list of these"};
}

std::string scalar_text(const std::string& key, const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return number_text(value.get<double>());
  throw wrong_value(key, value);
}

std::string value_text(const std::string& key, const ordered_json& value) {
  if (!value.is_array()) return scalar_text(key, value);
  std::vector<std::string> texts;
  for (const ordered_json& one : value) texts.push_back(scalar_text(key, one));
  return fmt::format("{}", fmt::join(texts, ","));
}

std::vector<std::string> json_words(std::string_view text) {
  const ordered_json json = ordered_json::parse(text, nullptr, false);
  if (!json.is_object())
    throw UsageError(text.substr(0, 40), "is no JSON object",
                     R"(write {"dim": 64, "encoding": "rope"}, or words like dim=64)");
  std::vector<std::string> words;
  for (const auto& [key, value] : json.items())
    words.push_back(fmt::format("{}={}", key, value_text(key, value)));
  return words;
}

}  // namespace

std::vector<std::string> words_of(const char* settings) {
  const std::string_view text = settings == nullptr ? "" : settings;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return json_words(text);
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace orrery

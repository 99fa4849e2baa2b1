#pragma once

#include <fmt/format.h>

#include <string>

#include "tests/support/golden_file.h"

namespace orrery::test {

inline const nlohmann::json& ids_file() {
  static const nlohmann::json file = golden("tokenizers/ids.json");
  return file;
}

inline const nlohmann::json& tokenizer_files() {
  static const nlohmann::json file = golden("tokenizers/tokenizers.json");
  return file;
}

/// A tokenizer.json of tokenizers.json, with its map of characters.
inline std::string tokenizer_text(const std::string& name) {
  std::string text = tokenizer_files().at("files").at(name).dump();
  const std::string place = "\"CHARSMAP\"";
  const std::size_t at = text.find(place);
  if (at != std::string::npos)
    text.replace(at, place.size(), tokenizer_files().at("CHARSMAP").dump());
  return text;
}

inline std::string tokenizer_path(const std::string& file) {
  return tests_folder() + "/golden/tokenizers/" + file;
}

/// Calls check(text, expected ids) for each text whose characters ICU 72 knows.
template <class Check>
void each_known_text(const nlohmann::json& expected, const Check& check) {
  const nlohmann::json& texts = ids_file().at("texts");
  const auto newer = ids_file().at("newer_than_unicode_15").get<std::size_t>();
  for (std::size_t i = 0; i + newer < texts.size(); ++i)
    check(texts[i].get<std::string>(), expected[i].get<std::string>());
}

}  // namespace orrery::test

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/shared_text.h"
#include "experiments/text/enum_names.h"

namespace orrery {

// Fields of our own JSON files, written and read back. Not for JSON from users.

/// The JSON does not have the form that this program writes. Readers of files turn it into a
/// DataError that names the file.
class MalformedJson : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses a file of ours, of most_levels at most. Throws MalformedJson.
/// @param take  may take what has been read, and leave it out by returning false
nlohmann::ordered_json json_in(std::string_view text,
                               const nlohmann::ordered_json::parser_callback_t& take = nullptr);

/// The fields of an object before the one named `end`, which is not read, nor is what follows it.
/// Throws MalformedJson.
nlohmann::ordered_json head_in(std::string_view text, std::string_view end);

/// A number; NaN is null, as pandas reads it, and infinities are "inf" and "-inf".
nlohmann::ordered_json number_json(double value);
nlohmann::ordered_json numbers_json(const std::vector<double>& values);

// Each throws MalformedJson, naming the key, when the field is missing or of another type.
const nlohmann::ordered_json& field(const nlohmann::ordered_json& object, const char* key);
std::string text_field(const nlohmann::ordered_json& object, const char* key);
/// Empty where the field is missing.
std::string text_if_any(const nlohmann::ordered_json& object, const char* key);
double number_field(const nlohmann::ordered_json& object, const char* key);
std::int64_t integer_field(const nlohmann::ordered_json& object, const char* key);
/// Throws also when the number is not between `least` and `most`.
std::int64_t integer_field(const nlohmann::ordered_json& object, const char* key,
                           std::int64_t least, std::int64_t most);
int int_field(const nlohmann::ordered_json& object, const char* key, int least,
              int most = std::numeric_limits<int>::max());
/// A text that names a file or a folder: see is_file_name. Only such a text is joined to a path.
std::string name_field(const nlohmann::ordered_json& object, const char* key);
std::vector<double> numbers_field(const nlohmann::ordered_json& object, const char* key);
std::vector<std::string> texts_field(const nlohmann::ordered_json& object, const char* key);
std::vector<std::size_t> sizes_field(const nlohmann::ordered_json& object, const char* key);
/// Settings, in their order, as texts: numbers as number_text writes them, see params_json.
Settings settings_field(const nlohmann::ordered_json& object, const char* key);
const nlohmann::ordered_json& list_field(const nlohmann::ordered_json& object, const char* key);

template <class T>
T enum_field(const nlohmann::ordered_json& object, const char* key, const EnumNames<T>& names) {
  const std::string text = text_field(object, key);
  if (const std::optional<T> value = find_value(names, text)) return *value;
  throw MalformedJson(std::string("'") + key + "' is '" + text +
                      "', which is not one of its names");
}

/// Throws MalformedJson when a name occurs twice. `name_of` returns the name of an item.
template <class Items, class NameOf>
void require_distinct(const Items& items, const char* key, NameOf name_of) {
  std::set<std::string> known;
  for (const auto& item : items)
    if (!known.insert(name_of(item)).second)
      throw MalformedJson(std::string("'") + key + "' has '" + name_of(item) + "' twice");
}

/// What `convert` makes of each item.
template <class Items, class Convert>
nlohmann::ordered_json json_list(const Items& items, Convert convert) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& item : items) list.push_back(convert(item));
  return list;
}

template <class Convert>
auto list_from(const nlohmann::ordered_json& object, const char* key, Convert convert) {
  std::vector<decltype(convert(object))> items;
  for (const auto& item : list_field(object, key)) items.push_back(convert(item));
  return items;
}

}  // namespace orrery

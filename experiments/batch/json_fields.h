#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/result.h"

namespace orrery {

// Fields of the JSON files that results are saved in, written and read back. Not for users' JSON.

/// JSON that does not have the form it was written in. Readers of files make a DataError of it.
class MalformedJson : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A number; JSON has no word for what is not finite: those are "nan", "inf" and "-inf".
nlohmann::ordered_json number_json(double value);
nlohmann::ordered_json numbers_json(const std::vector<double>& values);

// Each throws MalformedJson, naming the key, when the field is missing or of another type.
const nlohmann::ordered_json& field(const nlohmann::ordered_json& object, const char* key);
std::string text_field(const nlohmann::ordered_json& object, const char* key);
double number_field(const nlohmann::ordered_json& object, const char* key);
std::int64_t integer_field(const nlohmann::ordered_json& object, const char* key);
std::vector<double> numbers_field(const nlohmann::ordered_json& object, const char* key);
std::vector<std::string> texts_field(const nlohmann::ordered_json& object, const char* key);
std::vector<std::size_t> sizes_field(const nlohmann::ordered_json& object, const char* key);
const nlohmann::ordered_json& list_field(const nlohmann::ordered_json& object, const char* key);

/// One name each for the values of an enum.
template <class T>
using EnumNames = std::vector<std::pair<T, std::string_view>>;

/// Of the relation between a check's number and its bound.
const EnumNames<Relation>& relation_names();

template <class T>
std::string_view name_in(const EnumNames<T>& names, T value) {
  for (const auto& [one, name] : names)
    if (one == value) return name;
  throw std::logic_error("every value of an enum has its name");
}

template <class T>
T enum_field(const nlohmann::ordered_json& object, const char* key, const EnumNames<T>& names) {
  const std::string text = text_field(object, key);
  for (const auto& [one, name] : names)
    if (name == text) return one;
  throw MalformedJson(std::string("'") + key + "' is '" + text + "', which is not known here");
}

template <class Convert>
auto list_from(const nlohmann::ordered_json& object, const char* key, Convert convert) {
  std::vector<decltype(convert(object))> items;
  for (const auto& item : list_field(object, key)) items.push_back(convert(item));
  return items;
}

}  // namespace orrery

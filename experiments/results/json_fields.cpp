#include "experiments/results/json_fields.h"

#include <fmt/format.h>

#include <cmath>

#include "core/params.h"
#include "experiments/files/file.h"
#include "experiments/text/nesting.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const char* key, std::string_view expected) {
  throw MalformedJson(fmt::format("'{}' is not {}", key, expected));
}

double number_from(const Json& json, const char* key) {
  if (json.is_number()) return json.get<double>();
  // Results of earlier versions have "nan".
  if (json.is_null() || json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  refuse(key, "a number");
}

std::string text_from(const Json& json, const char* key) {
  if (!json.is_string()) refuse(key, "a text");
  return json.get<std::string>();
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? number_text(value.get<double>()) : value.dump();
}

}  // namespace

Json json_in(std::string_view text, const Json::parser_callback_t& take) try {
  if (const auto place = first_deep_place_in_json(text))
    throw MalformedJson(
        fmt::format("line {}, column {} {}", place->line, place->column, too_deep()));
  return Json::parse(text, take);
} catch (const Json::exception& error) {
  throw MalformedJson(error.what());
}

Json head_in(std::string_view text, std::string_view end) {
  const std::size_t at = own_key_in_json(text, end);
  // The key stays, with nothing in it, so that what precedes it is read as it is.
  Json head = at == std::string_view::npos
                  ? json_in(text)
                  : json_in(fmt::format("{}\"{}\": null}}", text.substr(0, at), end));
  if (!head.is_object()) throw MalformedJson("it is not an object");
  head.erase(std::string(end));
  return head;
}

Json number_json(double value) {
  if (std::isnan(value)) return nullptr;
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json numbers_json(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number_json(value));
  return list;
}

const Json& field(const Json& object, const char* key) {
  if (!object.is_object()) refuse(key, "in an object");
  const auto found = object.find(key);
  if (found == object.end()) throw MalformedJson(fmt::format("'{}' is missing", key));
  return *found;
}

std::string text_field(const Json& object, const char* key) {
  return text_from(field(object, key), key);
}

std::string text_if_any(const Json& object, const char* key) {
  return object.contains(key) ? text_field(object, key) : "";
}

double number_field(const Json& object, const char* key) {
  return number_from(field(object, key), key);
}

std::int64_t integer_field(const Json& object, const char* key) {
  const Json& value = field(object, key);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer() ||
      (value.is_number_unsigned() && value.get<std::uint64_t>() > most))
    refuse(key, "a whole number of 64 bits");
  return value.get<std::int64_t>();
}

std::int64_t integer_field(const Json& object, const char* key, std::int64_t least,
                           std::int64_t most) {
  const std::int64_t value = integer_field(object, key);
  if (value < least || value > most)
    throw MalformedJson(
        fmt::format("'{}' is {}, which is not from {} to {}", key, value, least, most));
  return value;
}

Settings settings_field(const Json& object, const char* key) {
  const Json& settings = field(object, key);
  if (!settings.is_object()) throw MalformedJson(fmt::format("'{}' is not an object", key));
  Settings texts;
  for (const auto& [name, value] : settings.items()) texts.emplace_back(name, text_of(value));
  return texts;
}

int int_field(const Json& object, const char* key, int least, int most) {
  return static_cast<int>(integer_field(object, key, least, most));
}

std::string name_field(const Json& object, const char* key) {
  std::string text = text_field(object, key);
  if (!is_file_name(text))
    throw MalformedJson(fmt::format("'{}' is {}, which is not a name", key, in_quotes(text)));
  return text;
}

const Json& list_field(const Json& object, const char* key) {
  const Json& list = field(object, key);
  if (!list.is_array()) refuse(key, "a list");
  return list;
}

std::vector<double> numbers_field(const Json& object, const char* key) {
  return list_from(object, key, [&](const Json& item) { return number_from(item, key); });
}

std::vector<std::string> texts_field(const Json& object, const char* key) {
  return list_from(object, key, [&](const Json& item) { return text_from(item, key); });
}

std::vector<std::size_t> sizes_field(const Json& object, const char* key) {
  return list_from(object, key, [&](const Json& item) {
    if (!item.is_number_unsigned()) refuse(key, "a list of sizes");
    return item.get<std::size_t>();
  });
}

}  // namespace orrery

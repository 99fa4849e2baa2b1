#include "experiments/model_files/config_json.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "core/errors.h"
#include "experiments/text/nesting.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

/// The text with Python's Infinity, -Infinity and NaN as null.
std::string without_python_numbers(std::string_view text) {
  constexpr std::array<std::string_view, 3> names{"-Infinity", "Infinity", "NaN"};
  std::string out;
  out.reserve(text.size());
  bool in_text = false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t skipped = 0;
    if (!in_text)
      for (const std::string_view name : names)
        if (skipped == 0 && text.substr(i, name.size()) == name) skipped = name.size();
    if (skipped > 0) {
      out += "null";
      i += skipped;
      continue;
    }
    if (in_text && text[i] == '\\' && i + 1 < text.size())
      out += text[i++];
    else if (text[i] == '"')
      in_text = !in_text;
    out += text[i++];
  }
  return out;
}

[[noreturn]] void refuse(std::string_view name, std::string_view what) {
  throw DataError(name, fmt::format("is not a configuration ({})", what),
                  "give a model's config.json as it was downloaded");
}

}  // namespace

Json parse_config(std::string_view text, std::string_view name) {
  if (first_deep_place_in_json(text)) refuse(name, "it " + too_deep());
  // The parser takes a NUL for the end of the text.
  if (text.find('\0') != std::string_view::npos) refuse(name, "it holds a NUL");
  try {
    Json json = Json::parse(without_python_numbers(text));
    if (!json.is_object()) refuse(name, "it is no JSON object");
    return json;
  } catch (const Json::parse_error& error) {
    refuse(name, fmt::format("no JSON at byte {}", error.byte));
  } catch (const Json::exception& error) {
    refuse(name, error.what());
  }
}

}  // namespace orrery

#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/unknown_name.h"

namespace orrery {

/// The values of an enum, each with the name that files and commands use for it.
template <class T>
using EnumNames = std::vector<std::pair<T, std::string_view>>;

template <class T>
std::string_view name_in(const EnumNames<T>& names, T value) {
  for (const auto& [one, name] : names)
    if (one == value) return name;
  throw std::logic_error("every value of an enum has its name");
}

/// Empty when no value has this name.
template <class T>
std::optional<T> find_value(const EnumNames<T>& names, std::string_view name) {
  for (const auto& [value, known] : names)
    if (known == name) return value;
  return std::nullopt;
}

/// All names, in the order of the table.
template <class T>
std::vector<std::string> all_names(const EnumNames<T>& names) {
  std::vector<std::string> all;
  for (const auto& [value, name] : names) all.emplace_back(name);
  return all;
}

/// Throws UsageError, see throw_unknown_name.
/// @param kind  with its article: "a theme"
template <class T>
T value_named(const EnumNames<T>& names, std::string_view name, std::string_view kind) {
  if (const std::optional<T> value = find_value(names, name)) return *value;
  throw_unknown_name(name, kind, all_names(names));
}

}  // namespace orrery

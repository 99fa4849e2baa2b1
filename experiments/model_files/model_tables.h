#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>
#include <vector>

#include "experiments/model_files/words.h"

namespace orrery {

// Tables of what models' code does: JSON in assets/families, see README.md there. A row is an object
// of the members of a struct that differ from their defaults.

/// A table, which is read once and stays. Throws IoError, DataError: it is missing or no JSON.
const nlohmann::ordered_json& model_table(std::string_view file);

/// Throws DataError, naming the file and the key.
[[noreturn]] void refuse_table_value(std::string_view file, std::string_view key,
                                     std::string_view reason);

/// How the members of a row are read, each by its key. Throws nlohmann's exception for a value of
/// another type, std::out_of_range for a word that is no name of an enum.
template <class Row>
using TableFields =
    std::map<std::string_view, std::function<void(Row&, const nlohmann::ordered_json&)>>;

/// A flag, a number or a text, which stays in the table.
template <class Row, class Value>
auto table_value(Value Row::*member) {
  return [=](Row& row, const nlohmann::ordered_json& value) {
    if constexpr (std::is_same_v<Value, std::string_view>)
      row.*member = value.get_ref<const std::string&>();
    else
      row.*member = value.get<Value>();
  };
}

/// @param names  of the enum's values, in their order, between spaces
template <class Row, class Value>
auto table_value(Value Row::*member, std::string_view names) {
  return [=](Row& row, const nlohmann::ordered_json& value) {
    row.*member = static_cast<Value>(place_of_word(names, value.get_ref<const std::string&>()));
  };
}

/// @param row  has the members that the object does not name
template <class Row>
Row table_row(std::string_view file, const nlohmann::ordered_json& object,
              const TableFields<Row>& fields, Row row = {}) {
  for (const auto& [key, value] : object.items()) try {
      fields.at(key)(row, value);
    } catch (const std::exception& error) {
      refuse_table_value(file, key, error.what());
    }
  return row;
}

/// The rows of a list, each once for every word of its name.
template <class Row>
std::vector<Row> table_rows(std::string_view file, std::string_view list,
                            const TableFields<Row>& fields) {
  std::vector<Row> all;
  for (const auto& object : model_table(file).at(list)) {
    const Row row = table_row(file, object, fields);
    for_each_word(row.name, [&](std::string_view name) {
      all.push_back(row);
      all.back().name = name;
    });
  }
  return all;
}

}  // namespace orrery

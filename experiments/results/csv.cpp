#include "experiments/results/csv.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <variant>

#include "core/errors.h"

namespace orrery::results {
namespace {

void append_field(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";  // without a sign
    return;
  }
  constexpr int significant = 17;
  std::array<char, 32> digits;  // -1.2345678901234567e-308 has 24
  // A quarter of fmt's time for whole numbers.
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::general, significant);
  text.append(digits.data(), end.ptr);
}

void append_field(std::string& text, const std::string& value) {
  // An empty field is quoted too, as readers skip blank lines.
  if (!value.empty() && value.find_first_of(",\"\r\n") == std::string::npos) {
    text += value;
    return;
  }
  text += '"';
  for (const char c : value) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  text += '"';
}

std::size_t rows_of(const Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

std::size_t rows_of(const Table& table) {
  const std::size_t rows = table.columns.empty() ? 0 : rows_of(table.columns.front());
  for (const Column& column : table.columns)
    check_invariant(rows_of(column) == rows, "the columns of a table are equally long");
  return rows;
}

void append_row(std::string& text, const Table& table, std::size_t row) {
  std::string_view separator;
  for (const Column& column : table.columns) {
    text += separator;
    separator = ",";
    std::visit([&](const auto& values) { append_field(text, values[row]); }, column.values);
  }
  text += "\r\n";
}

void append_header(std::string& text, const Table& table) {
  std::string_view separator;
  for (const Column& column : table.columns) {
    text += separator;
    separator = ",";
    append_field(text, column.name);
  }
  text += "\r\n";
}

}  // namespace

std::string csv_text(const Table& table) {
  std::string text;
  if (table.columns.empty()) return text;
  const std::size_t rows = rows_of(table);
  append_header(text, table);
  for (std::size_t row = 0; row < rows; ++row) append_row(text, table, row);
  return text;
}

}  // namespace orrery::results

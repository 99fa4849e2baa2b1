#include "experiments/results/csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "core/parallel.h"

namespace orrery {
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
  const std::string_view guard = is_formula(value) ? formula_guard : "";
  // An empty field is quoted too, as readers skip blank lines.
  if (!value.empty() && value.find_first_of(",\"\r\n") == std::string::npos) {
    text += guard;
    text += value;
    return;
  }
  text += '"';
  text += guard;
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

/// On all threads where there are many: to print a number takes as long as to compute it.
void append_rows(std::string& text, const Table& table, std::size_t rows) {
  constexpr std::size_t at_once = 1 << 14;
  std::vector<std::string> parts((rows + at_once - 1) / at_once);
  in_parallel(static_cast<std::ptrdiff_t>(parts.size()), threads_or_all(0), [&] {
    return [&](std::ptrdiff_t item) {
      const std::size_t part = static_cast<std::size_t>(item), first = part * at_once;
      for (std::size_t row = first; row < std::min(rows, first + at_once); ++row)
        append_row(parts[part], table, row);
    };
  });
  for (std::string& part : parts) {
    text += part;
    part = {};
  }
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

}  // namespace

bool is_formula(std::string_view text) {
  const std::size_t first = text.find_first_not_of(formula_guard);
  if (first == std::string_view::npos) return false;
  return std::string_view("=+-@\t\r").find(text[first]) != std::string_view::npos &&
         !is_number(text);
}

std::string csv_text(const Table& table) {
  std::string text;
  if (table.columns.empty()) return text;
  append_header(text, table);
  append_rows(text, table, rows_of(table));
  return text;
}

}  // namespace orrery

#include "experiments/results/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

void append_field(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "nan";  // without a sign
    return;
  }
  constexpr int significant = 17;
  constexpr double largest_plain = 1e15;  // whole numbers have their digits alone
  std::array<char, 32> digits;            // -1.2345678901234567e-308 has 24
  char *const first = digits.data(), *const last = first + digits.size();
  const bool is_negative_zero = value == 0 && std::signbit(value);
  const auto end =
      std::abs(value) < largest_plain && value == std::trunc(value) && !is_negative_zero
          ? std::to_chars(first, last, static_cast<std::int64_t>(value))
          : std::to_chars(first, last, value, std::chars_format::general, significant);
  text.append(first, end.ptr);
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

/// @param append  appends a column's field
template <class Append>
void append_line(std::string& text, const Table& table, const Append& append) {
  for (const Column& column : table.columns) {
    if (&column != &table.columns.front()) text += ',';
    append(column);
  }
  text += "\r\n";
}

void append_row(std::string& text, const Table& table, std::size_t row) {
  append_line(text, table, [&](const Column& column) {
    std::visit([&](const auto& values) { append_field(text, values[row]); }, column.values);
  });
}

/// On all threads where there are many: to print a number takes as long as to compute it.
void append_rows(std::string& text, const Table& table, std::size_t rows) {
  constexpr std::size_t at_once = 1 << 14;
  std::vector<std::string> parts((rows + at_once - 1) / at_once);
  in_parallel(static_cast<std::ptrdiff_t>(parts.size()), threads_or_all(0), [&] {
    return [&](std::ptrdiff_t item) {
      const std::size_t first = static_cast<std::size_t>(item) * at_once;
      const std::size_t end = std::min(rows, first + at_once);
      std::string& part = parts[static_cast<std::size_t>(item)];
      for (std::size_t row = first; row < end; ++row) {
        append_row(part, table, row);
        if (row == first) part.reserve(part.size() * (end - first) * 9 / 8);  // are alike
      }
    };
  });
  std::size_t bytes = text.size();
  for (const std::string& part : parts) bytes += part.size();
  text.reserve(bytes);
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

using Limits = std::numeric_limits<double>;

/// Fields one after another, as csv_text writes them.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  bool at_end() const { return at_ == text_.size(); }

  std::string next_text() {
    std::string field = at("\"") ? quoted() : std::string(plain());
    if (!is_utf8(field)) refuse("has text that is not UTF-8");
    if (field.starts_with(formula_guard) && is_formula(field)) field.erase(0, formula_guard.size());
    return field;
  }

  double next_number() {
    const std::string_view field = plain();
    if (field == "nan") return Limits::quiet_NaN();
    if (field == "inf") return Limits::infinity();
    if (field == "-inf") return -Limits::infinity();
    double value = 0;
    const char* end = field.data() + field.size();
    const std::size_t sign = field.starts_with('-') ? 1 : 0;
    const bool is_digit = sign < field.size() && field[sign] >= '0' && field[sign] <= '9';
    const auto read = std::from_chars(field.data(), end, value);
    if (!is_digit || read.ec != std::errc() || read.ptr != end)
      refuse(fmt::format("has {} where a number is to be", in_quotes(field)));
    return value;
  }

  /// Moves past what follows a field: a comma, or after the last of a row the line's end.
  void pass(bool last) {
    const std::string_view expected = last ? "\r\n" : ",";
    if (!at(expected)) refuse(last ? "has more fields than columns" : "ends within a row");
    at_ += expected.size();
    if (last) ++row_;
  }

  [[noreturn]] void refuse(std::string_view found) const {
    const std::string where = row_ == 0 ? "its header" : fmt::format("row {}", row_);
    throw DataError(name_, fmt::format("is damaged: {} {}", where, found),
                    "copy the folder again, or run the experiment again");
  }

 private:
  bool at(std::string_view expected) const { return text_.substr(at_).starts_with(expected); }

  std::string_view plain() {
    const std::size_t end = text_.find_first_of(",\"\r\n", at_);
    const std::string_view field = text_.substr(at_, end - at_);
    if (end == text_.npos || field.empty()) refuse("ends within a field");
    at_ = end;
    return field;
  }

  std::string quoted() {
    std::string field;
    for (++at_; !at_end(); ++at_) {
      if (text_[at_] == '"' && !at("\"\"")) {
        ++at_;
        return field;
      }
      if (text_[at_] == '"') ++at_;
      field += text_[at_];
    }
    refuse("ends within quotes");
  }

  std::string_view text_, name_;
  std::size_t at_{0}, row_{0};
};

void read_header(CsvReader& csv, const std::vector<Column>& columns) {
  for (const Column& column : columns) {
    if (const std::string found = csv.next_text(); found != column.name)
      csv.refuse(
          fmt::format("names the column {}, not {}", in_quotes(found), in_quotes(column.name)));
    csv.pass(&column == &columns.back());
  }
}

void read_row(CsvReader& csv, std::vector<Column>& columns) {
  for (Column& column : columns) {
    if (auto* numbers = std::get_if<std::vector<double>>(&column.values))
      numbers->push_back(csv.next_number());
    else
      std::get<std::vector<std::string>>(column.values).push_back(csv.next_text());
    csv.pass(&column == &columns.back());
  }
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
  append_line(text, table, [&](const Column& column) { append_field(text, column.name); });
  append_rows(text, table, rows_of(table));
  return text;
}

Table read_csv(std::string_view csv, Table described, std::optional<std::size_t> rows,
               std::string_view name) {
  CsvReader reader(csv, name);
  if (!described.columns.empty()) read_header(reader, described.columns);
  const std::size_t most = rows.value_or(csv.size());
  for (Column& column : described.columns)  // each field takes two bytes at least
    std::visit(
        [&](auto& values) {
          values.reserve(std::min(most, csv.size() / 2 / described.columns.size()));
        },
        column.values);
  std::size_t read = 0;
  for (; !reader.at_end() && read < most && !described.columns.empty(); ++read)
    read_row(reader, described.columns);
  if (!reader.at_end()) reader.refuse(fmt::format("is beyond the {} rows of its table", most));
  if (rows && read != *rows) reader.refuse(fmt::format("is missing: its table has {} rows", *rows));
  return described;
}

}  // namespace orrery

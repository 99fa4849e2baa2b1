#include "experiments/results/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "experiments/results/csv.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

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

/// No more than the file can hold: each field takes two bytes at least.
void reserve(std::vector<Column>& columns, std::size_t rows, std::size_t bytes) {
  for (Column& column : columns)
    std::visit([&](auto& values) { values.reserve(std::min(rows, bytes / 2 / columns.size())); },
               column.values);
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

Table read_csv(std::string_view csv, Table described, std::optional<std::size_t> rows,
               std::string_view name) {
  CsvReader reader(csv, name);
  if (!described.columns.empty()) read_header(reader, described.columns);
  const std::size_t most = rows.value_or(csv.size());
  reserve(described.columns, most, csv.size());
  std::size_t read = 0;
  for (; !reader.at_end() && read < most && !described.columns.empty(); ++read)
    read_row(reader, described.columns);
  if (!reader.at_end()) reader.refuse(fmt::format("is beyond the {} rows of its table", most));
  if (rows && read != *rows) reader.refuse(fmt::format("is missing: its table has {} rows", *rows));
  return described;
}

}  // namespace orrery

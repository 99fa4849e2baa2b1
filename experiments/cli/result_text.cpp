#include "experiments/cli/result_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/cli/console.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/text/display_width.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

std::string checks_text(const Result& result) {
  std::string text;
  for (const Check& check : result.checks)
    text += fmt::format("  {}  {}  {}: {} {} {}\n", check.holds() ? green("holds") : red("FAILS"),
                        plain_text(check.statement), plain_text(check.equation),
                        readable_number(check.measured), sign_of(check.relation),
                        readable_number(check.bound));
  return text;
}

std::string scalars_text(const Result& result) {
  std::size_t name_width = 0;
  std::size_t value_width = 0;
  for (const Scalar& scalar : result.scalars) {
    name_width = std::max(name_width, scalar.name.str().size());
    value_width = std::max(value_width, readable_number(scalar.value).size());
  }
  std::string text;
  for (const Scalar& scalar : result.scalars)
    text += fmt::format("  {:{}}  {:>{}}  {}{}\n", scalar.name, name_width,
                        readable_number(scalar.value), value_width, plain_text(scalar.description),
                        scalar.unit.empty() ? "" : " [" + scalar.unit + "]");
  return text;
}

std::string cell_text(const Column& column, std::size_t row) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&column.values))
    return readable_number((*numbers)[row]);
  return std::get<std::vector<std::string>>(column.values)[row];
}

/// A column with its heading: numbers to the right, words to the left.
std::vector<std::string> column_cells(const Column& column, std::size_t rows) {
  std::vector<std::string> cells{column.name};
  for (std::size_t row = 0; row < rows; ++row) cells.push_back(cell_text(column, row));
  return aligned(std::move(cells), std::holds_alternative<std::vector<double>>(column.values));
}

std::string table_text(const Table& table) {
  constexpr std::size_t most_rows = 48;
  const std::size_t all =
      std::visit([](const auto& values) { return values.size(); }, table.columns.front().values);
  const std::size_t rows = std::min(all, most_rows);
  std::vector<std::string> lines(rows + 1);
  for (const Column& column : table.columns) {
    const std::vector<std::string> cells = column_cells(column, rows);
    for (std::size_t line = 0; line <= rows; ++line) lines[line] += "  " + cells[line];
  }
  std::string text = plain_text(table.caption) + "\n";
  for (std::string& line : lines) text += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  if (rows < all)
    text += fmt::format("  … and {} more rows: {}.csv has all\n", all - rows, table.name);
  return text;
}

std::string tables_text(const Result& result) {
  std::string text;
  for (const Table& table : result.tables)
    if (table.printed) text += table_text(table);
  return text;
}

}  // namespace

std::string result_text(const Result& result) {
  return tables_text(result) + scalars_text(result) + checks_text(result);
}

}  // namespace orrery

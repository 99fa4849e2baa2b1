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

/// With a heading, a finding and a line of checks these are twelve lines.
constexpr std::size_t most_scalars = 9;

std::string check_text(const Check& check) {
  return fmt::format("  {}  {}  {}: {} {} {}\n", check.holds() ? green("holds") : red("FAILS"),
                     plain_text(check.statement), plain_text(check.equation),
                     readable_number(check.measured), sign_of(check.relation),
                     readable_number(check.bound));
}

std::string checks_text(const Result& result, Shown shown) {
  std::string text;
  std::size_t holding = 0;
  for (const Check& check : result.checks) {
    if (check.holds() && shown == Shown::first)
      ++holding;
    else
      text += check_text(check);
  }
  if (holding > 0)
    text += fmt::format("  {} check{}\n", holding, holding == 1 ? " holds" : "s hold");
  return text;
}

/// Of the first scalars, `most` of them.
std::string scalars_text(const Result& result, std::size_t most) {
  std::size_t name_width = 0, value_width = 0;
  const std::size_t count = std::min(most, result.scalars.size());
  for (std::size_t i = 0; i < count; ++i) {
    name_width = std::max(name_width, result.scalars[i].name.str().size());
    value_width = std::max(value_width, readable_number(result.scalars[i].value).size());
  }
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const Scalar& scalar = result.scalars[i];
    text += fmt::format("  {:{}}  {:>{}}  {}{}\n", scalar.name, name_width,
                        readable_number(scalar.value), value_width, plain_text(scalar.description),
                        scalar.unit.empty() ? "" : " [" + scalar.unit + "]");
  }
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

/// What its first figure says, and the answers that are tables.
std::string answer_text(const Result& result) {
  std::string text;
  if (!result.figures.empty()) text = "  " + plain_text(result.figures.front().title) + "\n";
  for (const Table& table : result.tables)
    if (table.printed) text += table_text(table);
  return text;
}

}  // namespace

std::string result_text(const Result& result, Shown shown) {
  std::string text = answer_text(result);
  const std::string checks = checks_text(result, shown);
  if (shown == Shown::all) return text + scalars_text(result, result.scalars.size()) + checks;
  std::size_t room = most_scalars;
  if (result.scalars.size() > room) --room;
  text += scalars_text(result, room);
  if (result.scalars.size() > room)
    text += fmt::format("  … and {} more numbers: --all\n", result.scalars.size() - room);
  return text + checks;
}

}  // namespace orrery

#include "experiments/setup/table_builder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

namespace orrery {
namespace {

bool is_empty(const Column& column) {
  return std::visit([](const auto& values) { return values.empty(); }, column.values);
}

template <class T>
void append(Column& column, const T& value) {
  if (is_empty(column)) column.values = std::vector<T>{};
  auto* values = std::get_if<std::vector<T>>(&column.values);
  if (!values) throw std::logic_error("column " + column.name + " mixes numbers and texts");
  values->push_back(value);
}

}  // namespace

TableBuilder::TableBuilder(std::string name, std::string caption, std::vector<Heading> columns) {
  table_.name = std::move(name);
  table_.caption = std::move(caption);
  for (Heading& heading : columns)
    table_.columns.push_back({std::move(heading.name), std::move(heading.unit), {}});
}

void TableBuilder::row(const std::vector<TableCell>& cells) {
  if (cells.size() != table_.columns.size())
    throw std::logic_error("table " + table_.name + " got a row of another length");
  auto column = table_.columns.begin();
  for (const TableCell& cell : cells)
    std::visit([&](const auto& value) { append(*column++, value); }, cell.value);
}

Table table_of_arrays(const std::vector<std::shared_ptr<const Array>>& arrays) {
  TableBuilder table("arrays", "arrays that were computed", {{"array"}, {"shape"}});
  for (const auto& array : arrays)
    table.row({array->name, fmt::format("[{}]", fmt::join(array->shape, ", "))});
  return std::move(table).finish();
}

}  // namespace orrery

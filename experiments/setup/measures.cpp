#include "experiments/setup/measures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>
#include <utility>

#include "core/analysis/largest.h"

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

TableBuilder::Heading::Heading(const char* written) : name(written) {
  const std::size_t bracket = name.find(" [");
  if (bracket == std::string::npos) return;
  unit = name.substr(bracket + 2, name.size() - bracket - 3);
  name.erase(bracket);
}

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
  TableBuilder table("arrays", "arrays that were computed", {"array", "shape"});
  for (const auto& array : arrays)
    table.row({array->name, fmt::format("[{}]", fmt::join(array->shape, ", "))});
  return std::move(table).finish();
}

double largest_of(std::span<const double> values) {
  Largest largest;
  for (const double value : values) largest.see(value);
  return largest.value();
}

FindingsOn::FindingsOn(Result& result, std::string key, std::string label)
    : result_(result),
      key_(key.empty() ? "" : std::move(key) + "_"),
      label_(label.empty() ? "" : std::move(label) + ": ") {}

Scalar& FindingsOn::scalar(const std::string& name, double value, const std::string& words,
                           const std::string& unit, const std::string& symbol) const {
  return result_.scalars.emplace_back(Scalar{.name = key_ + name,
                                             .symbol = symbol,
                                             .unit = unit,
                                             .value = value,
                                             .description = label_ + words});
}

void FindingsOn::at_most(const std::string& name, const std::string& statement,
                         const std::string& equation, double measured, double bound) const {
  result_.checks.push_back({.name = key_ + name,
                            .statement = label_ + statement,
                            .equation = equation,
                            .measured = measured,
                            .bound = bound});
}

void FindingsOn::at_least(const std::string& name, const std::string& statement,
                          const std::string& equation, double measured, double bound) const {
  at_most(name, statement, equation, measured, bound);
  result_.checks.back().relation = Relation::at_least;
}

Series banded(Series form, const Band& band) {
  form.y = band.mean;
  form.band_low = band.least;
  form.band_high = band.greatest;
  return form;
}

void add_band(Table& table, const std::string& key, const Band& band) {
  table.columns.push_back({"mean_" + key, "", band.mean});
  table.columns.push_back({"least_" + key, "", band.least});
  table.columns.push_back({"greatest_" + key, "", band.greatest});
}

void add_curve(Table& table, LinePlot& plot, Column column, Series form) {
  form.x = std::get<std::vector<double>>(table.columns.front().values);
  form.y = std::get<std::vector<double>>(column.values);
  plot.series.push_back(std::move(form));
  table.columns.push_back(std::move(column));
}

void add_curve(Table& table, LinePlot& plot, Column mean, const std::vector<double>& deviation,
               Series form) {
  Column of_deviations{mean.name + "_deviation", mean.unit, deviation};
  add_curve(table, plot, std::move(mean), std::move(form));
  table.columns.push_back(std::move(of_deviations));
  Series& curve = plot.series.back();
  for (std::size_t i = 0; i < curve.y.size(); ++i) {
    curve.band_low.push_back(curve.y[i] - deviation[i]);
    curve.band_high.push_back(curve.y[i] + deviation[i]);
  }
}

}  // namespace orrery

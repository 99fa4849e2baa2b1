#include "experiments/setup/measures.h"

#include <utility>

#include "core/analysis/largest.h"

namespace orrery {

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

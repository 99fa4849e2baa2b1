#include "experiments/combine/panels_table.h"

#include <limits>
#include <string>
#include <vector>

namespace orrery {
namespace {

constexpr double no_band = std::numeric_limits<double>::quiet_NaN();

std::string label_of(const std::vector<std::string>& labels, std::size_t i) {
  return i < labels.size() ? labels[i] : std::to_string(i);
}

struct Rows {
  std::vector<std::string> panels{}, curves{}, rows{}, columns{};
  std::vector<double> x{}, y{}, low{}, high{}, values{};

  void add(const Figure& panel, const LinePlot& plot) {
    for (const Series& series : plot.series)
      for (std::size_t i = 0; i < series.x.size(); ++i) {
        panels.push_back(panel.title);
        curves.push_back(series.name);
        x.push_back(series.x[i]);
        y.push_back(series.y[i]);
        low.push_back(series.band_low.empty() ? no_band : series.band_low[i]);
        high.push_back(series.band_high.empty() ? no_band : series.band_high[i]);
      }
  }

  void add(const Figure& panel, const Heatmap& map) {
    const std::size_t width = map.values->shape.at(1);
    for (std::size_t i = 0; i < map.values->size(); ++i) {
      panels.push_back(panel.title);
      rows.push_back(label_of(map.row_labels, i / width));
      columns.push_back(label_of(map.column_labels, i % width));
      values.push_back((*map.values)[i]);
    }
  }
};

}  // namespace

Table table_of(const Panels& page) {
  Rows all;
  for (const Figure& panel : page.panels) {
    if (const auto* plot = std::get_if<LinePlot>(&panel.content)) all.add(panel, *plot);
    if (const auto* map = std::get_if<Heatmap>(&panel.content)) all.add(panel, *map);
  }
  Table table{.name = page.id, .caption = page.caption};
  table.columns.push_back({"panel", "", std::move(all.panels)});
  if (!all.rows.empty()) {
    table.columns.push_back({"row", "", std::move(all.rows)});
    table.columns.push_back({"column", "", std::move(all.columns)});
    table.columns.push_back({"value", "", std::move(all.values)});
    return table;
  }
  table.columns.push_back({"curve", "", std::move(all.curves)});
  table.columns.push_back({"x", "", std::move(all.x)});
  table.columns.push_back({"y", "", std::move(all.y)});
  table.columns.push_back({"low", "", std::move(all.low)});
  table.columns.push_back({"high", "", std::move(all.high)});
  return table;
}

}  // namespace orrery

#include "tests/fuzz/support/figure_input.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "experiments/results/figure_json.h"

namespace orrery::fuzz {
namespace {

constexpr std::size_t most_elements = 1024;

/// The i-th number of the input, which repeats; a ramp where it has none.
double number_at(std::string_view numbers, std::size_t i) {
  const std::size_t count = numbers.size() / sizeof(double);
  if (count == 0) return static_cast<double>(i) / 4;
  double value = 0;
  std::memcpy(&value, numbers.data() + i % count * sizeof(double), sizeof(double));
  return value;
}

template <class T>
std::vector<T> filled(std::size_t elements, std::string_view numbers) {
  std::vector<T> values(elements);
  for (std::size_t i = 0; i < elements; ++i) {
    const double value = number_at(numbers, i);
    // Beyond float there is no conversion.
    const double most = static_cast<double>(std::numeric_limits<T>::max());
    values[i] = static_cast<T>(value > most ? most : value < -most ? -most : value);
  }
  return values;
}

std::shared_ptr<const Array> with_numbers(Array array, std::string_view numbers) {
  std::size_t elements = 1;
  for (const std::size_t dimension : array.shape) {
    if (dimension > most_elements / std::max<std::size_t>(elements, 1))
      throw MalformedJson("too large for a fuzzer");
    elements *= dimension;
  }
  if (std::holds_alternative<std::vector<float>>(array.values))
    array.values = filled<float>(elements, numbers);
  else
    array.values = filled<double>(elements, numbers);
  return std::make_shared<const Array>(std::move(array));
}

bool is_consistent(const LinePlot& plot) {
  return std::all_of(plot.series.begin(), plot.series.end(), [](const Series& series) {
    const std::size_t size = series.x.size();
    const auto fits = [size](const auto& band) { return band.empty() || band.size() == size; };
    return series.y.size() == size && fits(series.band_low) && fits(series.band_high) &&
           series.band_low.size() == series.band_high.size();
  });
}

bool is_consistent(const Heatmap& map) {
  if (!map.values || map.values->shape.size() != 2) return false;
  const std::size_t rows = map.values->shape[0], columns = map.values->shape[1];
  return (!map.masked || map.masked->shape == map.values->shape) &&
         (map.row_labels.empty() || map.row_labels.size() == rows) &&
         (map.column_labels.empty() || map.column_labels.size() == columns);
}

bool is_consistent(const TableFigure& table) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row.size() == table.header.size(); });
}

bool is_consistent(const VectorPlot&) { return true; }

}  // namespace

FigureInput::FigureInput(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  json = bytes.substr(0, end);
  rest = bytes.substr(std::min(end + 1, bytes.size()));
}

std::optional<Figure> figure_in(const Json& json, std::string_view numbers) {
  return accepted_json([&] {
    return figure_from_json(json, [&](Array described, const std::string&) {
      return with_numbers(std::move(described), numbers);
    });
  });
}

bool is_consistent(const Figure& figure) {
  return std::visit([](const auto& content) { return is_consistent(content); }, figure.content);
}

}  // namespace orrery::fuzz

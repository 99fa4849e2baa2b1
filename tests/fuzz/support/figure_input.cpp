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

/// The columns of numbers filled from `numbers`, and those of text empty text.
Table filled_table(Table table, std::size_t rows, std::string_view numbers) {
  if (rows > most_elements / std::max<std::size_t>(table.columns.size(), 1))
    throw MalformedJson("too large for a fuzzer");
  for (Column& column : table.columns)
    if (std::holds_alternative<std::vector<double>>(column.values))
      column.values = filled<double>(rows, numbers);
    else
      column.values = std::vector<std::string>(rows);
  return table;
}

}  // namespace

FigureInput::FigureInput(std::string_view bytes) {
  const std::size_t end = std::min(bytes.find('\0'), bytes.size());
  json = bytes.substr(0, end);
  rest = bytes.substr(std::min(end + 1, bytes.size()));
}

std::optional<Figure> figure_in(const Json& json, std::string_view numbers) {
  return accepted_json([&] {
    return figure_from_json(
        json,
        [&](Array described, const std::string&) {
          return with_numbers(std::move(described), numbers);
        },
        [&](Table described, const std::string&, std::size_t rows) {
          return filled_table(std::move(described), rows, numbers);
        });
  });
}

}  // namespace orrery::fuzz

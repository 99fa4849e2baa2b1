// Reads a saved figure, writes it again, and makes its table.
#include "experiments/results/figure_json.h"
#include "experiments/results/figure_table.h"
#include "tests/fuzz/support/figure_input.h"

using namespace orrery;

namespace {

std::string written(const Figure& figure) {
  return figure_json(figure, [](const auto&, std::string_view role) { return std::string(role); })
      .dump(-1, ' ', false, fuzz::Json::error_handler_t::replace);
}

std::size_t length_of(const Column& column) {
  return std::visit([](const auto& values) { return values.size(); }, column.values);
}

void require_table(const Figure& figure) {
  const Table table = table_of(figure);
  for (const Column& column : table.columns)
    fuzz::require(length_of(column) == length_of(table.columns.front()),
                  "a table's columns are of equal length");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::FigureInput input(fuzz::text_of(data, size));
  const auto json = fuzz::parsed(input.json);
  if (!json) return 0;
  const std::optional<Figure> figure = fuzz::figure_in(*json, input.rest);
  if (!figure) return 0;
  const std::string text = written(*figure);
  const std::optional<Figure> again = fuzz::figure_in(*fuzz::parsed(text), input.rest);
  fuzz::require(again && written(*again) == text, "a figure is read as it was written");
  require_table(*figure);
  return 0;
}

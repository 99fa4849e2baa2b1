#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/model/experiment.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/token_inputs.h"
#include "experiments/studies/apply/applied_encoding.h"

namespace orrery {
namespace {
namespace in_apply {

ExperimentInfo make_info() {
  return {.name = "apply",
          .title = "An encoding on your own vectors",
          .question = "What does an encoding make of your vectors, and what are its constants?",
          .formulas = {{R"(q_m = \mathbf{R}_{\Theta,m} x_m)", "eq. (16)"},
                       {R"(q_m = x_m + p_m)", "eq. (3)"}},
          .symbols = {{"x_m", "a row of x, at position m"}},
          .params = apply_params(),
          .view = {.controls = {"encoding", "x", "dim"}}};
}

const std::vector<double>& numbers_of(const Column& column) {
  return std::get<std::vector<double>>(column.values);
}

/// The constants as a map of the table's rows, or as a curve over its first column.
Figure constants_figure(const std::string& caption, const Table& table) {
  if (table.name == "index") {
    const std::size_t rows = numbers_of(table.columns.front()).size();
    std::vector<double> values;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 1; j < table.columns.size(); ++j)
        values.push_back(numbers_of(table.columns[j])[i]);
    auto array = std::make_shared<const Array>(Array{.name = "rows",
                                                     .description = table.caption,
                                                     .shape = {rows, table.columns.size() - 1},
                                                     .axes = {"query", "key"},
                                                     .values = std::move(values)});
    return {
        "constants", "Rows of the table that positions look up", caption,
        Heatmap{.values = std::move(array), .x = key_axis(), .y = query_axis(), .quantity = "row"}};
  }
  const Column &over = table.columns[0], &of = table.columns[1];
  return {"constants", table.caption, caption,
          LinePlot{.x = {.label = over.name},
                   .y = {.label = of.name, .unit = of.unit, .scale = AxisScale::log2},
                   .series = {{.name = of.name, .x = numbers_of(over), .y = numbers_of(of)}}}};
}

Figure encoded_figure(const std::string& caption, const Array& encoded) {
  const std::size_t rows = encoded.shape[encoded.shape.size() - 2], d = encoded.shape.back();
  Array first{.name = "first_encoded",
              .description = "the first head of the first entry",
              .shape = {rows, d},
              .axes = {"row", "channel"}};
  std::vector<double> values;
  for (std::size_t i = 0; i < rows * d; ++i) values.push_back(encoded[i]);
  first.values = std::move(values);
  return {"encoded", "Encoded vectors of the first head", caption,
          Heatmap{.values = std::make_shared<const Array>(std::move(first)),
                  .x = channel_axis(),
                  .y = {.label = "row"},
                  .quantity = "encoded",
                  .meaning = Meaning::diverging}};
}

/// Rows along the last axis with a number that is not finite.
std::size_t overflowed_rows(const Array& encoded) {
  const std::size_t d = encoded.shape.back();
  std::size_t rows = 0;
  for (std::size_t row = 0; row * d < encoded.size(); ++row) {
    bool finite = true;
    for (std::size_t t = 0; t < d; ++t) finite = finite && std::isfinite(encoded[row * d + t]);
    rows += finite ? 0 : 1;
  }
  return rows;
}

Result encoded_result(const AppliedEncoding& encoding, const Tensor& x,
                      std::optional<Positions> positions) {
  if (x.shape.size() < 2)
    throw DataError(shape_text(x), "must be [N, d], [heads, N, d] or [batch, heads, N, d]",
                    "reshape it and save it again");
  const auto encoded = encoding.apply(
      x, positions
             ? *positions
             : consecutive_positions(static_cast<std::ptrdiff_t>(x.shape[x.shape.size() - 2])));
  Result result{.figures = {encoded_figure(caption_of(encoding.params()), *encoded)},
                .arrays = {encoded}};
  result.tables.push_back(table_of_arrays(result.arrays));
  if (const std::size_t rows = overflowed_rows(*encoded); rows > 0)
    result.scalars.push_back(
        {.name = "overflowed_rows",
         .value = static_cast<double>(rows),
         .description = fmt::format("of {} rows hold NaN or an infinity: a number is beyond the "
                                    "range of its format",
                                    encoded->size() / encoded->shape.back())});
  return result;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  checkpoint(progress, 0.0, "encoding");
  const AppliedEncoding encoding(params, tables_of(params, inputs));
  const std::optional<Positions> positions = given_positions(inputs, "positions");
  if (const Tensor* x = tensor_of(inputs, "x")) return encoded_result(encoding, *x, positions);
  constexpr std::ptrdiff_t default_positions = 10;
  Table table =
      encoding.constants(positions ? *positions : consecutive_positions(default_positions));
  table.printed = true;
  Result result{.figures = {constants_figure(caption_of(params), table)}};
  result.tables.push_back(std::move(table));
  return result;
}

}  // namespace in_apply
}  // namespace

Experiment apply_experiment() {
  using namespace in_apply;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/errors.h"
#include "experiments/c/arrays.h"
#include "experiments/c/handles.h"
#include "experiments/data/load_inputs.h"
#include "experiments/files/memory_limit.h"
#include "experiments/results/params_json.h"
#include "experiments/results/result_json.h"
#include "experiments/results/table_json.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/provenance.h"
#include "experiments/sweeps/assignments.h"

namespace orrery {
namespace {

/// Those that the encoding reads.
std::vector<std::string> table_names(const ParamSet& params) {
  std::vector<std::string> names;
  for (const ParamSpec& spec : params.specs())
    if (spec.group == table_group && params.is_used(spec.key)) names.push_back(spec.key);
  return names;
}

Positions positions_or_first(const orrery_array* positions, std::ptrdiff_t count) {
  if (positions == nullptr) return consecutive_positions(count);
  return positions_of(*positions, "positions");
}

/// Of an array whose rank is not known to be right.
std::ptrdiff_t rows_of_any(const Tensor& x) {
  return x.shape.size() < 2 ? 0 : static_cast<std::ptrdiff_t>(x.shape[x.shape.size() - 2]);
}

void create(const char* settings, const orrery_array* tables, std::size_t count,
            orrery_encoding** encoding) {
  require(encoding, "the place for the encoding");
  static const ParamSet defaults(apply_params());  // made once, as there are hundreds
  ParamSet params = params_from(defaults, words_of(settings));
  if (!params.text("x").empty())
    throw UsageError(fmt::format("x={}", params.text("x")), "is an array here, not a file",
                     "pass it to orrery_apply");
  Given given(tables, count);
  ParamSet announced = params;
  given.announce(announced);
  const Inputs inputs = given.take_inputs(announced);
  given.require_all_taken(table_names(params));
  Tables read = tables_of(announced, inputs);
  *encoding = new orrery_encoding{AppliedEncoding(std::move(params), std::move(read))};
}

nlohmann::ordered_json settings_json(const ParamSet& params) {
  return {{"settings", params_json(stated_settings(params), params.specs())},
          {"arithmetic", runs_in_fp64(params) ? "fp64" : "fp32"}};
}

/// Each column is an array; columns of text become none.
void give_table(orrery_result** place, const Table& table) {
  orrery_result result{.json = json_text(table_json(table))};
  for (const Column& column : table.columns) {
    const auto* values = std::get_if<std::vector<double>>(&column.values);
    if (values == nullptr) continue;
    result.arrays.push_back(std::make_shared<const Array>(
        Array{.name = column.name, .shape = {values->size()}, .axes = {"row"}, .values = *values}));
  }
  give(place, std::move(result));
}

}  // namespace

}  // namespace orrery

extern "C" {

orrery_status orrery_encoding_create(const char* settings, const orrery_array* tables,
                                     size_t table_count, orrery_encoding** encoding) {
  return orrery::guarded([&] { orrery::create(settings, tables, table_count, encoding); });
}

orrery_status orrery_encoding_settings(const orrery_encoding* encoding, orrery_result** result) {
  return orrery::guarded([&] {
    orrery::require(encoding, "the encoding");
    orrery::give(result, orrery::settings_json(encoding->applied.params()));
  });
}

orrery_status orrery_apply(const orrery_encoding* encoding, const orrery_array* x,
                           const orrery_array* positions, const orrery_array* out) {
  return orrery::guarded([&] {
    orrery::require(encoding, "the encoding");
    orrery::require(x, "x");
    orrery::require(out, "out");
    const orrery::Tensor tensor = orrery::tensor_of(*x, "x");
    const auto at = orrery::positions_or_first(positions, orrery::rows_of_any(tensor));
    orrery::write_to(*out, *encoding->applied.apply(tensor, at));
  });
}

orrery_status orrery_bias(const orrery_encoding* encoding, const orrery_array* m,
                          const orrery_array* n, const orrery_array* out) {
  return orrery::guarded([&] {
    orrery::require(encoding, "the encoding");
    orrery::require(m, "m");
    orrery::require(n, "n");
    orrery::require(out, "out");
    const auto rows = orrery::positions_of(*m, "m"), columns = orrery::positions_of(*n, "n");
    // A map of one head as it is computed, and as it is given.
    constexpr double bytes_per_number = 2 * sizeof(double);
    orrery::require_memory(
        bytes_per_number * static_cast<double>(rows.size()) * static_cast<double>(columns.size()),
        "the bias", "give fewer positions");
    orrery::write_to(*out, encoding->applied.bias(rows, columns));
  });
}

orrery_status orrery_constants(const orrery_encoding* encoding, const orrery_array* positions,
                               orrery_result** result) {
  return orrery::guarded([&] {
    orrery::require(encoding, "the encoding");
    constexpr std::ptrdiff_t default_positions = 10;
    orrery::give_table(result, encoding->applied.constants(
                                   orrery::positions_or_first(positions, default_positions)));
  });
}

}  // extern "C"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/errors.h"
#include "experiments/arrays/attend.h"
#include "experiments/c/arrays.h"
#include "experiments/c/handles.h"
#include "experiments/data/held_arrays.h"
#include "experiments/data/take_tensor.h"
#include "experiments/files/memory_limit.h"
#include "experiments/results/params_json.h"
#include "experiments/results/result_json.h"
#include "experiments/results/table_json.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/provenance.h"
#include "experiments/sweeps/assignments.h"

namespace orrery {
namespace {

/// The words over the defaults, and over those the arrays that are given.
ParamSet attend_settings(const char* settings, const Given& given) {
  static const ParamSet defaults(attend_params());
  ParamSet announced = defaults;
  given.announce(announced);
  return params_from(std::move(announced), words_of(settings));
}

AttendInputs attend_inputs(const ParamSet& params, Given& given) {
  Inputs inputs = given.take_inputs(params, {"mask"});
  std::vector<std::string> tables = encoding_table_names(params);
  for (std::string& name : attention_table_names(params, inputs.count("x") > 0))
    tables.push_back(std::move(name));
  AttendInputs taken{.x = take_tensor(inputs, "x"),
                     .mask = take_tensor(inputs, "mask"),
                     .padding = take_tensor(inputs, "padding"),
                     .segments = take_tensor(inputs, "segments"),
                     .tables = given.take_tables(tables),
                     .query_positions = given.take_positions("query_positions"),
                     .key_positions = given.take_positions("positions")};
  if (auto q = take_tensor(inputs, "q")) taken.q.emplace(std::move(*q));
  if (auto k = take_tensor(inputs, "k")) taken.k.emplace(std::move(*k));
  if (auto v = take_tensor(inputs, "v")) taken.v.emplace(std::move(*v));
  for (const char* name :
       {"q", "k", "v", "x", "mask", "padding", "segments", "positions", "query_positions"})
    tables.emplace_back(name);
  given.require_all_taken(tables);
  return taken;
}

nlohmann::ordered_json attended_json(const ParamSet& params, const AttendResult& attended) {
  return {{"encoding", params.text("encoding")},
          {"precision", params.text("precision")},
          {"arithmetic", runs_in_fp64(params) ? "fp64" : "fp32"},
          {"mask_kind", attended.mask_kind},
          {"fully_masked_rows", attended.fully_masked_rows},
          {"nan_rows", attended.nan_rows},
          {"overflowed_rows", attended.overflowed_rows},
          {"overflowed_layer_rows", attended.overflowed_layer_rows},
          {"zero_normalizers", attended.zero_normalizers},
          {"infinite_normalizers", attended.infinite_normalizers},
          {"nan_normalizers", attended.nan_normalizers},
          {"notes", attended.notes}};
}

void attend_given(const char* settings, Given given, const orrery_progress* progress,
                  orrery_result** result) {
  const ParamSet params = attend_settings(settings, given);
  AttendInputs inputs = attend_inputs(params, given);
  CallerProgress told(progress);
  HeldArrays held;
  const AttendResult attended = attend(params, std::move(inputs), held, told);
  give(result, {.json = json_text(attended_json(params, attended)), .arrays = held.take()});
}

Positions positions_or_first(const orrery_array* positions, std::ptrdiff_t count) {
  if (positions == nullptr) return consecutive_positions(count);
  return positions_of(*positions, "positions");
}

/// Of an array whose rank is not known to be right.
std::ptrdiff_t rows_of(const Tensor& x) {
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
  const std::vector<std::string> names = encoding_table_names(params);
  TensorMap named = given.take_tables(names);
  given.require_all_taken(names);
  *encoding = new orrery_encoding{AppliedEncoding(std::move(params), std::move(named))};
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

extern "C" orrery_status orrery_attend(const char* settings, const orrery_array* inputs,
                                       size_t input_count, const orrery_progress* progress,
                                       orrery_result** result) {
  return orrery::guarded([&] {
    orrery::attend_given(settings, orrery::Given(inputs, input_count), progress, result);
  });
}

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
    const auto at = orrery::positions_or_first(positions, orrery::rows_of(tensor));
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

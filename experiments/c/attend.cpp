#include "experiments/arrays/attend.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/c/arrays.h"
#include "experiments/c/guarded.h"
#include "experiments/c/handles.h"
#include "experiments/c/settings.h"
#include "experiments/data/held_arrays.h"
#include "experiments/data/take_tensor.h"
#include "experiments/results/result_json.h"
#include "experiments/setup/common_params.h"
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

}  // namespace
}  // namespace orrery

extern "C" orrery_status orrery_attend(const char* settings, const orrery_array* inputs,
                                       size_t input_count, const orrery_progress* progress,
                                       orrery_result** result) {
  return orrery::guarded([&] {
    orrery::attend_given(settings, orrery::Given(inputs, input_count), progress, result);
  });
}

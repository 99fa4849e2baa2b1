#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/c/arrays.h"
#include "experiments/c/handles.h"
#include "experiments/findings/identify_matrices.h"
#include "experiments/findings/identify_tensors.h"
#include "experiments/findings/identify_text.h"
#include "experiments/model_files/positions_json.h"
#include "experiments/model_files/read_config.h"
#include "experiments/model_files/read_positions.h"
#include "experiments/setup/common_params.h"
#include "experiments/sweeps/assignments.h"

namespace orrery {
namespace {

/// Of a file, a folder, or the text of a configuration.
PositionPlan plan_of(const std::string& model, std::int64_t length) {
  const ReadOptions options{.length = length};
  const std::size_t first = model.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && model[first] == '{')
    return read_config(model, "the configuration", options);
  return read_positions(model, options);
}

ParamSpec text_setting(const char* key, const char* description) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::file,
          .default_value = std::string()};
}

ParamSet identify_settings(const char* settings) {
  return params_from(
      ParamSet({text_setting("model", "What should have happened: a model's file or its text."),
                count_param("layer", "Its layer.", 0, 0, 1e6),
                {.key = "format",
                 .description = "The format of the tensor's numbers.",
                 .kind = ParamKind::choice,
                 .default_value = std::string("auto"),
                 .choices = {{"auto", "the narrowest that holds them"},
                             {"fp64", ""},
                             {"fp32", ""},
                             {"bf16", ""},
                             {"fp16", ""}}},
                count_param("most", "The most explanations.", 6, 1, 1000),
                {.key = "tokens_first",
                 .description = "Tensors are [N, H, d] rather than [H, N, d].",
                 .kind = ParamKind::boolean,
                 .default_value = false},
                count_param("threads", "Threads; 0: all cores.", 0, 0, 4096)}),
      words_of(settings));
}

IdentifyOptions identify_options(const ParamSet& params, Given& given) {
  IdentifyOptions options{.tokens_first = params.boolean("tokens_first"),
                          .most = static_cast<std::size_t>(params.integer("most")),
                          .threads = threads_or_all(static_cast<int>(params.integer("threads")))};
  if (params.text("format") != "auto") options.format = params.text("format");
  const orrery_array* positions = given.take("positions");
  if (positions == nullptr) return options;
  if (positions->rank == 2) {
    // Row by row, as the tensor of them is.
    const Tensor rows = tensor_of(*positions, "positions");
    options.axes = rows.shape[1];
    for (const double value : rows.values)
      options.positions.push_back(static_cast<std::int64_t>(value));
  } else {
    options.positions = positions_of(*positions, "positions");
  }
  return options;
}

/// Which arrays make one question, by the first of their names.
TensorReport report_of(Given& given, const IdentifyOptions& options) {
  const auto needed = [&](const char* name, Values allowed = Values::finite) {
    auto tensor = given.take_tensor(name, allowed);
    if (!tensor)
      throw UsageError(fmt::format("no array {}", name), "belongs to those that are given",
                       "give before and after; inv_freq; cos and sin; bias; or q, k and logits");
    return std::move(*tensor);
  };
  if (auto bias = given.take_tensor("bias", Values::finite_or_minus_infinity))
    return identify_bias_matrix("bias", *bias, options);
  if (auto frequencies = given.take_tensor("inv_freq"))
    return identify_frequencies("inv_freq", *frequencies, options);
  if (auto cos = given.take_tensor("cos"))
    return identify_tables("cos and sin", *cos, needed("sin"), options);
  if (auto logits = given.take_tensor("logits", Values::finite_or_minus_infinity)) {
    const Tensor q = needed("q");
    return identify_logits_matrix("logits", q, needed("k"), *logits, options);
  }
  const Tensor before = needed("before");
  return identify_tensors("before", before, needed("after"), options);
}

/// Channels that the arrays say a head has.
std::ptrdiff_t channels_of(const orrery_array* inputs, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    for (const std::string_view name : {"before", "q", "inv_freq"})
      if (inputs[i].name == name) {
        const std::int64_t last = inputs[i].shape[inputs[i].rank - 1];
        return name == "inv_freq" ? 2 * last : last;
      }
  throw UsageError("an expected rope", "is compared with tensors, logits or frequencies",
                   "leave it out for a bias or for tables");
}

void identify(const char* settings, const orrery_encoding* expected, const orrery_array* inputs,
              std::size_t count, orrery_result** result) {
  const ParamSet params = identify_settings(settings);
  Given given(inputs, count);
  IdentifyOptions options = identify_options(params, given);
  const std::string& model = params.text("model");
  if (!model.empty() && expected != nullptr)
    throw UsageError("a model and an expected rope", "say both what should have happened",
                     "leave one of them out");
  if (!model.empty())
    options.expected = layer_of(plan_of(model, 0), static_cast<int>(params.integer("layer")));
  if (expected != nullptr)
    options.expected =
        LayerPlan{.encoding = "rope", .rope = expected->applied.rope(channels_of(inputs, count))};
  const TensorReport report = report_of(given, options);
  given.require_all_taken(
      {"before", "after", "inv_freq", "cos", "sin", "bias", "q", "k", "logits", "positions"});
  give(result, orrery_result{.json = identify_json({report})});
}

}  // namespace
}  // namespace orrery

extern "C" {

orrery_status orrery_positions(const char* model, int64_t length, orrery_result** result) {
  return orrery::guarded([&] {
    orrery::require(model, "the model");
    const auto plan = orrery::plan_of(model, length);
    orrery::give(result, orrery_result{.json = orrery::positions_json(plan)});
  });
}

orrery_status orrery_identify(const char* settings, const orrery_encoding* expected,
                              const orrery_array* inputs, size_t input_count,
                              orrery_result** result) {
  return orrery::guarded(
      [&] { orrery::identify(settings, expected, inputs, input_count, result); });
}

}  // extern "C"

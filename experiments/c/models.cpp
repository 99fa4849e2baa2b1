#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/c/arrays.h"
#include "experiments/c/handles.h"
#include "experiments/identify/report_json.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_config.h"
#include "experiments/model_files/read_positions.h"
#include "experiments/setup/common_params.h"
#include "experiments/studies/identify/identify_question.h"
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

/// What should have happened, as the experiment is given it.
ModelFile expected_model(PositionPlan plan) {
  return {.name = plan.source, .plan = std::make_shared<const PositionPlan>(std::move(plan))};
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

void identify(const char* settings, const orrery_encoding* expected, const orrery_array* arrays,
              std::size_t count, orrery_result** result) {
  ParamSet params = params_from(
      ParamSet(joined({identify_question_params(),
                       {count_param("threads", "Threads; 0: all cores.", 0, 0, 4096)}})),
      words_of(settings));
  const std::string expect = params.text("expect");
  if (!expect.empty() && expected != nullptr)
    throw UsageError("a model and an expected rope", "say both what should have happened",
                     "leave one of them out");
  IdentifyOptions options = identify_options(params);
  options.threads = threads_or_all(static_cast<int>(params.integer("threads")));
  Given given(arrays, count);
  given.announce(params);
  params.require_all_set_are_used();
  params.reset("expect");  // which may be the text of a configuration
  Inputs inputs = given.take_inputs(params);
  given.require_all_taken(params);
  if (!has_question(inputs))
    throw UsageError("no arrays", "there must be something to identify",
                     "give before and after; inv_freq; cos and sin; bias; or q, k and logits");
  if (!expect.empty()) inputs.emplace("expect", expected_model(plan_of(expect, 0)));
  if (expected != nullptr)
    inputs.emplace(
        "expect",
        expected_model({.source = "the expected rope",
                        .layers = {{.encoding = "rope",
                                    .rope = expected->applied.rope(channels_of(arrays, count))}}}));
  give(result,
       orrery_result{.json = identify_json(identify_question(params, inputs, std::move(options)))});
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

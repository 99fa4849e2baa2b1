#include "experiments/c/handles.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/errors.h"
#include "experiments/c/arrays.h"
#include "experiments/c/guarded.h"
#include "experiments/results/build_info.h"
#include "experiments/results/result_json.h"

namespace orrery {

void require(const void* pointer, const char* what) {
  if (pointer == nullptr) throw UsageError(what, "must not be NULL", "give one");
}

void give(orrery_result** place, orrery_result&& result) {
  require(place, "the place for the result");
  *place = new orrery_result(std::move(result));
}

void give(orrery_result** place, const nlohmann::ordered_json& json) {
  give(place, orrery_result{.json = json_text(json)});
}

CallerProgress::CallerProgress(const orrery_progress* progress) : progress_(progress) {
  if (progress != nullptr && progress->struct_size < sizeof(orrery_progress))
    throw UsageError(fmt::format("progress with struct_size {}", progress->struct_size),
                     fmt::format("must be at least {}", sizeof(orrery_progress)),
                     "set it to sizeof(orrery_progress)");
}

void CallerProgress::update(double fraction, std::string_view stage) {
  if (progress_ == nullptr || progress_->update == nullptr) return;
  const std::string text(stage);
  if (progress_->update(progress_->user, fraction, text.c_str()) != 0) stopped_ = true;
}

}  // namespace orrery

extern "C" {

const char* orrery_version(void) { return orrery::build_info().version.c_str(); }
int orrery_abi_version(void) { return ORRERY_ABI_VERSION; }
const char* orrery_error_text(void) { return orrery::error_text(); }

const char* orrery_result_json(const orrery_result* result) {
  return result == nullptr ? "" : result->json.c_str();
}

size_t orrery_result_array_count(const orrery_result* result) {
  return result == nullptr ? 0 : result->arrays.size();
}

orrery_status orrery_result_array(const orrery_result* result, size_t index, orrery_array* array) {
  return orrery::guarded([&] {
    orrery::require(result, "the result");
    orrery::require(array, "the array");
    if (index >= result->arrays.size())
      throw orrery::UsageError(fmt::format("array {}", index),
                               fmt::format("the result has {}", result->arrays.size()),
                               "count from 0 to orrery_result_array_count - 1");
    *array = orrery::view_of(*result->arrays[index]);
  });
}

void orrery_result_destroy(orrery_result* result) { delete result; }
void orrery_encoding_destroy(orrery_encoding* encoding) { delete encoding; }

}  // extern "C"

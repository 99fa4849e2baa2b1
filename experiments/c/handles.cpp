#include "experiments/c/handles.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "core/errors.h"
#include "experiments/c/arrays.h"
#include "experiments/results/manifest.h"
#include "experiments/results/memory.h"
#include "experiments/results/result_json.h"

namespace orrery {
namespace {

struct LastError {
  std::string text{};
  const char* shown{""};
};

LastError& last_error() {
  thread_local LastError error;
  return error;
}

orrery_status failed(orrery_status status, const std::string& text) noexcept {
  LastError& last = last_error();
  try {
    last.text = text;
    last.shown = last.text.c_str();
  } catch (const std::bad_alloc&) {
    last.shown = "out of memory, also for the text of the error";
  }
  return status;
}

orrery_status status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return ORRERY_USAGE;
    case ErrorKind::data:
      return ORRERY_DATA;
    case ErrorKind::io:
      return ORRERY_IO;
    case ErrorKind::not_finite:
      return ORRERY_NOT_FINITE;
    case ErrorKind::plan:
    case ErrorKind::locked:
      break;  // of folders of sweeps, which no call writes
  }
  return ORRERY_BUG;
}

using nlohmann::ordered_json;

UsageError wrong_value(const std::string& key, const ordered_json& value) {
  return {fmt::format("\"{}\": {}", key,
                      value.dump(-1, ' ', false, ordered_json::error_handler_t::replace)),
          "is no setting", "give a text, a number, true or false, or a list of these"};
}

std::string scalar_text(const std::string& key, const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return number_text(value.get<double>());
  throw wrong_value(key, value);
}

std::string value_text(const std::string& key, const ordered_json& value) {
  if (!value.is_array()) return scalar_text(key, value);
  std::vector<std::string> texts;
  for (const ordered_json& one : value) texts.push_back(scalar_text(key, one));
  return fmt::format("{}", fmt::join(texts, ","));
}

std::vector<std::string> json_words(std::string_view text) {
  const ordered_json json = ordered_json::parse(text, nullptr, false);
  if (!json.is_object())
    throw UsageError(text.substr(0, 40), "is no JSON object",
                     R"(write {"dim": 64, "encoding": "rope"}, or words like dim=64)");
  std::vector<std::string> words;
  for (const auto& [key, value] : json.items())
    words.push_back(fmt::format("{}={}", key, value_text(key, value)));
  return words;
}

}  // namespace

orrery_status guarded(const std::function<void()>& work) noexcept {
  last_error().shown = "";
  try {
    work();
    return ORRERY_OK;
  } catch (const Stopped& stopped) {
    return failed(ORRERY_STOPPED, stopped.what());
  } catch (const Error& error) {
    return failed(status_of(error.kind()), error.what());
  } catch (const std::bad_alloc&) {
    try {
      return failed(ORRERY_IO, memory_shortage());
    } catch (const std::bad_alloc&) {
      last_error().shown = "out of memory";
      return ORRERY_IO;
    }
  } catch (const std::exception& error) {
    return failed(ORRERY_BUG, fmt::format("{}; this is a bug in orrery", error.what()));
  }
}

std::vector<std::string> words_of(const char* settings) {
  const std::string_view text = settings == nullptr ? "" : settings;
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') return json_words(text);
  std::istringstream stream{std::string(text)};
  stream.imbue(std::locale::classic());
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

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
const char* orrery_error_text(void) { return orrery::last_error().shown; }

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

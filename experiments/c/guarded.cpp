#include "experiments/c/guarded.h"

#include <fmt/format.h>

#include <exception>
#include <new>
#include <string>

#include "core/errors.h"
#include "experiments/model/progress.h"
#include "experiments/results/memory.h"

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

const char* error_text() noexcept { return last_error().shown; }

}  // namespace orrery

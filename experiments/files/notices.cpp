#include "experiments/files/notices.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

namespace orrery {
namespace {

NoticeSink& sink() {
  static NoticeSink current;
  return current;
}

void say(const std::string& line) {
  if (sink()) sink()(line);
}

std::once_flag& without_locks() {
  static std::once_flag once;
  return once;
}

}  // namespace

void set_notice_sink(NoticeSink wanted) { sink() = std::move(wanted); }

void say_no_locks(const std::filesystem::path& folder) {
  std::call_once(without_locks(), [&] {
    say(fmt::format("this file system has no locks: do not write to {} from two programs at once",
                    folder.string()));
  });
}

void say_line_for_lock(const std::filesystem::path& folder) {
  std::call_once(without_locks(), [&] {
    say(fmt::format("this file system has no locks: {} is held by a line in its .lock",
                    folder.string()));
  });
}

void say_watched(const std::filesystem::path& folder, const std::string& holder,
                 std::chrono::milliseconds longest) {
  say(fmt::format("{} was left by {}: waiting for up to {} s to see whether it still writes",
                  folder.string(), holder, longest.count() / 1000));
}

void say_taken_over(const std::filesystem::path& folder, const std::string& holder) {
  say(fmt::format("{} is taken over from {}, which has stopped", folder.string(), holder));
}

void say_no_sync() {
  static std::once_flag once;
  std::call_once(once, [] {
    say("this file system cannot be waited for: after a power failure new files may be missing");
  });
}

}  // namespace orrery

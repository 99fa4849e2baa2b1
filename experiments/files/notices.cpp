#include "experiments/files/notices.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

namespace orrery::files {
namespace {

NoticeSink& sink() {
  static NoticeSink current;
  return current;
}

void say(const std::string& line) {
  if (sink()) sink()(line);
}

}  // namespace

void set_notice_sink(NoticeSink wanted) { sink() = std::move(wanted); }

void say_no_locks(const std::filesystem::path& folder) {
  static std::once_flag once;
  std::call_once(once, [&] {
    say(fmt::format("this file system has no locks: do not write to {} from two programs at once",
                    folder.string()));
  });
}

void say_no_sync() {
  static std::once_flag once;
  std::call_once(once, [] {
    say("this file system cannot be waited for: after a power failure new files may be missing");
  });
}

}  // namespace orrery::files

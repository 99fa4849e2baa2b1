#include "app/session/task.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "app/session/folder_listing.h"

namespace orrery {
namespace {

constexpr auto interval = std::chrono::milliseconds(250);

std::filesystem::file_time_type time_of(const std::filesystem::path& file) {
  std::error_code failed;
  const bool folder = std::filesystem::is_directory(file, failed);
  const auto time = std::filesystem::last_write_time(folder ? newest_tensor(file) : file, failed);
  return failed ? std::filesystem::file_time_type::min() : time;
}

}  // namespace

void leave(int status) {
  if (running_tasks == 0) std::exit(status);
  std::fflush(nullptr);
  std::_Exit(status);
}

FileWatch::FileWatch(std::filesystem::path file, std::function<void()> wake)
    : file_(std::move(file)), wake_(std::move(wake)), thread_([this] { watch(); }) {}

FileWatch::~FileWatch() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ends_.notify_all();
  thread_.join();
}

bool FileWatch::take_change() {
  const std::lock_guard lock(mutex_);
  return std::exchange(changed_, false);
}

void FileWatch::watch() {
  auto seen = time_of(file_);
  std::unique_lock lock(mutex_);
  while (!ends_.wait_for(lock, interval, [this] { return ending_; })) {
    const auto now = time_of(file_);
    // An editor may replace the file: while it is away there is nothing to read.
    if (now == seen || now == std::filesystem::file_time_type::min()) continue;
    seen = now;
    changed_ = true;
    if (wake_) wake_();
  }
}

}  // namespace orrery

#pragma once

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

namespace orrery {

/// Watches one file from a thread of its own, so that a window that draws on events hears of a
/// change at once and costs nothing otherwise.
class FileWatch {
 public:
  /// `wake` is called from the thread after a change.
  FileWatch(std::filesystem::path file, std::function<void()> wake);
  ~FileWatch();
  FileWatch(const FileWatch&) = delete;
  FileWatch& operator=(const FileWatch&) = delete;

  /// Whether the file has changed since this was asked last.
  bool take_change();

 private:
  void watch();

  std::filesystem::path file_;
  std::function<void()> wake_;
  std::mutex mutex_{};
  std::condition_variable ends_{};
  bool changed_{false};
  bool ending_{false};
  std::thread thread_;
};

}  // namespace orrery

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace orrery {

/// SHA-256 of several files at once, by a thread of its own while the caller computes and writes
/// what follows: of large arrays it takes longer than their attention.
class HashThread {
 public:
  explicit HashThread(std::size_t files);
  ~HashThread();
  HashThread(const HashThread&) = delete;
  HashThread& operator=(const HashThread&) = delete;

  /// The next bytes of a file, which are copied. Waits while too many are not hashed yet.
  void update(std::size_t file, std::string_view bytes);
  /// Of all so far of that file.
  std::string hex(std::size_t file);

 private:
  struct Work;
  std::unique_ptr<Work> work_;
};

}  // namespace orrery

#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace orrery {

/// A regular file whose bytes are read from the disk where they are looked at, and not before.
/// Where another process has shortened it meanwhile, the bytes that are gone read as zeros, and
/// require_whole throws: whoever has looked at them asks it before using what came out.
class MappedFile {
 public:
  /// Throws IoError as read_file does.
  /// @param display_name  the file's name in messages; its path when empty
  explicit MappedFile(const std::filesystem::path& path, std::string_view display_name = {});
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  MappedFile& operator=(MappedFile&&) = delete;

  std::string_view bytes() const { return {data_, size_}; }
  /// Frees the memory of what has been looked at; it is read again where it is looked at again.
  void forget() const;
  /// Throws IoError where bytes were looked at that are no longer in the file.
  void require_whole() const;

 private:
  const char* data_{nullptr};
  std::size_t size_{0};
  std::string name_{};
  std::atomic<bool>* is_short_{nullptr};  // set where a byte is gone
};

/// SHA-256 of the file's bytes, as sha256_hex gives it, held a part at a time. What was looked at
/// before is forgotten.
std::string sha256_of(const MappedFile& file);

}  // namespace orrery

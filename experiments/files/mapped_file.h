#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::files {

/// A regular file whose bytes are read from the disk where they are looked at, and not before.
/// A process that shortens the file while it is mapped ends this one, as for any mapped file.
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

 private:
  const char* data_{nullptr};
  std::size_t size_{0};
};

/// SHA-256 of the file's bytes, as sha256_hex gives it, held a part at a time. What was looked at
/// before is forgotten.
std::string sha256_of(const MappedFile& file);

}  // namespace orrery::files

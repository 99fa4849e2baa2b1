#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "experiments/files/atomic_write.h"

namespace orrery::data {

// Zip archives of uncompressed members, dated 1980-01-01: the same members give the same bytes at
// any time and in any time zone. Sizes and offsets of 4 GiB and more take Zip64.

/// The archive in memory.
/// @param members  names in UTF-8 and contents, in the order of the file; one at least
std::string stored_zip(std::span<const std::pair<std::string, std::string>> members);

struct ZipFileMember {
  std::string name;  ///< UTF-8
  std::unique_ptr<std::FILE, int (*)(std::FILE*)>
      file;  ///< its content from the beginning to the end
};

/// Writes the archive from its beginning, without holding a member in memory. Throws IoError.
void write_stored_zip(std::span<ZipFileMember> members, AtomicFile& file);

}  // namespace orrery::data

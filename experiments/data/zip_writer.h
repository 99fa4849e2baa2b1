#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "experiments/files/atomic_write.h"

namespace orrery {

// Zip archives of uncompressed members, dated 1980-01-01: the same members give the same bytes at
// any time and in any time zone. Sizes and offsets of 4 GiB and more take Zip64.

/// The archive in memory.
/// @param members  names in UTF-8 and contents, in the order of the file; one at least
std::string stored_zip(std::span<const std::pair<std::string, std::string>> members);

/// An archive whose members are written where they will stand, in any order, before the archive is
/// made around them. Memory: independent of the members.
class StoredZipFile {
 public:
  /// A member whose size is known before its bytes are.
  struct Member {
    std::string name;       ///< UTF-8
    std::uint64_t bytes{};  ///< its size
    std::uint64_t at{};     ///< where its bytes begin in the archive
  };

  /// @param members  in the order of the file, one at least; their `at` is set
  explicit StoredZipFile(std::vector<Member> members);

  const std::vector<Member>& members() const { return members_; }
  /// Writes headers and directory to a file that has all members' bytes. Throws IoError.
  void finish(AtomicFile& file) const;

 private:
  std::vector<Member> members_;
};

}  // namespace orrery

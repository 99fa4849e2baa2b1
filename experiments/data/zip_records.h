#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/files/atomic_write.h"

namespace orrery {

// Records of the zip format (APPNOTE 6.3.10, §4.3 to §4.5) of members that are stored and dated
// 1980-01-01. Sizes and offsets of 4 GiB and more take Zip64.

inline constexpr std::string_view zip_local_mark = "PK\3\4", zip_entry_mark = "PK\1\2",
                                  zip_end_mark = "PK\5\6", zip64_end_mark = "PK\6\6",
                                  zip64_locator_mark = "PK\6\7";
/// The fixed part of a member's local header.
inline constexpr std::size_t local_bytes = 30;
/// Sizes and offsets from here on are told by Zip64, in an extra field of this id.
inline constexpr std::uint64_t told_in_zip64 = 0xFFFFFFFF;
inline constexpr std::uint16_t zip64_field = 1;

/// The little-endian number of `size` bytes at an offset that lies in the text.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t size);

/// @param before  that of the bytes before these
std::uint32_t crc_of(std::string_view bytes, std::uint32_t before = 0);

/// What a directory and a local header say of a member alike.
struct ZipMember {
  /// In what archives of the same members differ, so that each stays as it always was.
  struct Style {
    std::uint16_t needs{};  ///< the version of a member without Zip64
    std::uint16_t made_by{};
    std::uint32_t attributes{};
    bool marks_ascii{};  ///< whether names in ASCII are marked as UTF-8, too
  };

  std::string_view name{};  ///< UTF-8
  std::uint32_t crc{};
  std::uint64_t bytes{};
};

/// An extra field.
std::string zip_field(std::uint16_t id, std::initializer_list<std::uint64_t> numbers);
/// @param extra  fields before that of Zip64
std::string zip_header(const ZipMember& member, const ZipMember::Style& style,
                       const std::string& extra = {});
/// The directory's entry of a member whose header is at `at`.
std::string zip_entry(const ZipMember& member, std::uint64_t at, const ZipMember::Style& style);
/// The records behind a directory of so many entries, that lies at `at` and has so many bytes.
std::string zip_end(std::uint64_t entries, std::uint64_t at, std::uint64_t bytes);

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

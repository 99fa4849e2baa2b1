#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct zip;  // libzip's

namespace orrery {

/// A zip archive in memory, to read. The bytes outlive it.
class ZipArchive {
 public:
  struct Member {
    std::string name{};     ///< UTF-8, as the archive says it: nothing about it is checked
    std::uint64_t bytes{};  ///< when unpacked, as declared
    int method{};           ///< of compression, by the number of the zip format
    bool encrypted{};
  };

  /// @param name  what messages call it
  /// Throws DataError: not a zip archive, cut off, bytes left over anywhere, members that share
  /// bytes, a directory that does not fit the members, two members of one name.
  ZipArchive(std::string_view bytes, std::string_view name);

  const std::vector<Member>& members() const { return members_; }

  /// The unpacked bytes of members()[index]. Time and memory are in proportion to what is unpacked,
  /// which is never more than the member declares.
  /// @param label  what messages call the member
  /// Throws DataError: damaged, another length than declared, another CRC-32.
  std::string read(std::size_t index, std::string_view label) const;

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };

  std::unique_ptr<zip, Discard> zip_;
  std::vector<Member> members_{};
};

/// The methods of compression that ZipArchive unpacks.
inline constexpr int zip_stored = 0;
inline constexpr int zip_deflated = 8;

/// A zip archive of stored members, dated 1980-01-01: the same members give the same bytes at any
/// time and in any time zone.
/// @param members  names in UTF-8 and what they hold, in the order of the file
std::string stored_zip(std::span<const std::pair<std::string, std::string>> members);

}  // namespace orrery

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/model/layers.h"

namespace orrery::data {

/// Where everything lies in a zip archive of uncompressed members whose sizes are known beforehand,
/// dated 1980-01-01: the same members give the same bytes at any time and in any time zone. libzip,
/// which reads archives, writes one member after the other; here all can be written at once. Sizes
/// and offsets of 4 GiB and more take Zip64. Source: PKWARE, APPNOTE 6.3.
class StoredZip {
 public:
  struct Member {
    std::string name{};  ///< UTF-8
    std::uint64_t bytes{};
  };

  /// Throws nothing; no members, or a name of 64 KiB, break an invariant.
  explicit StoredZip(std::vector<Member> members);

  /// Where the content of a member begins.
  std::uint64_t content_at(std::size_t member) const { return places_[member].content; }
  /// Where its header begins.
  std::uint64_t header_at(std::size_t member) const { return places_[member].header; }
  std::string header(std::size_t member, std::uint32_t crc) const;
  /// Where the directory begins, which ends the archive.
  std::uint64_t directory_at() const { return directory_at_; }
  /// @param crcs  CRC-32 of each member
  std::string directory(std::span<const std::uint32_t> crcs) const;

 private:
  struct Place {
    std::uint64_t header{};
    std::uint64_t content{};
  };

  std::vector<Member> members_;
  std::vector<Place> places_{};
  std::uint64_t directory_at_{};
};

/// The CRC-32 of what had `crc` with more bytes after it; of nothing it is 0.
std::uint32_t crc_with(std::uint32_t crc, std::string_view bytes);

/// The archive in memory.
/// @param members  names in UTF-8 and contents, in the order of the file
std::string stored_zip(std::span<const std::pair<std::string, std::string>> members);

}  // namespace orrery::data

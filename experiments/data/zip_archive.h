#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct zip;  // of libzip

namespace orrery {

/// A zip archive in memory, for reading. The bytes must outlive it.
class ZipArchive {
 public:
  struct Member {
    std::string name{};     ///< UTF-8, as written in the archive, unchecked
    std::uint64_t bytes{};  ///< unpacked size, as declared
    int method{};           ///< compression method, as numbered by the zip format
    bool encrypted{};
  };

  /// @param name  the archive's name in messages
  /// @param require_readable  called with each member; throws DataError for one that the caller
  ///     does not read. It is asked before the archive's consistency counts: versions of libzip
  ///     differ in what they find inconsistent, and what a member is says more.
  /// Throws DataError: not a zip archive, truncated, surplus bytes anywhere, members that share
  /// bytes, a directory that does not match the members, two members with the same name.
  ZipArchive(std::string_view bytes, std::string_view name,
             const std::function<void(const Member&)>& require_readable = {});

  const std::vector<Member>& members() const { return members_; }

  /// The unpacked bytes of members()[index]. Time and memory are proportional to the unpacked size,
  /// which is never more than the member declares.
  /// @param label  the member's name in messages
  /// Throws DataError: damaged, another length than declared, another CRC-32.
  std::string read(std::size_t index, std::string_view label) const;
  /// The first `most` bytes that it unpacks to, or all where there are fewer; neither the declared
  /// size nor the CRC-32 is looked at.
  /// Throws DataError: damaged.
  std::string beginning(std::size_t index, std::string_view label, std::size_t most) const;
  /// A view of them in the archive; empty for a compressed member. Throws DataError as read() does.
  std::optional<std::string_view> stored(std::size_t index, std::string_view label) const;

 private:
  using TakeBytes = std::function<void(std::string_view)>;
  void unpack(std::size_t index, std::string_view label, const TakeBytes& take) const;

  struct Discard {
    void operator()(zip* archive) const;
  };

  std::unique_ptr<zip, Discard> zip_;
  std::vector<Member> members_{};
  std::vector<std::string_view> packed_{};  ///< by member
};

/// The compression methods that ZipArchive unpacks.
inline constexpr int zip_stored = 0;
inline constexpr int zip_deflated = 8;

}  // namespace orrery

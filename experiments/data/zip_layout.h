#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace orrery {

/// The fixed part of a member's local header (APPNOTE 6.3.10, §4.3.7).
inline constexpr std::size_t local_bytes = 30;
/// Sizes and offsets from here on are told by Zip64 (§4.5.3).
inline constexpr std::uint64_t told_in_zip64 = 0xFFFFFFFF;

/// Whether a zip archive's end record is missing or not whole, as when the file was cut off.
bool lacks_zip_end(std::string_view bytes);

/// Requires that a zip archive consists of its members, one after the other from the first byte on,
/// then its directory and its end records, without gaps and overlaps. libzip does not require that,
/// so bytes could be hidden there. Returns a view of the data of each member as it is packed, in
/// the directory's order.
/// @param comment_bytes  length of the archive's comment, which comes last
/// @param name  the archive's name in messages
/// Throws DataError: a gap, an overlap, or a directory that does not fit the file.
/// Cost: O(members · log members), independent of their content.
std::vector<std::string_view> packed_members(std::string_view bytes, std::size_t comment_bytes,
                                             std::string_view name);

}  // namespace orrery

#pragma once

#include <cstddef>
#include <string_view>

namespace orrery {

/// Requires that a zip archive is its members one after the other from the first byte on, then its
/// directory, then the records that end it: no byte between them, and none in two of them. libzip
/// does not ask that, so bytes could hide there.
/// @param comment_bytes  of the archive's comment, which comes last
/// @param name  what messages call the archive
/// Throws DataError: a gap, an overlap, or a directory that does not fit the file.
/// Cost: O(members · log members), independent of what they hold.
void require_seamless_zip(std::string_view bytes, std::size_t comment_bytes, std::string_view name);

}  // namespace orrery

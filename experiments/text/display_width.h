#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Columns that the text takes on a terminal; combining marks take none.
std::size_t display_width(std::string_view utf8);
/// The text, padded with spaces to the width.
std::string padded(std::string_view utf8, std::size_t width);
/// The cells of a column as wide as its widest, padded on the left if they are numbers.
std::vector<std::string> aligned(std::vector<std::string> cells, bool are_numbers);

}  // namespace orrery

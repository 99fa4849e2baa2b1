#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::text {

/// Columns that the text takes on a terminal; combining marks take none.
std::size_t display_width(std::string_view utf8);
/// The text, padded with spaces to the width.
std::string padded(std::string_view utf8, std::size_t width);

}  // namespace orrery::text

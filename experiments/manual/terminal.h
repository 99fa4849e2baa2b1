#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/manual/topic.h"

namespace orrery {

/// The page as plain text in lines of at most `width` columns; only lines of code may be longer.
std::string terminal_text(const Topic& topic, std::size_t width = 80);

/// Rows of a table in aligned columns. The widest column is broken into lines where that is needed.
std::vector<std::string> table_lines(const Grid& grid, std::size_t width);

// Man pages, in the macros of man(7).

/// Words as roff sets them, character for character.
std::string roff(std::string_view words);
/// .TH, and the section NAME.
std::string man_head(std::string_view name, int section, std::string_view about,
                     std::string_view version);
std::string man_blocks(std::span<const Block> blocks);

/// The page orrery-NAME.7.
std::string man_page(const Topic& topic, std::string_view version);

}  // namespace orrery

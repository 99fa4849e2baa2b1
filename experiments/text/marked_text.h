#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A piece of text for people: words, or the TeX of a formula.
struct MarkedPart {
  bool is_formula{};
  std::string text{};
};

/// Splits text whose mathematics is marked: "angle of pair $t$". A backslash before $ or a
/// backslash makes it a character; a $ without a second one is a character, too.
std::vector<MarkedPart> marked_parts(std::string_view marked);

/// Length in bytes of what begins at byte `at` and is never cut: a formula with its marks, or a
/// character.
std::size_t piece_length(std::string_view marked, std::size_t at);

/// Words that others wrote, as marked text that shows them as they are.
std::string as_marked(std::string_view words);

}  // namespace orrery

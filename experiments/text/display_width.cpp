#include "experiments/text/display_width.h"

#include "experiments/text/utf8.h"

namespace orrery {
namespace {

bool is_combining_mark(char32_t character) { return character >= 0x300 && character <= 0x36F; }

}  // namespace

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < utf8.size();)
    if (!is_combining_mark(next_character(utf8, at))) ++width;
  return width;
}

std::string padded(std::string_view utf8, std::size_t width) {
  const std::size_t used = display_width(utf8);
  return std::string(utf8) + std::string(used < width ? width - used : 0, ' ');
}

std::vector<std::string> aligned(std::vector<std::string> cells, bool are_numbers) {
  std::size_t width = 0;
  for (const std::string& cell : cells)
    if (const std::size_t own = display_width(cell); own > width) width = own;
  for (std::string& cell : cells)
    cell = are_numbers ? std::string(width - display_width(cell), ' ') + cell : padded(cell, width);
  return cells;
}

}  // namespace orrery

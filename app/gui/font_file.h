#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orrery {

/// The bytes of a font file whose face `index` FreeType can open, with sound outlines for those of
/// the characters that it has. Dear ImGui's own reader believes every offset in a file, and ends
/// the program where it finds no font.
/// Throws IoError when the file cannot be read, DataError when the font is damaged.
std::shared_ptr<const std::string> read_font(const std::string& file, int index,
                                             const std::vector<char32_t>& characters);

/// (ascender − descender) / em of a face that read_font returned: what Dear ImGui scales a font by.
double font_line_per_em(const std::string& bytes, int index);

using FontReader = std::function<std::shared_ptr<const std::string>(
    const std::string& file, int index, const std::vector<char32_t>& characters)>;

}  // namespace orrery

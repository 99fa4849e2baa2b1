#pragma once

#include <string>
#include <string_view>

namespace orrery {

/// Words as LaTeX sets them: what LaTeX reads as commands is escaped, and mathematical signs of
/// Unicode are written as mathematics, which pdflatex has.
std::string latex_words(std::string_view words);

/// The same for marked text, whose formulas are typed in Unicode.
std::string latex_text(std::string_view marked);

}  // namespace orrery

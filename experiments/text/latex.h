#pragma once

#include <string>
#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::text {

/// Plain text for LaTeX: characters with a meaning there are escaped, and Greek letters, scripts
/// and mathematical signs of Unicode are written as mathematics, which pdflatex has.
std::string latex_text(std::string_view text);

}  // namespace orrery::text

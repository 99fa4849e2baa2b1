#include "experiments/setup/context_bound.h"

#include <fmt/format.h>

namespace orrery::setup {

std::string first_negative_text(const std::optional<Position>& found, Position searched) {
  if (!found)
    return fmt::format("$Σ \\cos(m θ_t)$ is not negative at any distance to {}", searched);
  return "first distance with $Σ \\cos(m θ_t) < 0$; by the criterion of arXiv 2405.14591 the "
         "supported context ends there";
}

}  // namespace orrery::setup

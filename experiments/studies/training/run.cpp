#include "experiments/studies/training/run.h"

#include <fmt/format.h>

namespace orrery::studies {

std::string name_of_head(const BlockScores& scores) {
  constexpr double clear = 0.4;  // of the weight
  if (scores.induction > clear) return "induction";
  if (scores.previous > clear) return "previous token";
  if (scores.first > clear) return "first token";
  if (scores.self > clear) return "itself";
  if (scores.farther > clear) return fmt::format("{} tokens back", scores.distance);
  if (scores.local > 2 * clear) return "local";
  return "no one thing";
}

}  // namespace orrery::studies

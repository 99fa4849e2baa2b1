#include "core/unknown_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/errors.h"

namespace orrery {
namespace {

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lowered;
}

/// Levenshtein distance with adjacent transpositions.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  const std::string typed = lower(name);
  std::string best;
  // Two edits of four letters leave another word: mask is not base.
  const std::size_t most = typed.size() < 5 ? 1 : std::max<std::size_t>(2, typed.size() / 3);
  std::size_t best_distance = most + 1;
  for (const std::string& candidate : candidates) {
    const std::string lowered = lower(candidate);
    const bool abbreviates = typed.size() >= 2 && lowered.starts_with(typed) && lowered != typed;
    const std::size_t distance = abbreviates ? 1 : edit_distance(typed, lowered);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string remedy_for_unknown(std::string_view name, std::span<const std::string> candidates,
                               std::string_view otherwise) {
  const std::string near = nearest_name(name, candidates);
  return near.empty() ? std::string(otherwise) : fmt::format("did you mean {}?", near);
}

void throw_unknown_name(std::string_view value, std::string_view kind,
                        std::span<const std::string> names) {
  throw UsageError(
      value, fmt::format("is not {}", kind),
      remedy_for_unknown(value, names, fmt::format("choose one of {}", fmt::join(names, ", "))));
}

}  // namespace orrery

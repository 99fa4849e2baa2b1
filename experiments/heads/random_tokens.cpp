#include "experiments/heads/random_tokens.h"

#include <fmt/format.h>

#include <set>

#include "core/errors.h"

namespace orrery {

std::vector<std::int32_t> random_tokens(Random& random, std::int64_t count, int vocabulary,
                                        std::span<const std::int32_t> left_out) {
  const std::set<std::int32_t> without(left_out.begin(), left_out.end());
  const auto drawable = static_cast<std::size_t>(vocabulary) - without.size();
  if (drawable == 0)
    throw UsageError(fmt::format("{} of {} tokens", without.size(), vocabulary),
                     "are left out, and no other can be drawn", "give a text of fewer tokens");
  std::vector<std::int32_t> tokens;
  std::set<std::int32_t> drawn;
  while (static_cast<std::int64_t>(tokens.size()) < count) {
    const auto token = static_cast<std::int32_t>(random.integer(vocabulary));
    if (without.count(token) == 1 || !drawn.insert(token).second) continue;
    tokens.push_back(token);
    if (drawn.size() == drawable) drawn.clear();
  }
  return tokens;
}

std::vector<std::int32_t> repeated_tokens(std::int64_t count, int vocabulary, std::int64_t seed,
                                          std::int64_t number, std::int32_t first) {
  Random random(seed, fmt::format("repeated tokens {}", number));
  std::vector<std::int32_t> tokens;
  if (first >= 0) tokens.push_back(first);
  const std::vector<std::int32_t> drawn = random_tokens(random, count, vocabulary, tokens);
  for (int round = 0; round < 2; ++round) tokens.insert(tokens.end(), drawn.begin(), drawn.end());
  return tokens;
}

}  // namespace orrery

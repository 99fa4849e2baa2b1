#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <vector>

namespace orrery {

/// "0–3", "5": runs of ascending whole numbers.
template <class Number>
std::vector<std::string> runs_of(const std::vector<Number>& numbers) {
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    runs.push_back(end - i == 1 ? fmt::format("{}", numbers[i])
                                : fmt::format("{}–{}", numbers[i], numbers[end - 1]));
    i = end;
  }
  return runs;
}

}  // namespace orrery

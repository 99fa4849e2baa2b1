#pragma once

#include <cstddef>
#include <cstdlib>
#include <string_view>

namespace orrery::test {

/// What is tried of long tests, from the environment: ORRERY_SEVENTH is "all", or which seventh, 0 to 6.
/// Without it the first.
inline std::string_view seventh() {
  const char* given = std::getenv("ORRERY_SEVENTH");
  return given ? given : "0";
}

/// Whether everything is tried: ./orrery test --all.
inline bool all_is_tried() { return seventh() == "all"; }

/// Whether an item of a list is tried, by its number in it: seven runs that differ in ORRERY_SEVENTH try all. A test that
/// is long as a whole is an item of some number.
inline bool is_tried(std::size_t item) {
  const std::string_view chosen = seventh();
  return chosen == "all" || item % 7 == static_cast<std::size_t>(chosen.front() - '0');
}

}  // namespace orrery::test

#pragma once

#include <cstddef>

namespace orrery::test {

/// Whether this is a build with AddressSanitizer: what is slow there is sampled, since a plain
/// build goes through all of it.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// Whether an item of a list is tried: every one, under sanitizers one of `share`.
constexpr bool is_tried(std::size_t item, std::size_t share = 3) {
  return !sanitized || item % share == 0;
}

}  // namespace orrery::test

#pragma once

#include <algorithm>
#include <cstdint>

namespace orrery {

/// Whole pixels of a framebuffer, y downwards; `right` and `bottom` are the first ones outside.
struct PixelRect {
  int left{}, top{}, right{}, bottom{};

  bool is_empty() const { return right <= left || bottom <= top; }
  std::int64_t area() const {
    return is_empty() ? 0 : static_cast<std::int64_t>(right - left) * (bottom - top);
  }
  bool operator==(const PixelRect&) const = default;
};

inline PixelRect intersection(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right),
          std::min(a.bottom, b.bottom)};
}

/// The smallest rectangle around two that are not empty.
inline PixelRect hull(const PixelRect& a, const PixelRect& b) {
  return {std::min(a.left, b.left), std::min(a.top, b.top), std::max(a.right, b.right),
          std::max(a.bottom, b.bottom)};
}

}  // namespace orrery

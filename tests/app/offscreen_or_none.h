#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>

#include "app/headless/offscreen.h"

namespace orrery::test {

/// The desktop without a window, or null, with a warning, where EGL offers none.
inline std::unique_ptr<OffscreenDesktop> offscreen_or_none(Session& session, int width,
                                                           int height) {
  try {
    return std::make_unique<OffscreenDesktop>(session, width, height);
  } catch (const std::runtime_error& missing) {
    WARN("rendered frames are not tested: " << missing.what());
    return nullptr;
  }
}

}  // namespace orrery::test

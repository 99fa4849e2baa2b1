#pragma once

#include <functional>
#include <string>

#include "app/session/session.h"
#include "app/shell/app.h"

namespace orrery {

/// The desktop that a scripted session drives, with or without rendering.
struct ScriptDesktop {
  Session& session;
  App& app;
  std::function<void()> frame{};                           ///< draws one
  std::function<void()> settle{};                          ///< draws until no job runs
  std::function<void(const std::string& name)> picture{};  ///< keeps what is on screen
};

}  // namespace orrery

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/session.h"

namespace orrery {

/// What the desktop is started with.
struct StartOptions {
  std::string view{};                    ///< an experiment's name; empty: the first
  std::vector<std::string> overrides{};  ///< "key=value" for that view
  std::string theme{"dark"};
  double scale{1.0};
};

/// A session over all experiments, set up as asked. Throws UsageError.
std::unique_ptr<Session> start_session(const StartOptions& options, std::function<void()> wake);

/// "1280x800". Throws UsageError.
std::pair<int, int> parse_size(const std::string& text);

}  // namespace orrery

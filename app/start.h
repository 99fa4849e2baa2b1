#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session.h"

namespace orrery {

/// What the desktop is started with.
struct StartOptions {
  std::string view{};                    ///< an experiment's name; empty: the first
  std::vector<std::string> overrides{};  ///< "key=value" for that view
  std::string theme{};                   ///< empty: as it was, or dark
  std::optional<double> scale{};         ///< without: as it was, or 1
  std::string open{};                    ///< a folder or file to begin with
  std::filesystem::path session{};       ///< the file that holds the last session; empty: none
};

/// A session over all experiments: as it was left, and then as asked. Throws UsageError.
std::unique_ptr<Session> start_session(const StartOptions& options, std::function<void()> wake);

/// "1280x800". Throws UsageError.
std::pair<int, int> parse_size(const std::string& text);

}  // namespace orrery

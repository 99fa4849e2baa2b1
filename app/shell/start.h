#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/session/session.h"

namespace orrery {

/// The command line of the desktop.
struct StartOptions {
  std::string view{};                    ///< an experiment's name; empty: the first
  std::vector<std::string> overrides{};  ///< "key=value" for that view
  std::string theme{};                   ///< empty: as in the last session, or dark
  std::optional<double> scale{};         ///< empty: as in the last session, or 1
  std::string open{};                    ///< a folder or file to open first
  std::string lesson{};                  ///< a lesson to open, by name, number or file
  std::size_t step{};               ///< of it, from 1; 0: the first, or all of them in pictures
  std::filesystem::path session{};  ///< the file that holds the last session; empty: none
};

/// A session over all experiments: restored, then changed by the options. Throws UsageError.
std::unique_ptr<Session> start_session(const StartOptions& options, std::function<void()> wake);

/// Width and height of "1280x800". Throws UsageError.
std::pair<int, int> parse_size(const std::string& text);

/// Opens the desktop's window and runs it until it is closed, drawing only when something happened.
/// Returns false, with the reason, when no window could be opened: no display, or no OpenGL. Throws
/// what start_session does.
bool run_window(const StartOptions& options, std::string& reason);

}  // namespace orrery

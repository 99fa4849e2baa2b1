#pragma once

#include <optional>
#include <string>

namespace orrery {

/// The source and the build of this program.
struct BuildInfo {
  std::string version{};  ///< "0.1.0"
  std::string commit{};   ///< 40 hexadecimal digits; "unknown" outside a git checkout
  std::optional<bool>
      dirty{};             ///< whether tracked files differed from the commit; empty when unknown
  std::string compiler{};  ///< "GNU 12.2.0"
  std::string flags{};
  std::string build_type{};  ///< "Release"
  std::string cpu_level{};   ///< "x86-64-v3"; "default" when none was chosen
};

const BuildInfo& build_info();

}  // namespace orrery

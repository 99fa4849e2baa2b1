#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "tests/support/paths.h"

namespace orrery::test {

/// Compares with tests/approved/NAME. Returns the first difference, or an empty string when equal.
/// With ORRERY_APPROVE=1 in the environment the file is rewritten instead.
inline std::string difference_from_approved(const std::string& name, const std::string& text) {
  const std::filesystem::path path =
      std::filesystem::path(test::tests_folder()) / "approved" / name;
  if (const char* approve = std::getenv("ORRERY_APPROVE"); approve && std::string(approve) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return {};
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return path.string() + " is missing; run with ORRERY_APPROVE=1 and look at it";
  std::istringstream now(text);
  std::string expected, found;
  for (int line = 1;; ++line) {
    const bool more_expected = static_cast<bool>(std::getline(file, expected));
    const bool more_found = static_cast<bool>(std::getline(now, found));
    if (!more_expected && !more_found) return {};
    if (more_expected && more_found && expected == found) continue;
    return path.string() + ":" + std::to_string(line) +
           "\n  approved: " + (more_expected ? expected : "(end)") +
           "\n  now:      " + (more_found ? found : "(end)");
  }
}

}  // namespace orrery::test

#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace orrery::test {

/// A file of tests/golden. Throws when it is missing.
inline nlohmann::json golden(const std::string& name) {
  std::ifstream in(std::string(ORRERY_TESTS_DIR) + "/golden/" + name);
  return nlohmann::json::parse(in);
}

}  // namespace orrery::test

#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/paths.h"

namespace orrery::test {

/// A file of tests/golden. Throws when it is missing.
inline nlohmann::json golden(const std::string& name) {
  std::ifstream in(test::tests_folder() + "/golden/" + name);
  return nlohmann::json::parse(in);
}

}  // namespace orrery::test

#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

/// The text of tests/approved/NAME. With ORRERY_APPROVE set, `text` is written there first: look at
/// the difference before it is committed.
inline std::string approved_file(const std::string& name, const std::string& text) {
  const std::string path = std::string(ORRERY_TESTS_DIR) + "/approved/" + name;
  if (std::getenv("ORRERY_APPROVE") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

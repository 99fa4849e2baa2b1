#pragma once

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/paths.h"

/// The text of tests/approved/NAME. With ORRERY_APPROVE set, `text` is first written to that file;
/// review the difference before committing it.
inline std::string approved_file(const std::string& name, const std::string& text) {
  const std::string path = orrery::test::tests_folder() + "/approved/" + name;
  if (std::getenv("ORRERY_APPROVE") != nullptr) std::ofstream(path, std::ios::binary) << text;
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "tests/support/paths.h"

namespace orrery::test {

std::string tests_folder() { return ORRERY_TESTS_DIR; }
std::string source_folder() { return ORRERY_SOURCE_DIR; }
std::string cli_program() {
#ifdef ORRERY_CLI
  return ORRERY_CLI;
#else
  return {};
#endif
}

}  // namespace orrery::test

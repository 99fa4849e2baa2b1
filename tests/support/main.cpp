#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "tests/support/paths.h"

namespace orrery::test {

std::string tests_folder() { return ORRERY_TESTS_DIR; }
std::string source_folder() { return ORRERY_SOURCE_DIR; }
std::string cli_program() { return ORRERY_CLI; }

}  // namespace orrery::test

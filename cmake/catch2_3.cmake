# Debian 13 and Ubuntu 24.04 have Catch2 3, without the one header and its main() that Debian 12's
# Catch2 2 has, and with another name and namespace for Contains. This header says it in Catch2 2's words.
file(CONFIGURE OUTPUT catch2_3/catch2/catch.hpp @ONLY CONTENT [[
#pragma once
#include <catch2/catch_all.hpp>
using Catch::Approx;
#define Contains ContainsSubstring
namespace Catch {
using Matchers::ContainsSubstring;
}
#ifdef CATCH_CONFIG_MAIN
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#endif
]])
target_include_directories(Catch2::Catch2 SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/catch2_3)

#pragma once

#include <string>

// Where the tests find what they read. main.cpp alone defines these, so that no other file is
// compiled anew when the project moves.

namespace orrery::test {

std::string tests_folder();   ///< the folder tests/ of the source tree
std::string source_folder();  ///< the root of the source tree
std::string cli_program();    ///< the command-line program

}  // namespace orrery::test

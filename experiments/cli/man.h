#pragma once

#include <string>

namespace orrery {

/// The man page of the program: every command with its options, as declared.
std::string man_page();

}  // namespace orrery

#pragma once

#include <string>

namespace orrery {

/// Sixteen hexadecimal digits by chance: others each time, also from a process of another machine
/// that has the same number.
std::string random_word();

}  // namespace orrery

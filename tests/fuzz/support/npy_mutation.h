#pragma once

#include <string>

#include "tests/fuzz/support/framed.h"

namespace orrery::fuzz {

/// A .npy file with one mutation, three times of four such that header and data fit each other.
std::string mutated_npy(std::string bytes, Dice& dice, std::size_t max_size);

}  // namespace orrery::fuzz

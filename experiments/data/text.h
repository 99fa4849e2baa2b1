#pragma once

#include <string>

#include "experiments/experiment.h"

namespace orrery {

/// Checks that the bytes are a UTF-8 text with something to see in it. A UTF-8 byte order mark is
/// taken off; nothing else is changed.
/// @param name  the Text's name, and what messages call it
/// Throws DataError: UTF-16 or UTF-32 (by its byte order mark), a NUL byte, malformed UTF-8 (with
/// the offset in bytes), empty or only white space, more than 2^31 − 1 bytes.
Text parse_text(std::string bytes, std::string name);

}  // namespace orrery

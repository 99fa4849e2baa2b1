#pragma once

#include <string>

#include "experiments/model/experiment.h"

namespace orrery {

/// Checks that the bytes are a UTF-8 text with at least one visible character. Removes a UTF-8 byte
/// order mark and changes nothing else.
/// @param name  the Text's name, also in messages
/// Throws DataError: UTF-16 or UTF-32 (by its byte order mark), a NUL byte, malformed UTF-8 (with
/// the offset in bytes), empty or only white space, more than 2^31 − 1 bytes.
Text parse_text(std::string bytes, std::string name);

}  // namespace orrery

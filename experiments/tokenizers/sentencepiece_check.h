#pragma once

#include <string_view>

namespace orrery {

/// Checks what libsentencepiece takes on trust before it is given a file: the fields of each message are
/// whole; there are 1 to 2^21 pieces of 1 to 4096 bytes of UTF-8 without NULs, each of a known type, with a finite
/// score, and no two alike; one is unknown; the model is of a known type; no search in a map of
/// characters leaves its array (Charsmap); self-tests, which it would run, are few and short.
/// Throws DataError.
void check_sentencepiece(std::string_view proto, std::string_view file);

}  // namespace orrery

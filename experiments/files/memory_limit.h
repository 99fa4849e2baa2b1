#pragma once

#include <cstdint>
#include <string>

#include "core/errors.h"

namespace orrery {

/// Bytes of memory that this process may have: the machine's, or less where ulimit -v allows less.
std::uintmax_t memory_limit();

/// "WHAT: 3.0 GiB of memory is needed, and 2.0 GiB may be used; REMEDY".
IoError too_little_memory(double bytes, const std::string& what, const std::string& remedy);

/// Throws that where `bytes` are more than this process may have. Call it before what would fail
/// late.
void require_memory(double bytes, const std::string& what, const std::string& remedy);

}  // namespace orrery

#pragma once

#include <string>

namespace orrery {

/// An SVG file with its ids counted from 0 in the order of their appearance: Cairo numbers its
/// surfaces through the life of the process, and the same figure must give the same bytes.
std::string renumbered_ids(const std::string& svg);

}  // namespace orrery

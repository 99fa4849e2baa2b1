#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace orrery {

/// How many paths are remembered, the newest first.
inline constexpr std::size_t max_recent = 12;

/// Two lists that grew apart from `before`: what either got since comes first, `mine` before
/// `other`, each path once.
std::vector<std::string> united_paths(const std::vector<std::string>& before,
                                      const std::vector<std::string>& other,
                                      const std::vector<std::string>& mine);

}  // namespace orrery

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace orrery {

/// Two arrays that belong together, and the parameters that they could be for.
struct DroppedPair {
  std::size_t experiment{};  ///< its index in the session
  const PairedFiles* params{};
  std::string first{}, second{};  ///< paths
};

/// What two files of arrays may be: q and k of the experiment on screen, or a tensor before and
/// after its rotation. Their names tell which is which, else the order does. Empty for other files.
std::vector<DroppedPair> file_pairs(const Session& session, const std::string& a,
                                    const std::string& b);

/// Shows the pair's experiment and sets both parameters.
void set_pair(Session& session, const DroppedPair& pair);

}  // namespace orrery

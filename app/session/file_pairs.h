#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/session/session.h"

namespace orrery::session {

/// Two arrays that belong together, and the parameters that they could be for.
struct FilePair {
  std::size_t experiment{};  ///< its index in the session
  std::string first_key{}, second_key{};
  std::string first{}, second{};  ///< paths
};

/// What two files of arrays may be: q and k of the experiment on screen, and a tensor before and
/// after its rotation. Their names tell which is which, else the order does. Empty for other files.
std::vector<FilePair> file_pairs(const Session& session, const std::string& a,
                                 const std::string& b);

/// Shows the pair's experiment and sets both parameters.
void set_pair(Session& session, const FilePair& pair);

}  // namespace orrery::session

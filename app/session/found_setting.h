#pragma once

#include <string>

#include "app/session/session.h"

namespace orrery::session {

/// The words that reproduce the first hypothesis of a diagnosis, "encoding=rope base=500000": those
/// of its table. Empty where the result is no diagnosis, or no setting reproduces it.
std::string found_setting(const Result& result);

/// Shows the long-term decay with these words, its other parameters at their defaults.
void run_setting(Session& session, const std::string& words);

}  // namespace orrery::session

#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/verify/claims.h"

namespace orrery {

/// A list of objects: name, kind, source, equation, statement, precision, over, the numbers of a
/// check, and "roformer_differs" where there is such a difference. A note has a measured number
/// alone.
nlohmann::ordered_json claims_json(const std::vector<Claim>& claims);

/// Those of which a name, statement, equation, source or kind has `part` in it. Throws UsageError when
/// there is none.
std::vector<Claim> matching_claims(std::vector<Claim> claims, const std::string& part);

}  // namespace orrery

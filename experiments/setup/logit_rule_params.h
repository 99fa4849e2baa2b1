#pragma once

#include <vector>

#include "core/logit_rule.h"
#include "core/params.h"

namespace orrery {

/// "logit_rule" and what it reads: a factor of all logits of a query.
std::vector<ParamSpec> logit_rule_params();

/// No rule where the set has no such parameter. A strength or a length of 0 is the model's own.
LogitRule logit_rule_of(const ParamSet& params);

}  // namespace orrery

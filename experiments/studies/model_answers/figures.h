#pragma once

#include <string>
#include <vector>

#include "experiments/heads/lens.h"
#include "experiments/heads/needle.h"
#include "experiments/heads/patch.h"
#include "experiments/heads/repeat.h"
#include "experiments/model/experiment.h"

namespace orrery::studies {

/// The mean loss behind each state of the residual stream, nats. [layers + 1]
std::vector<double> losses_by_state(const Lens& lens);

// What figures say of each way to ask, and its numbers.

/// @param labels  how the tokens of the text read
/// @param next    the same of what each state of the token makes the most probable
/// @param token   whose states are listed
void add_lens(const ParamSet& params, const Lens& lens, const std::vector<std::string>& labels,
              const std::vector<std::string>& next, std::size_t token, Result& result);
/// @param labels  of patch_ids
void add_patch(const ParamSet& params, const PatchResult& patch,
               const std::vector<std::string>& labels, Result& result);
void add_repeat(const ParamSet& params, const Repeat& repeat, Result& result);
void add_needle(const ParamSet& params, const NeedleTable& needle, Result& result);

}  // namespace orrery::studies

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/model/experiment.h"

namespace orrery {

/// Sets some address space aside, which is given back when an allocation fails, just before
/// std::bad_alloc is thrown: destructors on the way out may allocate as well (nlohmann::json's do),
/// and throwing from them ends the program. Call it again once a failure was dealt with.
void reserve_memory_for_errors();

/// Bytes that this process has had in memory at most.
std::uintmax_t peak_memory();

/// What to say of a std::bad_alloc: how much memory this process has had, how much it may have, and
/// which settings to lower. `also` is appended to the remedy.
std::string memory_shortage(std::string_view also = {});

/// Throws IoError where a run of the experiment takes more memory than this process may have.
void require_memory(const Experiment& experiment, const ParamSet& run);

/// Keeps freed memory, up to about `most` bytes, for the next allocation. Matrices come and go by
/// the thousand; by default the C library returns each to the system, which clears its pages for
/// the next: half of the time of some runs.
void keep_freed_memory(int most);

}  // namespace orrery

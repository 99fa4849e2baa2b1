#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/identify/written_rope.h"

namespace orrery {

/// A property of a rope as words: {"base", "500000"}.
using RopeFact = std::pair<std::string, std::string>;

/// Everything that makes the rope differ from y = x, in the order of the computation. Fields at
/// their usual value are left out, but for pairing and base.
std::vector<RopeFact> facts_of(const WrittenRope& rope);

/// "half_split pairs, base 500000, llama3 scaling by 8 from 8192 tokens".
std::string short_text(const WrittenRope& rope);

/// The words for `orrery run` and `orrery run apply` that reproduce the rope, "encoding=rope base=…";
/// empty where the encoding has no such setting, and a defect is needed.
std::string setting_text(const WrittenRope& rope);

/// The fields in which two ropes differ, with the values of both: {"base", "10000", "500000"}.
struct RopeDifference {
  std::string field{};
  std::string a{};
  std::string b{};
};
std::vector<RopeDifference> differences_of(const WrittenRope& a, const WrittenRope& b);

}  // namespace orrery

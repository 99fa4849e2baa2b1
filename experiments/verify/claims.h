#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/progress.h"
#include "experiments/result.h"

namespace orrery {

/// One thing that the paper says, or should have said, with its measured number.
struct Claim {
  std::string section{};  ///< "Equations", "Properties", "Decay, as it is", "Errata"
  Check check{};
  std::string detail{};  ///< over what it was measured: "d = 2 … 128, N = 3 … 24, 4 draws, fp64"
};

struct VerifyOptions {
  std::int64_t seed{0};
  int draws{4};  ///< of random contents, at each size
};

/// Walks the RoFormer paper: equations (2)–(19) and (34)–(37), the properties it claims, what is
/// true of long-term decay, and its errata. Every equation is evaluated twice: by the core, and
/// literally, with loops over tokens and channels.
std::vector<Claim> verify_paper(const VerifyOptions& options, Progress& progress);

}  // namespace orrery

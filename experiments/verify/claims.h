#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/progress.h"
#include "experiments/model/result.h"

namespace orrery {

enum class ClaimKind {
  roformer,  ///< an equation as the RoFormer paper prints it
  cited,     ///< an equation or convention as the paper or code that it cites has it
  property,  ///< what is true of encodings: relative positions, norms, long-term decay
  note,      ///< a misprint or difference, with its size: nothing that could hold or fail
};

/// The heading under which claims of a kind are printed.
std::string_view heading(ClaimKind kind);

/// One statement of a paper, as printed or corrected, with its measured number.
struct Claim {
  ClaimKind kind{};
  Check check{};            ///< of a note, the measured number alone
  std::string base_name{};  ///< check.name without its precision: the same for a claim's twin
  std::string precision{};  ///< "fp64" or "fp32", the arithmetic measured; empty for whole numbers
  std::string source{};   ///< the paper or topic; of a note, the edition or copy that has the slip
  std::string differs{};  ///< of a cited equation: where RoFormer prints something else
  std::string detail{};   ///< over what it was measured: "d = 8 … 128, N = 7 … 24, 4 draws"

  bool counted() const { return kind != ClaimKind::note; }
};

struct VerifyOptions {
  std::int64_t seed{0};
  int draws{4};  ///< of random contents, at each size
};

/// Walks the RoFormer paper: equations (2)–(19) and (34)–(37), those of the papers it cites, the
/// properties it claims, what is true of long-term decay, and the paper's misprints. Every claim
/// compares the library with an evaluation that calls none of it, term by term, in loops over tokens
/// and channels. Of encodings that were registered from outside, of which no paper is known here, it
/// checks the laws that every encoding obeys.
std::vector<Claim> verify_paper(const VerifyOptions& options, Progress& progress);

}  // namespace orrery

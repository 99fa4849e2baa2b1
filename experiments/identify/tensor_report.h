#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace orrery {

/// A property in which a found rope is not the expected one.
struct Deviation {
  std::string field{};     ///< "base"
  std::string expected{};  ///< "500000"
  std::string found{};     ///< "10000"
};

/// One explanation of a tensor, in words.
struct HypothesisReport {
  std::string text{};  ///< "half_split pairs; base 500000"
  std::vector<std::pair<std::string, std::string>> facts{};
  std::string defect{};              ///< name of a known defect of the expected rope; or empty
  std::string defect_description{};  ///< what it computes instead
  std::string defect_source{};       ///< where it was reported
  bool is_expected{};
  bool tied{};            ///< the tensor cannot tell it from the first
  double residual{};      ///< root mean square, in units of rounding of the tensor's format
  double largest{};       ///< the largest of a number
  double evidence{};      ///< against it and for the first, in squared standard errors
  std::string tells{};    ///< the input that would tell it from the first, one sentence
  std::string setting{};  ///< words for `orrery run` that compute the same; or empty
};

/// Says what the defect that it names computes instead, and where it was reported.
void describe_defect(HypothesisReport& report);

/// What is known of one tensor.
struct TensorReport {
  std::string name{};            ///< "layer0.q"
  std::string shape{};           ///< "[4, 128, 64]"
  std::string format{};          ///< "bf16": the unit of residuals
  std::string one{"rope"};       ///< what a hypothesis is
  std::string several{"ropes"};  ///< and more of them
  bool explained{};              ///< whether the first hypothesis fits to within rounding
  bool has_expected{};           ///< whether a configuration said what should have happened
  bool as_expected{};            ///< it is first, or tied with the first
  std::string rows{};   ///< "rows 0–23 at 7–30": positions that are read off the tensor
  std::string moved{};  ///< how they differ from the assumed ones: "+7"
  std::vector<Deviation> deviations{};
  std::vector<HypothesisReport> hypotheses{};  ///< best first; empty where a mask hides all
  std::vector<std::string> notes{};            ///< what was assumed
};

}  // namespace orrery

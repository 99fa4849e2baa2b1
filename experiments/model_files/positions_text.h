#pragma once

#include <string>
#include <vector>

#include "experiments/model_files/position_plan.h"

namespace orrery {

/// A value of a layer and why it is so.
struct PositionFact {
  std::string field{};   ///< as in the reasons, "base"
  std::string label{};   ///< "base"
  std::string value{};   ///< "500000"
  std::string reason{};  ///< may be empty
};

/// What a layer does, in the order in which it is read.
std::vector<PositionFact> facts_of(const LayerPlan& layer);

/// Seven significant digits, which are enough to see what a number is.
std::string shown_number(double value);

/// "1 + β ln(1 + floor(m / L₀)), L₀ = 8192, β = 0.1"; "none".
std::string temperature_text(const LayerPlan& layer);

/// "1024 tokens (m − n < 1024)", in the meaning of LayerPlan::window; "none".
std::string window_text(const LayerPlan& layer);

/// "layers 0 to 3, 5 and 7": runs of numbers.
std::string numbers_text(const std::vector<int>& layers);

}  // namespace orrery

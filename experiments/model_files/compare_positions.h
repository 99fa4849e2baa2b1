#pragma once

#include <string>
#include <vector>

#include "experiments/model_files/position_plan.h"

namespace orrery {

/// Where two plans differ.
struct PositionComparison {
  /// A field in which layers of two plans differ, with both values as texts.
  struct Difference {
    std::string field{};
    std::string a{};
    std::string b{};
    std::vector<int> layers{};  ///< empty: of the whole plan
    friend bool operator==(const Difference&, const Difference&) = default;
  };

  std::vector<Difference> differences{};
  std::vector<std::string> notes{};  ///< what differs in the files and not in what is computed
};

/// The largest relative difference of two numbers that count as one: files hold numbers in fp32.
inline constexpr double same_number = 1e-5;

/// Layer by layer: encoding, pairing, slice, frequencies, factors, window, mask, temperature. How a
/// file says it does not count, and neither does a pairing whose rows of W_q and W_k were reordered
/// along (rows_reordered).
PositionComparison compare_positions(const PositionPlan& a, const PositionPlan& b);

}  // namespace orrery

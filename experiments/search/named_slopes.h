#pragma once

#include <string>
#include <vector>

#include "core/precision.h"

namespace orrery {

/// Slopes that a formula gives, and what it is called.
struct NamedSlopes {
  std::vector<double> slopes{};  ///< [heads]
  std::string words{};           ///< "2^(−8(h+1)/H)"
  std::string defect{};          ///< what is wrong with them in one sentence; or empty
  double bias_max{0};            ///< of alibi_slopes; 0 where they are not its
  bool over_root{false};         ///< divided by √d: alibi.bias_scale=root
  double cost{0};
};

/// The formulas whose slopes are the fitted ones to within two roundings, the usual ones first:
/// ALiBi's with any exponent, without its rule for heads that are no power of two, begun at head 0,
/// each also with the sign reversed, divided by √d, or times log₂e for a softmax of powers of two.
/// The fitted numbers themselves are last. Of one head alone every power of two may be the slope.
std::vector<NamedSlopes> named_slopes(const std::vector<double>& fitted, Precision format);

}  // namespace orrery

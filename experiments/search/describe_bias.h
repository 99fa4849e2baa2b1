#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/search/identify_bias.h"

namespace orrery {

/// "ALiBi −s|m − n|; slopes 2^(−8(h+1)/H)".
std::string short_text(const WrittenBias& bias, Precision format);

/// Its properties in words: {"family", "T5 buckets"}, {"buckets", "32"}, …
std::vector<std::pair<std::string, std::string>> facts_of(const WrittenBias& bias,
                                                          Precision format);

/// One sentence on its defect, if one is known; otherwise empty.
std::string defect_of(const WrittenBias& bias, Precision format);

/// Words for `orrery run` and `orrery run attend` with the same bias; empty where no parameters say it.
std::string setting_text(const WrittenBias& bias, Precision format);

/// "hides keys ahead of the query".
std::string mask_text(const SeenMask& mask);

}  // namespace orrery

#pragma once

#include <string>

#include "experiments/model/layers.h"

namespace orrery::text {

/// The text with A to Z in lower case, in any locale; other bytes stay.
inline std::string lower_ascii(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace orrery::text

#pragma once

#include <algorithm>
#include <string>

namespace orrery {

/// The text with A to Z in lower case, in any locale; other bytes stay.
inline std::string lower_ascii(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

/// "first rise" of the name "first_rise".
inline std::string spaced(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

}  // namespace orrery

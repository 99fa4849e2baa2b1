#pragma once

#include <span>
#include <string_view>

namespace orrery {

/// A value that a paper or a released model uses.
struct KnownValue {
  double value{};
  std::string_view users{};  ///< "Llama 3"
};

/// The best-known values of a parameter, ascending; none for most. Sources: the papers of the
/// encodings, and the configurations that were released with the models.
std::span<const KnownValue> known_values(std::string_view key);

}  // namespace orrery

#include "core/errors.h"

#include <fmt/format.h>

#include <string>

namespace orrery {
namespace {

/// what() ends at the first zero byte, which names and keys of a file may have.
std::string without_zeros(std::string_view text) {
  std::string whole;
  for (const char c : text)
    if (c == '\0')
      whole += "\\x00";
    else
      whole += c;
  return whole;
}

}  // namespace

Error::Error(ErrorKind kind, std::string_view value, std::string_view rule, std::string_view remedy)
    : std::runtime_error(without_zeros(fmt::format("{}: {}; {}", value, rule, remedy))),
      kind_(kind) {}

void check_invariant(bool holds, std::string_view assumption) {
  if (!holds) throw std::logic_error(fmt::format("broken assumption in orrery: {}", assumption));
}

}  // namespace orrery

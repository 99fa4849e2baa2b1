#include "core/errors.h"

#include <fmt/format.h>

namespace orrery {

Error::Error(ErrorKind kind, std::string_view value, std::string_view rule, std::string_view remedy)
    : std::runtime_error(fmt::format("{}: {}; {}", value, rule, remedy)), kind_(kind) {}

void check_invariant(bool holds, std::string_view assumption) {
  if (!holds) throw std::logic_error(fmt::format("broken assumption in orrery: {}", assumption));
}

}  // namespace orrery

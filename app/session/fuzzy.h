#pragma once

#include <optional>
#include <string_view>

namespace orrery {

/// How well a name matches the typed text; empty when it does not. All letters of each typed word
/// must occur in the name in their order; the whole word together, at the start of a word or of
/// the name counts more, and so does a short name. ASCII letters match in either case.
std::optional<double> fuzzy_score(std::string_view typed, std::string_view name);

}  // namespace orrery

#pragma once

#include <span>
#include <string>
#include <string_view>

namespace orrery {

/// The candidate with the least edit distance, upper and lower case alike, or empty when none is
/// near enough to suggest: within one edit of a name of up to four letters, two up to eight, or a
/// third.
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// "did you mean NEAREST?", or `otherwise` when no candidate is near.
std::string remedy_for_unknown(std::string_view name, std::span<const std::string> candidates,
                               std::string_view otherwise);

/// Throws UsageError: "VALUE: is not KIND; did you mean NEAREST?", or "…; choose one of A, B, C".
/// @param kind   with its article: "an encoding"
/// @param names  all that would have been accepted
[[noreturn]] void throw_unknown_name(std::string_view value, std::string_view kind,
                                     std::span<const std::string> names);

}  // namespace orrery

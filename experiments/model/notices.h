#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orrery {

// What no picture may leave unsaid. A notice is a part of a figure's caption, parted from the
// others by " · " or "; ". Where a figure stands without its caption, its notices stay.

/// Contents were drawn at random.
inline constexpr std::string_view untrained_notice = "no trained model";

/// Contents are of a model of Orrery's own, whatever encoding acts on them.
inline constexpr std::string_view trained_notice = "small model trained with RoPE";

/// Models were trained to be compared.
inline constexpr std::string_view small_models_notice =
    "models of this size say how encodings learn this task, not how they rank in large models";

/// "first 32 of 256 tokens"; of counts that stopped, "first 32 of more than 131072 tokens".
std::string cut_notice(std::size_t kept, std::size_t all, bool and_more = false);

/// "assuming that WHAT".
std::string assumption_notice(std::string_view what);

/// The notices in a caption, joined by " · "; empty without one.
std::string notices_in(std::string_view caption);

}  // namespace orrery

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "app/dialogs/palette_entry.h"
#include "app/session/session.h"

namespace orrery {

// What the palette finds about several results or figures at once.

/// "Sweep base from 2 500 to 40 000" for each number of this view that is read.
void add_sweeps(const Session& session, std::vector<PaletteEntry>& entries);
/// "sweep base 100 1e6" as an entry that does so, if there is such a number.
std::optional<PaletteEntry> typed_sweep(const Session& session, std::string_view typed);
/// "compare alibi and rope" as an entry that shows both, in this view or the first that can.
std::optional<PaletteEntry> typed_comparison(const Session& session, std::string_view typed);
/// "ALiBi − RoPE: attention weight" for what may be subtracted from the figures on screen.
void add_differences(const Session& session, std::vector<PaletteEntry>& entries);

}  // namespace orrery

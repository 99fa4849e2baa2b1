#pragma once

#include "app/gui/ui.h"
#include "app/session/session.h"

namespace orrery {

/// RoPE's frequency mixer: a column a band of wavelengths, the fastest at the left, over the whole
/// width of the present window. A click mutes or unmutes, Ctrl+click solos, a double click unmutes
/// all. Sets rope.muted, so that curves and maps follow, undo takes it back, and a command has it.
void mixer_control(Session& session, const Ui& ui);

}  // namespace orrery

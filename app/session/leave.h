#pragma once

namespace orrery {

/// Ends the program, once all that must be kept is kept. While the work of a dropped task still
/// runs, static objects are not destroyed, since that work may be using them.
[[noreturn]] void leave(int status);

}  // namespace orrery

#pragma once

#include <cstdint>
#include <optional>

#include "app/session/session.h"

namespace orrery {

/// Removes a note from the status line a few seconds after it appeared.
class NoteTimer {
 public:
  /// Call once per frame, at `seconds` of any steady clock.
  void update(Session& session, double seconds);
  /// Seconds until the note on screen is removed; negative when there is none.
  double due_in(double seconds) const;

 private:
  std::uint64_t seen_{0};  ///< notes before the present one
  std::optional<double> removal_time_{};
};

}  // namespace orrery

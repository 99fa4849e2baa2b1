#pragma once

#include "app/gui/overlay.h"
#include "app/session/session.h"

namespace orrery {

/// Lists the running and finished computations, one line per experiment, each with
/// buttons that pause and stop it.
class JobsPanel : public Overlay {
 public:
  void draw(Session& session, bool writing, const Ui& ui);
};

/// The claims that the result on screen was checked against, with their numbers.
class ChecksSheet : public Overlay {
 public:
  void draw(const Session& session, const Ui& ui);
};

}  // namespace orrery

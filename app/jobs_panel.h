#pragma once

#include "app/overlay.h"
#include "app/session.h"

namespace orrery {

/// What runs and what ran, a line an experiment, each with its stop button.
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

#pragma once

#include <optional>
#include <vector>

#include "app/gui/overlay.h"
#include "app/session/file_pairs.h"

namespace orrery {

/// Asks what two files are that were dropped together.
class PairDialog : public Overlay {
 public:
  void ask(std::vector<DroppedPair> pairs);
  /// Returns the pair chosen in this frame.
  std::optional<DroppedPair> draw(const Session& session, const Ui& ui);

 private:
  std::vector<DroppedPair> pairs_{};
};

}  // namespace orrery

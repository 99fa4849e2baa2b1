#pragma once

#include <optional>
#include <vector>

#include "app/gui/overlay.h"
#include "app/session/file_pairs.h"

namespace orrery::dialogs {

/// Asks what two files are that were dropped together.
class PairDialog : public Overlay {
 public:
  void ask(std::vector<FilePair> pairs);
  /// Returns the pair chosen in this frame.
  std::optional<FilePair> draw(const Session& session, const Ui& ui);

 private:
  std::vector<FilePair> pairs_{};
};

}  // namespace orrery::dialogs

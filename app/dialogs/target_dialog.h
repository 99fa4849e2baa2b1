#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/file_targets.h"

namespace orrery {

/// Asks which parameter a file is for when several could read it.
class TargetDialog : public Overlay {
 public:
  void ask(std::string path, std::vector<FileTarget> targets);
  const std::string& path() const { return path_; }
  /// Returns the parameter chosen in this frame.
  std::optional<FileTarget> draw(const Session& session, const Ui& ui);

 private:
  std::string path_{};
  std::vector<FileTarget> targets_{};
};

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

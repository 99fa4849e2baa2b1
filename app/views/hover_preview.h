#pragma once

#include <memory>

#include "app/session/session.h"

namespace orrery::views {

/// Phasors that turn to the distance pointed at: where the experiment has a parameter for it, its
/// arrows, and its curves over anything but the distance, are computed at that distance in the
/// background and stand in for those of the result as long as anything is pointed at. Their titles
/// name the distance; captions, which name settings that played no part, are left out.
class HoverPreview {
 public:
  /// The figure to draw in place of one of the current result.
  const Figure& of(const Figure& figure) const;
  /// Asks for and takes what has been computed. Call once a frame, before of().
  void update(Session& session);
  /// The result shown instead; null while there is none.
  const std::shared_ptr<const Result>& result() const { return turned_; }

 private:
  std::shared_ptr<const Result> source_{};  ///< that turned_ was made of
  std::shared_ptr<const Result> turned_{};
};

}  // namespace orrery::views

#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace orrery {

/// The place that the mouse points at, in terms that all views share.
struct PointedAt {
  std::optional<double> distance{};   ///< m − n, in tokens
  std::optional<std::size_t> pair{};  ///< t, of channels that turn together
  std::string figure{};               ///< id of the figure under the mouse
};

/// Links the views: the distance and the pair pointed at in one are highlighted in all others.
/// Pointing lasts for one frame and shows in the next, so that the order in which views are drawn
/// does not matter; a held distance stays when the mouse has left.
class LinkedCursor {
 public:
  /// Begins the frame of this number; further calls with the same number do nothing.
  void begin_frame(int number);
  /// Reports what lies under the mouse in this frame.
  void point(PointedAt pointed) { next_ = std::move(pointed); }

  /// The distance to highlight: the one pointed at, or else the held one.
  std::optional<double> distance() const;
  /// The pair to highlight.
  const std::optional<std::size_t>& pair() const { return shown_.pair; }
  /// Whether the mouse is on this figure, which then shows a readout instead.
  bool points_from(const std::string& figure) const { return shown_.figure == figure; }

  void hold(std::optional<double> distance) { held_ = distance; }
  const std::optional<double>& held() const { return held_; }

 private:
  int frame_{-1};
  PointedAt shown_{};
  PointedAt next_{};
  std::optional<double> held_{};
};

}  // namespace orrery

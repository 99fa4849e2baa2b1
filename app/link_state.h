#pragma once

#include <optional>
#include <string>

namespace orrery {

/// What the mouse points at, in words that every view understands.
struct Pointed {
  std::optional<double> distance{};  ///< m − n, in tokens
  std::string figure{};              ///< id of the figure under the mouse
};

/// What is pointed at in one view and lit in all the others. Pointing lasts a frame and shows in
/// the next, so that the order in which views are drawn does not matter; a distance that is held
/// stays when the mouse has left.
class LinkState {
 public:
  /// Begins the frame of this number; further calls with the same number do nothing.
  void begin_frame(int number);
  /// Says what lies under the mouse in this frame.
  void point(Pointed pointed) { next_ = std::move(pointed); }

  /// The distance to light: what is pointed at, or else what is held.
  std::optional<double> distance() const;
  /// Whether the mouse is on this figure, which then reads out itself.
  bool points_from(const std::string& figure) const { return shown_.figure == figure; }

  void hold(std::optional<double> distance) { held_ = distance; }
  const std::optional<double>& held() const { return held_; }

 private:
  int frame_{-1};
  Pointed shown_{};
  Pointed next_{};
  std::optional<double> held_{};
};

}  // namespace orrery

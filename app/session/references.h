#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/model/experiment.h"
#include "experiments/model/result.h"

namespace orrery {

/// Links the views: the distance and the pair pointed at in one are highlighted in all others.
/// Pointing lasts for one frame and shows in the next, so that the order in which views are drawn
/// does not matter; a held distance stays when the mouse has left.
class LinkedCursor {
 public:
  /// The place that the mouse points at, in terms that all views share.
  struct PointedAt {
    std::optional<double> distance{};   ///< m − n, in tokens
    std::optional<std::size_t> pair{};  ///< t, of channels that turn together
    std::string figure{};               ///< id of the figure under the mouse
  };

  /// Begins the frame of this number; further calls with the same number do nothing.
  void begin_frame(int number) {
    if (number == frame_) return;
    frame_ = number;
    shown_ = std::exchange(next_, {});
  }
  /// Reports what lies under the mouse in this frame.
  void point(PointedAt pointed) { next_ = std::move(pointed); }

  /// The distance to highlight: the one pointed at, or else the held one.
  std::optional<double> distance() const { return shown_.distance ? shown_.distance : held_; }
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

/// Pins and cursors on a line plot, in data coordinates.
struct FigureMarks {
  std::vector<double> pins{};  ///< x of pinned readouts
  std::optional<std::array<double, 2>>
      cursors{};  ///< x of the two cursors whose difference is shown
  friend bool operator==(const FigureMarks&, const FigureMarks&) = default;
};

/// What is subtracted from a figure: another figure of the result, or one of its own curves.
struct Subtrahend {
  std::string figure{};  ///< id; empty for a curve
  std::string curve{};   ///< name
  friend bool operator==(const Subtrahend&, const Subtrahend&) = default;
};

/// How one experiment's result is shown, apart from the zoom of its figures.
struct ViewState {
  std::optional<ViewLayout> layout{};  ///< empty: as suits the experiment
  std::string
      second_figure{};  ///< id of the right one, side by side; empty: as suits the experiment
  std::map<std::string, FigureMarks> marks{};  ///< by figure id
  /// Results that others are compared with, the one pinned last at the end; at most max_references.
  std::vector<std::shared_ptr<const Result>> references{};
  std::map<std::string, Subtrahend> minus{};  ///< by the id of the figure that it is taken from
  bool difference{false};  ///< whether the difference from the last reference is shown
  friend bool operator==(const ViewState&, const ViewState&) = default;
};

/// More grey curves than this cannot be told apart.
inline constexpr std::size_t max_references = 4;

/// How the settings of two results of one experiment differ, in words. Settings that only one of
/// them reads follow from the others and are left out.
struct SettingsContrast {
  std::string shown_encodings{};  ///< "ALiBi"; empty where the encodings are the same
  std::string other_encodings{};  ///< "RoPE + T5"
  std::string shown{};            ///< the other settings that differ: "dim 128 · base 10 000"
  std::string other{};            ///< "dim 64 · base 500 000"
  std::string other_values{};     ///< "64 · 500 000"

  bool same() const { return shown_encodings.empty() && shown.empty(); }
};
SettingsContrast contrast_of(const Provenance& shown, const Provenance& other);

/// The parts that say something: "RoPE · base 500 000".
std::string joined_parts(const std::vector<std::string>& parts);
/// What sets `other` apart, "RoPE · base 500 000", or in short "RoPE · 500 000"; "same settings"
/// where nothing does.
std::string reference_name(const SettingsContrast& contrast);
std::string short_reference_name(const SettingsContrast& contrast);

/// The key of an experiment's parameter of that role; empty without one.
std::string key_of_role(const std::string& experiment, ParamRole role);

/// "RoPE" for "rope"; the name itself where no encoding is called so.
std::string encoding_title(std::string_view name);

/// Adds a reference at the end, in place of the oldest where there are max_references. Returns what
/// to tell the user. A result with the settings of a reference becomes the last one.
std::string pin_reference(ViewState& shown, const std::shared_ptr<const Result>& result);
void unpin_reference(ViewState& shown, std::size_t index);

}  // namespace orrery

#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/model/experiment.h"
#include "experiments/model/result.h"

namespace orrery {

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

}  // namespace orrery

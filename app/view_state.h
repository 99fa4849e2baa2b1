#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/result.h"

namespace orrery {

/// How the figures of a result share the view.
enum class ViewLayout { single, side_by_side, small_multiples };

/// What a reader laid onto a line plot, in data.
struct FigureMarks {
  std::vector<double> pins{};                      ///< x of read-outs that stay
  std::optional<std::array<double, 2>> cursors{};  ///< x of the two whose difference is read
  friend bool operator==(const FigureMarks&, const FigureMarks&) = default;
};

/// How one experiment's result is looked at, beyond the views of its figures.
struct ViewState {
  std::optional<ViewLayout> layout{};  ///< otherwise what suits the experiment
  std::string second_figure{};         ///< id of the right one, side by side; empty: what suits
  std::map<std::string, FigureMarks> marks{};  ///< by figure id
  std::shared_ptr<const Result> reference{};   ///< the result that others are compared with
  bool difference{false};                      ///< show what differs from the reference
  friend bool operator==(const ViewState&, const ViewState&) = default;
};

}  // namespace orrery

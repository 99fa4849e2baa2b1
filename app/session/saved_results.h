#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/model/experiment.h"
#include "experiments/sweeps/sweep_index.h"

namespace orrery {

/// A result that was saved, as if it were computed: its parameter is the folder that it is read
/// from. Of a sweep's folder it is the points drawn together, see sweep_overview. So a session over
/// it loads in the background, the newest choice wins, and a folder that is damaged leaves the last
/// result where it was.
Experiment saved_source();
inline constexpr const char* saved_folder_key = "folder";
// Of a sweep's points drawn together: see PlotRequest.
inline constexpr const char *saved_hue_key = "hue", *saved_facet_key = "facet";

/// How a list of points is shown.
struct PointOrder {
  /// The columns by which it can be sorted, in their order; scalars follow.
  enum class Column { label, status, checks, first_scalar };

  std::string filter{};  ///< words that label, status or error hold, in any case; all of them
  int column{-1};        ///< Column, or first_scalar + index of a scalar; below 0: the plan's
  bool descending{};
  friend bool operator==(const PointOrder&, const PointOrder&) = default;
};

/// The places of the points that pass the filter, sorted. Numbers in labels sort as numbers; NaN
/// comes last either way; equals stay in the plan's order.
std::vector<std::size_t> ordered_points(const SweepIndex& folder, const PointOrder& order);

}  // namespace orrery

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "experiments/combine/dimensions.h"
#include "experiments/model/panels.h"
#include "experiments/sweeps/saved_sweep.h"

namespace orrery {

/// Ids of the figures of curves that the finished points have.
std::vector<std::string> curve_figures(const SavedSweep& sweep);

/// Draws the points of a sweep together: the curves of one of their figures, or one of their
/// measures over one setting (curves) or two (a map). The colour of a curve shows the hue, by
/// ordered colours for numbers and by its own for an encoding. There is one panel per value of the
/// facet, and one page per combination of all other differences. A point that does not read a
/// setting is in all of its panels. Repeats are drawn as their mean, with a band. A point whose
/// files cannot be read is left out, as the caption reports.
///
/// @param left_out  gets those points, where it is not null
/// Throws UsageError for what the sweep does not have or does not vary, and for words that have no
/// meaning together; DataError where no point of a figure can be read.
std::vector<Panels> combined(const SavedSweep& sweep, const PlotRequest& request,
                             std::vector<LeftOut>* left_out = nullptr);

/// The most pages that a report and the desktop show.
inline constexpr std::size_t most_overview_pages = 36;

/// A page, and what of the request it shows.
struct DrawnPage {
  Panels panels{};
  PlotRequest request{};
};

struct Drawing {
  std::vector<DrawnPage> pages{};
  std::vector<LeftOut> left_out{};
  std::vector<std::string> not_drawn{};  ///< why figures and measures have no page
};

/// The pages that a report shows: each figure of curves that differs between points, each measure
/// that differs over each swept number, and over each two as a map. At most `most`. The hue and the
/// facet of `look` are those of every page that can have them. What has no page is said.
Drawing overview(const SavedSweep& sweep, std::size_t most, const PlotRequest& look = {});

/// What `orrery plot` draws: combined() of a figure or a measure; without either an overview in
/// which all other words hold. Values and axes apply to every page, hue, facet and dash to those
/// that can have them: the request of each page tells which. Throws as combined() does, and
/// UsageError for a value of no point and for a word that no page can obey.
Drawing drawn(const SavedSweep& sweep, const PlotRequest& request, std::size_t most);

/// The panels of a page as figures of their own, with ids that are told apart by numbers.
std::vector<Figure> figures_of(Panels page);

}  // namespace orrery

#pragma once

#include <string>
#include <vector>

#include "experiments/cli/command.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/figure.h"
#include "experiments/results/figure_options.h"

namespace orrery {

/// Figures as they are written where nothing is said of them.
FigureOptions default_figures();

/// --figure, --format, --theme, --formulas and the page.
std::vector<Option> figure_options(FigureOptions& figures);
/// --format, of these, --theme and the page.
std::vector<Option> drawing_options(FigureOptions& figures, const Words& formats);
/// --width, --height, --text-size, --title and --caption of the page that figures are drawn on.
std::vector<Option> page_options(Page& page);

/// The same options without the format "none".
FigureOptions without_none(FigureOptions figures);

/// The options of a command line that say how figures are written, where they are not the defaults.
Words figure_words(const FigureOptions& figures);

/// What such options among the words of a command line say; all others are passed over. Throws
/// UsageError for a page that there is not.
FigureOptions figures_in(const Words& argv);

/// How a figure is drawn, whatever it was drawn as before; empty: as it is.
struct LookOptions {
  std::string x_range{};  ///< "0:128"
  std::string y_range{};
  std::string x_scale{};
  std::string y_scale{};
  std::string colors{};  ///< of a map
};

/// --x-range, --y-range, --x-scale, --y-scale, --colors.
std::vector<Option> look_options(LookOptions& options);

/// The crop and the scales. Throws UsageError for a range that is not two numbers in order.
FigureView view_of(const LookOptions& options);

/// The figure with these colours, if it is a map.
Figure recolored(Figure figure, const LookOptions& options);

}  // namespace orrery

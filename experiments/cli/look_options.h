#pragma once

#include <string>
#include <vector>

#include "experiments/cli/command.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/figure.h"

namespace orrery {

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

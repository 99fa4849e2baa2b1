#pragma once

#include "experiments/figure/plot/figure_view.h"
#include "experiments/text/toml_fields.h"

namespace orrery {

/// The keys of [view."FIGURE"], in sessions and in lessons.
const TomlFields<FigureView>& figure_view_fields();

}  // namespace orrery

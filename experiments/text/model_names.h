#pragma once

#include "experiments/model/experiment.h"
#include "experiments/model/result.h"
#include "experiments/text/enum_names.h"

namespace orrery {

// The names that files, commands and menus use for the enums of model/.

/// "at_most", "at_least", "equals".
const EnumNames<Relation>& relation_names();
/// "linear", "log2", "log10", "symlog".
const EnumNames<AxisScale>& axis_scale_names();
/// "single", "side_by_side", "small_multiples".
const EnumNames<ViewLayout>& layout_names();
inline std::string_view layout_name(ViewLayout layout) { return name_in(layout_names(), layout); }
/// "completed", "stopped".
const EnumNames<Status>& status_names();

}  // namespace orrery

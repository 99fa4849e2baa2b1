#pragma once

#include "experiments/model/result.h"
#include "experiments/text/enum_names.h"

namespace orrery::text {

// The names that files, commands and menus use for the enums of model/.

/// "at_most", "at_least", "equals".
const EnumNames<Relation>& relation_names();
/// "linear", "log2", "log10", "symlog".
const EnumNames<AxisScale>& axis_scale_names();
/// "completed", "stopped".
const EnumNames<Status>& status_names();

}  // namespace orrery::text

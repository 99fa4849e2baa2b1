#pragma once

#include "app/gui/ui.h"
#include "experiments/model/result.h"

namespace orrery {

/// The checks of a result, one per line: whether it holds, the statement, measured against bound;
/// then its scalars. Draws into the current window.
void draw_findings(const Result& result, const Ui& ui);
/// The height that draw_findings takes in a window whose content is `width` wide.
double findings_height(const Result& result, double width, const Ui& ui);

/// How many of the checks hold.
std::size_t holding(const Result& result);

}  // namespace orrery

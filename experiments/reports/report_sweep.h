#pragma once

#include "experiments/reports/report_options.h"

namespace orrery {

/// The report of a sweep, see make_report.
Report sweep_report(const ReportOptions& options);

}  // namespace orrery

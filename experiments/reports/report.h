#pragma once

#include "experiments/reports/report_options.h"

namespace orrery {

/// A report with claims and verdicts, numbers, figures drawn from their data, settings, provenance
/// and the commands that reproduce it. For a sweep also a table of its points, and every scalar
/// over every swept number. It contains no date: the same folder gives the same report. Throws
/// IoError; DataError when the manifest, result.json or plan.json cannot be read.
Report make_report(const ReportOptions& options);

}  // namespace orrery

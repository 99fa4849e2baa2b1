#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/batch/document.h"

namespace orrery {

struct ReportOptions {
  std::filesystem::path folder{};            ///< of a result or a sweep
  std::filesystem::path beside{};            ///< where the report will lie: links start here
  std::size_t most_points_with_figures{24};  ///< of a sweep; the others are in its table
};

struct Report {
  Document document{};
  std::vector<std::string> problems{};  ///< what is missing or damaged; the document says so too
};

/// Claims with holds or fails, numbers, figures drawn anew from their data, settings, provenance
/// and the commands that make it again. Of a sweep also its points as a table, and every scalar
/// over every swept number. No clock: the same folder gives the same report.
/// Throws IoError; DataError when there is nothing to report from: a manifest, result.json or
/// plan.json that cannot be read.
Report make_report(const ReportOptions& options);

}  // namespace orrery

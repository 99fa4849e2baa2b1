#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/figure/document/document.h"

namespace orrery {

struct ReportOptions {
  std::filesystem::path folder{};            ///< folder of a result or a sweep
  std::filesystem::path beside{};            ///< folder of the report: links are relative to it
  std::size_t most_points_with_figures{24};  ///< other points of a sweep are only in its table
  bool keeps_figures{};  ///< of those points all, however large the page becomes
  /// Folder beside the report for the SVGs of panels that Markdown shows; empty: it shows none.
  std::string panels{};
};

struct Report {
  Document document{};
  std::vector<std::string> problems{};  ///< what is missing or damaged; also listed in the document
  std::vector<std::string>
      without_result{};  ///< points of a sweep that failed or were not computed
};

/// A report with claims and verdicts, numbers, figures drawn from their data, settings, provenance
/// and the commands that reproduce it. For a sweep also a table of its points, and every scalar
/// over every swept number. It contains no date: the same folder gives the same report. Throws
/// IoError; DataError when the manifest, result.json or plan.json cannot be read.
Report make_report(const ReportOptions& options);

/// That of a sweep.
Report sweep_report(const ReportOptions& options);

}  // namespace orrery

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/batch/document.h"
#include "experiments/batch/report.h"
#include "experiments/batch/saved_result.h"
#include "experiments/batch/saved_sweep.h"

namespace orrery {

// What the reports of a result and of a sweep share, and their middle parts.

GridCell text_cell(std::string text);
/// Six significant digits; the whole number where it is sorted and pointed at.
GridCell number_cell(double value);
GridCell verdict_cell(bool good, std::string text);
std::string short_number(double value);

/// The words as a shell reads them back.
std::string shell_line(const std::vector<std::string>& words);
/// "orrery run NAME key=value …" with every used parameter, so that defaults do not matter.
std::string run_command_line(const Provenance& provenance, const std::string& out);

/// Claims, numbers, figures, tables and settings of one result. `prefix` makes anchors and ids
/// unique in the page.
struct ResultSections {
  const RecoveredResult& recovered;
  const SavedFolder& saved;
  std::filesystem::path beside;
  std::string prefix{};
  int level{2};  ///< of headings
};
void add_claims(const ResultSections& of, std::vector<Block>& blocks);
void add_scalars(const ResultSections& of, std::vector<Block>& blocks);
void add_figures(const ResultSections& of, std::vector<Block>& blocks);
void add_tables(const ResultSections& of, std::vector<Block>& blocks);
void add_settings(const ResultSections& of, std::vector<Block>& blocks);

/// What a manifest says of program and machine, as rows.
void add_program_and_machine(const nlohmann::ordered_json& manifest, Grid& grid);

inline constexpr std::size_t most_overview_figures = 36;

/// Each scalar over each swept key with numbers for values: one curve for each value of the other
/// key with the most values, one figure for each combination of the rest. Repeats are a mean with a
/// band of one standard deviation. Combinations with the same curves share one figure; the first
/// most_overview_figures are given.
std::vector<Figure> overview_figures(const SavedSweep& sweep);

Report result_report(const ReportOptions& options);
Report sweep_report(const ReportOptions& options);

}  // namespace orrery

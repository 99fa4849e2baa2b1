#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/figure/document/document.h"
#include "experiments/results/saved_result.h"
#include "experiments/sweeps/saved_sweep.h"
#include "experiments/sweeps/tidy_table.h"

namespace orrery {

/// What the tables of a sweep's report are made of. Of a table with many rows the first are in the
/// page, with a sentence on where all are.
struct SweepTables {
  const SavedSweep& sweep;
  const TidyTable& tidy;
  std::size_t shown{};             ///< points that have a heading of their own, the first ones
  std::filesystem::path beside{};  ///< folder of the report
};

/// Of the heading of a point.
std::string anchor_of(const PointRecord& point);
/// "dim=8"; of a point without swept values its id.
std::string title_of(const PointRecord& point);

/// Places of the measures that differ.
std::vector<std::size_t> varied_measures(const TidyTable& table);

/// Settings and measures that are the same everywhere.
void add_constants(const SweepTables& of, std::vector<Block>& blocks);
/// A row per point and encoding.
void add_results(const SweepTables& of, std::vector<Block>& blocks);
/// Means over repeats with their intervals; nothing where there are none.
void add_repeats(const SweepTables& of, std::vector<Block>& blocks);

// The parts that the reports of a result and of a sweep have in common.

GridCell text_cell(std::string text);
/// Marked text without its marks.
GridCell marked_cell(std::string_view marked);
/// Shown with six significant digits; sorted by, and shown on hover in, full precision.
GridCell number_cell(double value);
GridCell verdict_cell(bool good, std::string text);

/// The parameter of an experiment, without a symbol that is its key; of an unknown one the key
/// alone.
ParamSpec spec_named(const std::string& experiment, const std::string& key);
/// "distance (tokens)".
std::string with_unit(const std::string& title, const std::string& unit);

/// "orrery run NAME key=value …" with every used parameter, so that it does not depend on defaults.
std::string run_command_line(const Provenance& provenance, const std::string& out);

/// Claims, numbers, figures, tables and settings of one result. `prefix` makes anchors and ids
/// unique in the page.
struct ResultSections {
  const RecoveredResult& recovered;
  const SavedFolder& saved;
  std::filesystem::path beside;
  std::string prefix{};
  int level{2};  ///< level of the headings
};
void add_claims(const ResultSections& of, std::vector<Block>& blocks);
void add_scalars(const ResultSections& of, std::vector<Block>& blocks);
void add_figures(const ResultSections& of, std::vector<Block>& blocks);
void add_tables(const ResultSections& of, std::vector<Block>& blocks);
void add_settings(const ResultSections& of, std::vector<Block>& blocks);

/// Adds the tags and the note on a result or a sweep; to `problems` why they cannot be read.
void add_notes(const std::filesystem::path& folder, std::vector<Block>& blocks,
               std::vector<std::string>& problems);

/// The words of a call that a manifest recorded, with the program's own name; empty without any.
std::vector<std::string> called_words(const nlohmann::ordered_json& call);

/// Adds rows about program and machine from a manifest.
void add_program_and_machine(const nlohmann::ordered_json& manifest, Grid& grid);

}  // namespace orrery

#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/figure/document/document.h"
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

/// Settings and measures that are the same everywhere.
void add_constants(const SweepTables& of, std::vector<Block>& blocks);
/// A row per point and encoding.
void add_results(const SweepTables& of, std::vector<Block>& blocks);
/// Means over repeats with their intervals; nothing where there are none.
void add_repeats(const SweepTables& of, std::vector<Block>& blocks);

}  // namespace orrery

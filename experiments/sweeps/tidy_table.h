#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/params.h"
#include "experiments/statistics/welch.h"
#include "experiments/sweeps/point_record.h"

namespace orrery {

/// A scalar's or check's name without the encoding that it begins with: "rope_change" is the
/// measure "change" of the encoding "rope". The encoding is empty where the number is of the point
/// as a whole.
struct MeasureName {
  std::string encoding{};
  std::string measure{};
};
MeasureName measure_name(std::string_view scalar);

/// What one encoding gave at one point.
struct TidyRow {
  const PointRecord* point{};
  std::string encoding{};              ///< empty where the experiment compares none
  std::vector<double> values{};        ///< one per measure; NaN where it has no such number
  std::vector<const Check*> checks{};  ///< one per check; null where it has none
};

/// The points of a sweep with one row per point and encoding and one column per measure. A number
/// of the point as a whole is in each of its rows.
struct TidyTable {
  std::vector<std::string> keys{};  ///< settings that differ between points, but the encoding
  bool has_encodings{};
  std::vector<std::string> measures{};
  std::vector<std::string> checks{};
  std::vector<TidyRow> rows{};
  Settings constants{};  ///< settings with one value
};

/// @param swept  keys that come first, in this order; "seed" is a setting only if it is among them
TidyTable tidy_table(const std::vector<PointRecord>& points, const std::vector<std::string>& swept);

/// The rows that differ in nothing but repeat and seed.
struct RepeatGroup {
  std::vector<const TidyRow*> rows{};
  std::vector<SampleMoments> moments{};  ///< one per measure, of its finite numbers
};
std::vector<RepeatGroup> repeat_groups(const TidyTable& table);

/// Whether a measure has the same number in every row that has it: it belongs beside the table.
bool is_constant(const TidyTable& table, std::size_t measure);

/// id, status, repeat, seed, the keys, encoding, the measures, then check.NAME and
/// check.NAME.holds, error. A measure with the name of a key is measure.NAME.
Table results_table(const TidyTable& table);
/// setting, value.
Table constants_table(const TidyTable& table);
/// The keys, encoding, measure, n, mean, sd, ci95_low, ci95_high: see mean_interval.
Table summary_table(const TidyTable& table);

/// One line of JSON per row: id, status, repeat, seed, every setting of the point, encoding, and
/// the measures and checks that it has. NaN is null.
std::string tidy_jsonl(const TidyTable& table, std::span<const ParamSpec> specs);

}  // namespace orrery

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/sweeps/point_record.h"

namespace orrery {

/// What a measure or a check of a sweep is, for people.
struct MeasureTitle {
  std::string name{};   ///< that of its column in results.csv: "change", "check.bound_holds"
  std::string title{};  ///< "largest relative change of a length"
  std::string symbol{};
  std::string unit{};
};

/// Each measure and each check once. The title is the scalar's description or the check's statement
/// up to a semicolon and without the encoding's label before it; where points or encodings have
/// different ones, it is the name in words.
/// @param points  with descriptions: from their result.json
std::vector<MeasureTitle> measure_titles(const std::vector<PointRecord>& points);

/// name, title, symbol, unit.
Table measures_table(const std::vector<MeasureTitle>& titles);
/// What measures_table wrote.
std::vector<MeasureTitle> titles_in(const Table& table);
/// The table of measures_table without rows.
Table empty_measures_table();

/// The entry of this name; one with the name in words where there is none.
MeasureTitle title_of(const std::vector<MeasureTitle>& titles, std::string_view name);

/// "share of bound" of share_of_bound, "bound holds" of check.bound_holds.
std::string words_of(std::string_view name);

/// The statement of a check, after the label of the encoding that its name begins with.
std::string check_title(const std::vector<MeasureTitle>& titles, const std::string& check);

}  // namespace orrery

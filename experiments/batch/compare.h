#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/batch/welch.h"
#include "experiments/result.h"

namespace orrery {

/// A setting, a version, a hash: "" where one side has none.
struct TextDifference {
  std::string name{};
  std::string a{};
  std::string b{};
};

/// How many doubles there are from a to b: 0 when equal (−0 equals 0, and a NaN a NaN), 2^64 − 1
/// when only one of them is NaN.
std::uint64_t ulp_distance(double a, double b);

struct NumberDifference {
  std::string name{};
  double a{};
  double b{};
  double difference() const { return b - a; }
  /// |b − a| / max(|a|, |b|); 0 when equal.
  double relative() const;
  bool same() const { return ulp_distance(a, b) == 0; }
};

struct CheckDifference {
  std::string name{};
  NumberDifference measured{};
  bool holds_a{};
  bool holds_b{};
};

/// Many numbers of one name: a column of a table, an array, what a figure shows.
struct DataDifference {
  std::string name{};     ///< "tables/decay: mean", "arrays/weights", "figures/decay: RoPE"
  std::string other{};    ///< a difference that is none of numbers: another shape, missing in B
  std::size_t numbers{};  ///< how many there are
  std::size_t differing{};
  double largest{};  ///< absolute difference; NaN where only one side is NaN
};

/// What differs between two results. Lists hold differences only, but for `scalars`.
struct ResultComparison {
  std::vector<TextDifference> settings{};
  std::vector<NumberDifference> scalars{};  ///< all that both have
  std::vector<CheckDifference> checks{};
  std::vector<DataDifference> data{};
  std::vector<std::string> only_a{};  ///< "scalar half_distance", "check below"
  std::vector<std::string> only_b{};

  bool same_numbers() const;
};

ResultComparison compare_results(const Result& a, const Result& b);

/// A pair of points whose numbers differ.
struct PointComparison {
  std::string label{};
  std::string id_a{};
  std::string id_b{};
  std::string status_a{};
  std::string status_b{};
  ResultComparison result{};
};

/// One scalar over the repeats of one setting.
struct RepeatStatistics {
  std::string setting{};
  std::string scalar{};
  SampleMoments a{};
  SampleMoments b{};
  Welch test{};
};

struct SweepComparison {
  std::vector<TextDifference> settings{};
  std::size_t matched{};
  std::vector<PointComparison> differing{};
  std::vector<std::string> only_a{};  ///< points, by label and id
  std::vector<std::string> only_b{};
  std::vector<RepeatStatistics> repeats{};  ///< where a setting has several points

  bool same_numbers() const { return differing.empty() && only_a.empty() && only_b.empty(); }
};

/// What differs between two folders.
struct Comparison {
  bool sweeps{};
  std::vector<TextDifference> program{};  ///< version, commit, compiler …
  std::vector<TextDifference> inputs{};   ///< SHA-256 by parameter
  ResultComparison result{};
  SweepComparison sweep{};

  bool same_numbers() const { return sweeps ? sweep.same_numbers() : result.same_numbers(); }
};

/// Compares two results or two sweeps. Points are matched by id, then by their settings and repeat,
/// leaving out the seed and what is one value throughout A and another throughout B.
/// Throws UsageError when one is a result and the other a sweep; as load_result and load_sweep do,
/// and DataError when anything in either is missing or damaged.
Comparison compare_folders(const std::filesystem::path& a, const std::filesystem::path& b);

/// Tagged "orrery.comparison/1".
nlohmann::ordered_json to_json(const Comparison& comparison);
/// For people.
std::string comparison_text(const Comparison& comparison);

}  // namespace orrery

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "experiments/model/result.h"
#include "experiments/statistics/welch.h"
#include "experiments/sweeps/saved_sweep.h"

namespace orrery {

/// The number of steps between neighbouring doubles from a to b: 0 when equal (−0 equals 0, NaN
/// equals NaN), 2^64 − 1 when only one of them is NaN.
std::uint64_t ulp_distance(double a, double b);

/// |b − a| / max(|a|, |b|); 0 when equal, NaN when only one of them is NaN.
double relative_difference(double a, double b);

/// A setting, version or hash that differs; "" where one side has none.
struct TextDifference {
  std::string name{};
  std::string a{};
  std::string b{};
};

/// The values that differ between two lists by name, in the order of the names.
std::vector<TextDifference> text_differences(const std::map<std::string, std::string>& a,
                                             const std::map<std::string, std::string>& b);

struct NumberDifference {
  std::string name{};
  double a{};
  double b{};
  double tolerance{0};  ///< relative differences up to it count as none
  double difference() const { return b - a; }
  double relative() const { return relative_difference(a, b); }
  bool same() const { return relative() <= tolerance; }
};

/// The differences between two results. `scalars` contains equal ones too.
struct ResultComparison {
  struct CheckPair {
    std::string name{};
    NumberDifference measured{};
    bool holds_a{};
    bool holds_b{};
  };
  /// Differences within a column of a table, an array or the data of a figure.
  struct Data {
    std::string name{};     ///< "tables/decay: mean", "arrays/weights", "figures/decay: RoPE"
    std::string other{};    ///< a difference other than in numbers: another shape, missing in B
    std::size_t numbers{};  ///< number of compared numbers
    std::size_t differing{};
    double largest{};  ///< absolute difference; NaN where only one side is NaN
  };
  std::vector<TextDifference> settings{};
  std::vector<NumberDifference> scalars{};  ///< all that are in both results
  std::vector<CheckPair> checks{};
  std::vector<Data> data{};
  std::vector<std::string> only_a{};  ///< "scalar half_distance", "check below"
  std::vector<std::string> only_b{};

  bool same_numbers() const;
};

struct SweepComparison {
  /// A pair of points whose numbers differ.
  struct PointPair {
    std::string label{};    ///< of A
    std::string label_b{};  ///< of B, where it is another
    std::string id_a{};
    std::string id_b{};
    PointStatus status_a{};
    PointStatus status_b{};
    ResultComparison result{};
  };
  /// One scalar over the repeats of one setting.
  struct Repeats {
    std::string setting{};
    std::string scalar{};
    SampleMoments a{};
    SampleMoments b{};
    bool paired{};  ///< both have the same seeds: the test is of their differences
    Welch test{};
    double p_holm{};  ///< corrected for all tests of the comparison
  };
  /// One scalar over all matched points.
  struct Summary {
    std::string scalar{};
    std::size_t points{};     ///< that have it in both
    std::size_t differing{};  ///< of them
    double largest{};         ///< relative difference
    std::string where{};      ///< label of the point with the largest
  };
  std::vector<TextDifference> settings{};
  std::size_t matched{};
  std::vector<PointPair> differing{};
  std::vector<std::string> only_a{};  ///< points, by label and id
  std::vector<std::string> only_b{};
  /// Why points of both cannot be compared: "A: point dim=8 (3f…): FILE: is missing; …".
  std::vector<std::string> not_compared{};
  std::vector<std::string> without_result{};  ///< points that neither side has computed
  std::vector<Summary> scalars{};             ///< those that differ
  std::vector<Repeats> repeats{};             ///< where repeats of both have any spread

  /// Only scalars whose name contains `part`.
  void keep_scalars(const std::string& part);
  bool same_numbers() const {
    return differing.empty() && only_a.empty() && only_b.empty() && not_compared.empty();
  }
};

/// @param tolerance  relative differences up to it count as none
ResultComparison compare_results(const Result& a, const Result& b, double tolerance = 0);

/// Matched points whose files differ are loaded and compared in full. Throws as load_result does.
SweepComparison compare_sweeps(const SavedSweep& a, const SavedSweep& b, double tolerance);

/// The differences between two folders.
struct Comparison {
  bool sweeps{};
  double tolerance{};                     ///< relative differences up to it count as none
  std::vector<TextDifference> program{};  ///< version, commit, compiler …
  std::vector<TextDifference> inputs{};   ///< SHA-256 by parameter
  ResultComparison result{};
  SweepComparison sweep{};

  bool same_numbers() const { return sweeps ? sweep.same_numbers() : result.same_numbers(); }
};

/// Compares two results or two sweeps. Points are matched by id, then by repeat and settings,
/// ignoring the seed and settings with one value throughout A and another throughout B.
/// Throws UsageError when one is a result and the other a sweep; as load_result and load_sweep do,
/// and DataError when anything in either is missing or damaged.
/// @param tolerance  relative differences up to it count as none
Comparison compare_folders(const std::filesystem::path& a, const std::filesystem::path& b,
                           double tolerance = 0);

/// Tagged "orrery.comparison/1".
nlohmann::ordered_json to_json(const Comparison& comparison);
/// The comparison as plain text.
std::string comparison_text(const Comparison& comparison);

}  // namespace orrery

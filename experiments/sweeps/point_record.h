#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/model/result.h"
#include "experiments/text/enum_names.h"

namespace orrery {

enum class PointStatus {
  pending,  ///< not computed yet, or not completely
  done,
  failed
};

/// "pending", "done", "failed".
const EnumNames<PointStatus>& point_status_names();
inline std::string_view name_of(PointStatus status) {
  return name_in(point_status_names(), status);
}

/// The record of one point in a sweep's folder: one line of results.jsonl.
struct PointRecord {
  std::string id{};     ///< see point_id
  std::string label{};  ///< the swept values; for a single result the name of its folder
  PointStatus status{PointStatus::pending};
  std::string error{};                 ///< why it failed
  std::string damage{};                ///< what is wrong with its folder; kept in no file
  int repeat{};                        ///< from 0
  std::optional<std::int64_t> seed{};  ///< where the point reads one
  std::string folder{};                ///< where its result is, or will be
  /// Every used parameter once the point is done; before that what the plan sets.
  Settings params{};
  std::vector<Scalar> scalars{};  ///< name and value
  std::vector<Check> checks{};    ///< name and numbers

  bool is_done() const { return status == PointStatus::done; }
  /// Empty when the parameter is not recorded.
  std::string param(const std::string& key) const;
  /// NaN when no scalar has this name.
  double scalar(const std::string& name) const;
  std::size_t holding_checks() const;
  std::size_t failing_checks() const { return checks.size() - holding_checks(); }
};

std::size_t count_with(const std::vector<PointRecord>& points, PointStatus status);

/// Names of scalars, in the order in which the points first have them.
std::vector<std::string> scalar_names(const std::vector<PointRecord>& points);

}  // namespace orrery

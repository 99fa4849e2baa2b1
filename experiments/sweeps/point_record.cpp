#include "experiments/sweeps/point_record.h"

#include <algorithm>
#include <limits>
#include <set>

namespace orrery {

const EnumNames<PointStatus>& point_status_names() {
  static const EnumNames<PointStatus> names{{PointStatus::pending, "pending"},
                                            {PointStatus::done, "done"},
                                            {PointStatus::failed, "failed"}};
  return names;
}

std::string PointRecord::param(const std::string& key) const {
  for (const auto& [name, value] : params)
    if (name == key) return value;
  return {};
}

double PointRecord::scalar(const std::string& name) const {
  for (const Scalar& one : scalars)
    if (one.name == name) return one.value;
  return std::numeric_limits<double>::quiet_NaN();
}

std::size_t PointRecord::holding_checks() const {
  return static_cast<std::size_t>(std::count_if(checks.begin(), checks.end(),
                                                [](const Check& check) { return check.holds(); }));
}

std::size_t count_with(const std::vector<PointRecord>& points, PointStatus status) {
  return static_cast<std::size_t>(
      std::count_if(points.begin(), points.end(),
                    [&](const PointRecord& point) { return point.status == status; }));
}

std::vector<std::string> scalar_names(const std::vector<PointRecord>& points) {
  std::vector<std::string> names;
  std::set<std::string> known;
  for (const PointRecord& point : points)
    for (const Scalar& scalar : point.scalars)
      if (known.insert(scalar.name).second) names.push_back(scalar.name);
  return names;
}

}  // namespace orrery

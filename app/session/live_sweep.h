#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/session/result_store.h"

namespace orrery {

/// More curves than this cannot be told apart by their colours.
inline constexpr std::size_t sweep_values = 6;

/// A number of an experiment swept in place: everything else stays as it is set. The points are
/// computed in the background, one after the other, the ends first.
class LiveSweep {
 public:
  explicit LiveSweep(ResultStore& store) : asker_(store) {}

  /// Sweeps `key` from one number to another around `params`; what was computed already stays.
  /// Returns whether that is several points.
  bool ask(const Experiment& experiment, const ParamSet& params, std::string_view key, double from,
           double to);
  void stop();
  /// Takes what has been computed. Call once per frame; never waits.
  void update();

  /// Null while nothing is swept.
  const Experiment* experiment() const { return experiment_; }
  /// The settings on screen, around which the number is swept.
  const ParamSet& params() const { return *params_; }
  const std::string& key() const { return key_; }
  /// The swept values as text, the smallest first.
  std::vector<std::string> values() const;
  /// The results at these values as far as they are there. Until all are, also those at the values
  /// before, so that nothing blinks while the range is dragged. They hold figures alone, without
  /// maps that are too large to be kept many times.
  const std::vector<std::shared_ptr<const Result>>& results() const { return shown_; }
  /// How many of the values are there.
  std::size_t done() const;
  std::size_t size() const { return points_.size(); }
  bool is_complete() const;
  /// Whether points are being computed.
  bool busy() const { return experiment_ && asker_.status().busy; }
  /// Why a point failed; empty if none did.
  std::string problem() const;

 private:
  /// A value with what was found at it.
  struct Point {
    ParamSet params{{}};
    std::shared_ptr<const Result> result{};
    std::string error{};  ///< why there is none

    bool is_missing() const { return !result && error.empty(); }
  };
  using Points = std::vector<Point>;

  static Point* find(Points& points, const ParamSet& params);
  std::vector<Wish> missing() const;
  void gather();

  const Experiment* experiment_{};
  std::optional<ParamSet> params_{};
  std::string key_{};
  Points points_{};  ///< by value
  std::vector<std::shared_ptr<const Result>> shown_{};
  ResultStore::Asker asker_;
};

}  // namespace orrery

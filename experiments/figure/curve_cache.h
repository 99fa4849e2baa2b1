#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "experiments/figure/decimate.h"

namespace orrery {

/// Where numbers lie. Equal places hold equal numbers as long as nobody frees or changes them.
struct DataPlace {
  const double* first{};
  std::size_t count{};
  friend bool operator==(const DataPlace&, const DataPlace&) = default;
};
inline DataPlace place_of(std::span<const double> numbers) {
  return {numbers.data(), numbers.size()};
}

/// What was worked out in this frame or the one before.
template <class Key, class Value>
class RecentValues {
 public:
  /// The value of `key`, made unless it is kept. Valid to the next end_frame().
  template <class Make>
  const Value& of(const Key& key, Make make) {
    if (const auto found = find(now_, key); found != now_.end()) return found->value;
    const auto old = find(before_, key);
    now_.push_back(old == before_.end() ? Entry{key, make()} : std::move(*old));
    return now_.back().value;
  }
  void end_frame() {
    before_ = std::move(now_);
    now_.clear();
  }

 private:
  struct Entry {
    Key key;
    Value value;
  };
  using Entries = std::deque<Entry>;  // values stay in their places as it grows
  static typename Entries::iterator find(Entries& entries, const Key& key) {
    return std::find_if(entries.begin(), entries.end(),
                        [&](const Entry& e) { return e.key == key; });
  }
  Entries now_{};
  Entries before_{};
};

/// What a live line plot keeps from frame to frame, so that a frame costs as much as its pixels and
/// not as its points: curves as they are drawn, and how far their numbers reach. One a plot on
/// screen. Addresses tell numbers apart, so the caller hands over what keeps them alive.
class CurveCache {
 public:
  /// Before each frame: `owner` keeps the numbers of the figure where they are, unchanged, for as
  /// long as it is held. Without an owner nothing is kept.
  void begin_frame(std::shared_ptr<const void> owner) {
    if (!owner) *this = {};
    next_owner_ = std::move(owner);
  }
  /// After each frame. What this frame has not asked for is forgotten.
  void end_frame() {
    extents_.end_frame();
    orders_.end_frame();
    strips_.end_frame();
    dots_.end_frame();
    bands_.end_frame();
    owner_ = std::move(next_owner_);
    if (!owner_) *this = {};
  }

  struct ExtentKey {
    DataPlace numbers{};
    AxisScale scale{};
    friend bool operator==(const ExtentKey&, const ExtentKey&) = default;
  };
  struct CurveKey {
    DataPlace x{}, y{}, other{};  ///< `other` is a band's second edge
    AxisMap x_axis{}, y_axis{};
    Rect plot{};
    double cell{};  ///< of dots
    friend bool operator==(const CurveKey&, const CurveKey&) = default;
  };
  template <class Make>
  const Range& extent(const ExtentKey& key, Make make) {
    return extents_.of(key, make);
  }
  template <class Make>
  const CurveOrder& order(const DataPlace& key, Make make) {
    return orders_.of(key, make);
  }
  template <class Make>
  const std::vector<Strip>& strips(const CurveKey& key, Make make) {
    return strips_.of(key, make);
  }
  template <class Make>
  const std::vector<Point>& dots(const CurveKey& key, Make make) {
    return dots_.of(key, make);
  }
  template <class Make>
  const std::vector<BandPiece>& bands(const CurveKey& key, Make make) {
    return bands_.of(key, make);
  }

 private:
  std::shared_ptr<const void> owner_{};  ///< of what was drawn last
  std::shared_ptr<const void> next_owner_{};
  RecentValues<ExtentKey, Range> extents_{};
  RecentValues<DataPlace, CurveOrder> orders_{};
  RecentValues<CurveKey, std::vector<Strip>> strips_{};
  RecentValues<CurveKey, std::vector<Point>> dots_{};
  RecentValues<CurveKey, std::vector<BandPiece>> bands_{};
};

}  // namespace orrery

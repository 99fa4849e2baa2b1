#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/decimate.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Cache of a live line plot, which makes the cost of a frame depend on its pixels instead of its
/// points: decimated curves and the extents of their numbers. One per plot on screen. Arrays are
/// identified by address, so the caller passes an owner that keeps them alive.
class CurveCache {
 public:
  /// Identifies an array by its address. Equal keys mean equal numbers as long as the array is
  /// neither freed nor changed.
  struct ArrayKey {
    const double* first{};
    std::size_t count{};
    friend bool operator==(const ArrayKey&, const ArrayKey&) = default;
  };
  /// Values computed in this frame or the previous one.
  template <class Key, class Value>
  class Recent {
   public:
    /// The value for `key`, computed if it is not cached. Valid until the next end_frame().
    template <class Make>
    const Value& operator()(const Key& key, Make make) {
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
    using Entries = std::deque<Entry>;  // references stay valid as it grows
    static typename Entries::iterator find(Entries& entries, const Key& key) {
      return std::ranges::find(entries, key, &Entry::key);
    }
    Entries now_{};
    Entries before_{};
  };

  /// Call before each frame. Holding `owner` must keep the figure's arrays alive, in place and
  /// unchanged. Without an owner nothing is cached.
  void begin_frame(std::shared_ptr<const void> owner) {
    if (!owner) *this = {};
    next_owner_ = std::move(owner);
  }
  /// Call after each frame. Drops the values that this frame did not use.
  void end_frame() {
    extent.end_frame();
    order.end_frame();
    strips.end_frame();
    dots.end_frame();
    bands.end_frame();
    owner_ = std::move(next_owner_);
    if (!owner_) *this = {};
  }

  struct ExtentKey {
    ArrayKey numbers{};
    AxisScale scale{};
    friend bool operator==(const ExtentKey&, const ExtentKey&) = default;
  };
  struct CurveKey {
    ArrayKey x{}, y{}, other{};  ///< `other` is the second edge of a band
    AxisMap x_axis{}, y_axis{};
    Rect plot{};
    double cell{};  ///< size of the grid that thins dots
    friend bool operator==(const CurveKey&, const CurveKey&) = default;
  };
  Recent<ExtentKey, Range> extent{};
  Recent<ArrayKey, CurveOrder> order{};
  Recent<CurveKey, std::vector<Strip>> strips{};
  Recent<CurveKey, std::vector<Point>> dots{};
  Recent<CurveKey, std::vector<BandPiece>> bands{};

 private:
  std::shared_ptr<const void> owner_{};  ///< owner of the arrays drawn last
  std::shared_ptr<const void> next_owner_{};
};

inline CurveCache::ArrayKey array_key(std::span<const double> numbers) {
  return {numbers.data(), numbers.size()};
}

/// Cache of a live heatmap between frames. While nothing visible has changed, draw_figure passes
/// the canvas the same Image again and does not search the values for their range. One per heatmap
/// on screen; freely copyable.
struct HeatmapCache {
  /// Everything that determines the pixels.
  struct Key {
    std::shared_ptr<const Array> values{};
    std::shared_ptr<const Array> masked{};
    std::size_t first_row{}, rows{}, first_column{}, columns{};  ///< cells shown
    int width{}, height{};                                       ///< pixels
    Range color{};
    Meaning meaning{};
    Minification minification{};
    Color background{}, masked_color{}, not_a_number{};
    bool complete{};  ///< known to have neither masked cells nor NaN, which need not be looked for
    friend bool operator==(const Key&, const Key&) = default;
  };
  Key key{};
  std::shared_ptr<const Image> image{};
  Rect target{};  ///< position of the image; it may extend beyond the plot

  std::shared_ptr<const Array> scaled_from{};  ///< the array that `scaled` spreads over the colours
  std::shared_ptr<const Array> scaled_mask{};
  ColorScaling scaling{ColorScaling::linear};
  std::shared_ptr<const Array> scaled{};

  std::shared_ptr<const Array> ranged_values{};  ///< the array to which `range` belongs
  std::shared_ptr<const Array> ranged_mask{};
  Range range{};
  bool any_masked{};
  bool any_nan{};

  std::vector<HeatmapCache> parts{};  ///< of the maps of an equation
};

}  // namespace orrery

#include "experiments/figure/plot/heatmap_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numbers>

#include "core/errors.h"
#include "core/parallel.h"

namespace orrery {
namespace {

/// Threads to reduce so many cells with: rows of pixels do not depend on each other.
int threads_for(std::size_t cells) {
  constexpr std::size_t worth_a_thread = 1 << 19;
  constexpr std::size_t most = 8;
  const std::size_t useful = std::clamp<std::size_t>(cells / worth_a_thread, 1, most);
  return std::min<int>(threads_or_all(0), static_cast<int>(useful));
}

/// Assignment of cells to pixels: pixel p covers the cells [begin(p), begin(p + 1)).
class Binning {
 public:
  Binning(std::size_t first, std::size_t cells, int most_pixels)
      : first_(first),
        cells_(cells),
        pixels_(std::min(cells, static_cast<std::size_t>(std::max(most_pixels, 1)))) {}
  std::size_t pixels() const { return pixels_; }
  std::size_t begin(std::size_t pixel) const { return first_ + pixel * cells_ / pixels_; }
  bool one_to_one() const { return pixels_ == cells_; }

 private:
  std::size_t first_, cells_, pixels_;
};

// Reductions of the cells under a pixel to one number: start, join the cells one by one, finish.
struct Mean {
  static constexpr float start = 0.0F;
  static float join(float so_far, float v) { return so_far + v; }
  static float finish(float joined, float count) { return joined / count; }
};

struct Largest {
  static constexpr float start = -std::numeric_limits<float>::infinity();
  static float join(float so_far, float v) { return v > so_far ? v : so_far; }
  static float finish(float joined, float) { return joined; }
};

struct LargestMagnitude {
  static constexpr float start = 0.0F;
  static float join(float so_far, float v) { return std::abs(v) > std::abs(so_far) ? v : so_far; }
  static float finish(float joined, float) { return joined; }
};

/// Running reduction per column, or per pixel: joined values and counts of valid and NaN cells.
/// Separate arrays, so that the loop over them is vectorised.
struct Columns {
  explicit Columns(std::size_t count) : joined(count), valid(count), nan(count) {}
  void clear(float start) {
    std::ranges::fill(joined, start);
    std::ranges::fill(valid, 0.0F);
    std::ranges::fill(nan, 0.0F);
  }
  std::vector<float> joined;
  std::vector<float> valid;
  std::vector<float> nan;
};

/// Maps values to colours, with the range's constants precomputed.
class ColorScale {
 public:
  ColorScale(const Colormap& map, const Range& range)
      : map_(map),
        min_(range.min),
        middle_(0.5 * range.min + 0.5 * range.max),
        per_unit_(1.0 / std::max(range.max - range.min, 1e-300)) {}
  /// Place in the range, 0 at its min and 1 at its max. Angles are wrapped to [0, 1); NaN where
  /// they have no direction, being infinite.
  double fraction(double value) const {
    const double place = (value - min_) * per_unit_;
    return map_.cyclic ? place - std::floor(place) : place;
  }
  /// Whether floats of the values can be summed, and tell apart what differs within the range.
  bool floats_suffice() const {
    const double span = 1.0 / per_unit_;
    return std::abs(middle_) < 1e3 * span && span > 1e-30 && span < 1e30;
  }
  /// Place from −½ at the range's min to ½ at its max, for the sums of any other values: finite
  /// where the values are.
  float centred(double value) const {
    const double place = (value - middle_) * per_unit_;
    const double bounded = std::clamp(place, -largest_place, largest_place);
    return static_cast<float>(std::abs(value) <= largest_value ? bounded : place);
  }
  Color color(double fraction) const { return map_.at(fraction); }

 private:
  static constexpr double largest_place = 1e25;
  static constexpr double largest_value = std::numeric_limits<double>::max();
  const Colormap& map_;
  double min_;
  double middle_;
  double per_unit_;
};

/// Table of cos 2π(turns − shift) for turns from 0 to 1: shift ¼ gives the sine. Finer than the 256
/// colours. NaN for NaN.
class CosineTable {
 public:
  explicit CosineTable(double shift) {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const double turns = (static_cast<double>(i) + 0.5) / static_cast<double>(table_.size());
      table_[i] = static_cast<float>(std::cos(2.0 * std::numbers::pi * (turns - shift)));
    }
  }
  float operator()(float turns) const {
    if (std::isnan(turns)) return turns;
    const auto size = static_cast<float>(table_.size());
    return table_[std::min(static_cast<std::size_t>(turns * size), table_.size() - 1)];
  }

 private:
  std::array<float, 4096> table_{};
};

/// Reads the cells shown of a map a row at a time, so that what follows is compiled once for all
/// types of values and masks.
class CellRows {
 public:
  explicit CellRows(const HeatmapCache::Key& key)
      : key_(key), stride_(shape_of(key.values.get()).columns) {}

  /// Whether each cell counts and is a number.
  bool all_count() const { return key_.complete; }

  /// to[c] ← map(value of the row's cell c).
  template <typename To, typename Map>
  void read(std::size_t row, const Map& map, To* to) const {
    std::visit(
        [&](const auto& values) {
          const auto* cells = values.data() + first_of(row);
          for (std::size_t c = 0; c < key_.columns; ++c) to[c] = map(cells[c]);
        },
        key_.values->values);
  }

  /// masked[c] ← whether the row's cell c is masked; as it is without a mask.
  void read_mask(std::size_t row, std::uint8_t* masked) const {
    if (!key_.masked) return;
    std::visit(
        [&](const auto& mask) {
          const auto* cells = mask.data() + first_of(row);
          for (std::size_t c = 0; c < key_.columns; ++c) masked[c] = cells[c] != 0 ? 1 : 0;
        },
        key_.masked->values);
  }

 private:
  std::size_t first_of(std::size_t row) const { return row * stride_ + key_.first_column; }

  const HeatmapCache::Key& key_;
  std::size_t stride_;
};

class Rasteriser {
 public:
  Rasteriser(const HeatmapCache::Key& key, const Colormap& map)
      : key_(key),
        scale_(map, key.color),
        cells_(key),
        rows_(key.first_row, key.rows, key.height),
        columns_(key.first_column, key.columns, key.width) {}

  Image run() const {
    if (rows_.one_to_one() && columns_.one_to_one()) return cell_by_cell();
    if (key_.meaning == Meaning::cyclic) return mean_directions();
    if (key_.minification == Minification::mean) return binned<Mean>();
    return key_.meaning == Meaning::diverging ? binned<LargestMagnitude>() : binned<Largest>();
  }

 private:
  Image blank() const {
    return {static_cast<int>(columns_.pixels()), static_cast<int>(rows_.pixels()),
            std::vector<Color>(rows_.pixels() * columns_.pixels())};
  }

  Image cell_by_cell() const {
    Image image = blank();
    std::vector<double> places(key_.columns);
    std::vector<std::uint8_t> masked(key_.columns);
    std::size_t pixel = 0;
    for (std::size_t row = key_.first_row; row < key_.first_row + key_.rows; ++row) {
      cells_.read(
          row, [this](auto v) { return scale_.fraction(static_cast<double>(v)); }, places.data());
      cells_.read_mask(row, masked.data());
      for (std::size_t c = 0; c < key_.columns; ++c) {
        const Color color = std::isnan(places[c]) ? key_.not_a_number : scale_.color(places[c]);
        image.pixels[pixel++] = masked[c] != 0 ? key_.masked_color : color;
      }
    }
    return image;
  }

  template <typename Join>
  Image binned() const {
    if (scale_.floats_suffice())
      return paint(joined<Join>([](auto v) { return static_cast<float>(v); }),
                   [this](const Columns& j, std::size_t i) {
                     const float value = Join::finish(j.joined[i], j.valid[i]);
                     return scale_.color(scale_.fraction(static_cast<double>(value)));
                   });
    const auto centred = [this](auto v) { return scale_.centred(static_cast<double>(v)); };
    return paint(joined<Join>(centred), [this](const Columns& j, std::size_t i) {
      return scale_.color(static_cast<double>(Join::finish(j.joined[i], j.valid[i])) + 0.5);
    });
  }

  /// Averages angles as directions: the mean of 359° and 1° is 0°.
  Image mean_directions() const {
    const CosineTable cosine(0.0), sine(0.25);
    const auto turns = [this](auto v) {
      return static_cast<float>(scale_.fraction(static_cast<double>(v)));
    };
    const Columns x = joined<Mean>([&](auto v) { return cosine(turns(v)); });
    const Columns y = joined<Mean>([&](auto v) { return sine(turns(v)); });
    return paint(x, [&](const Columns& j, std::size_t i) {
      const double angle =
          std::atan2(static_cast<double>(y.joined[i]), static_cast<double>(j.joined[i]));
      return scale_.color(angle / (2.0 * std::numbers::pi));
    });
  }

  /// What a thread reads a row of cells into.
  struct Row {
    explicit Row(std::size_t columns) : values(columns), masked(columns) {}
    std::vector<float> values;
    std::vector<std::uint8_t> masked;
  };

  /// Joins the cells under each pixel: one entry per pixel.
  template <typename Join, typename Map>
  Columns joined(const Map& map) const {
    Columns pixels(rows_.pixels() * columns_.pixels());
    const auto read = [&](std::size_t row, Row& into) {
      cells_.read(row, map, into.values.data());
      if (!cells_.all_count()) cells_.read_mask(row, into.masked.data());
    };
    join_rows<Join>(read, pixels);
    return pixels;
  }

  template <typename Join>
  void join_rows(const std::function<void(std::size_t, Row&)>& read, Columns& pixels) const {
    in_parallel(static_cast<std::ptrdiff_t>(rows_.pixels()), threads_for(key_.rows * key_.columns),
                [&] {
                  return [&, cells = Row(key_.columns),
                          columns = Columns(key_.columns)](std::ptrdiff_t item) mutable {
                    const auto y = static_cast<std::size_t>(item);
                    columns.clear(Join::start);
                    for (std::size_t row = rows_.begin(y); row < rows_.begin(y + 1); ++row) {
                      read(row, cells);
                      add_row<Join>(cells, columns);
                    }
                    const auto rows = static_cast<float>(rows_.begin(y + 1) - rows_.begin(y));
                    join_columns<Join>(columns, rows, pixels, y * columns_.pixels());
                  };
                });
  }

  template <typename Join>
  void add_row(const Row& cells, Columns& columns) const {
    float* const so_far = columns.joined.data();
    const float* const values = cells.values.data();
    if (cells_.all_count()) {
      for (std::size_t c = 0; c < key_.columns; ++c) so_far[c] = Join::join(so_far[c], values[c]);
      return;
    }
    float* const valid = columns.valid.data();
    float* const nan = columns.nan.data();
    for (std::size_t c = 0; c < key_.columns; ++c) {
      const bool counts = cells.masked[c] == 0;
      const bool number = values[c] == values[c];
      so_far[c] = counts && number ? Join::join(so_far[c], values[c]) : so_far[c];
      valid[c] += counts && number ? 1.0F : 0.0F;
      nan[c] += counts && !number ? 1.0F : 0.0F;
    }
  }

  template <typename Join>
  void join_columns(const Columns& columns, float rows, Columns& pixels, std::size_t first) const {
    for (std::size_t x = 0; x < columns_.pixels(); ++x) {
      float so_far = Join::start, valid = 0.0F, nan = 0.0F;
      const std::size_t end = columns_.begin(x + 1) - key_.first_column;
      for (std::size_t c = columns_.begin(x) - key_.first_column; c < end; ++c) {
        const float counted = cells_.all_count() ? rows : columns.valid[c];
        if (counted > 0.0F) so_far = Join::join(so_far, columns.joined[c]);
        valid += counted;
        nan += columns.nan[c];
      }
      pixels.joined[first + x] = so_far;
      pixels.valid[first + x] = valid;
      pixels.nan[first + x] = nan;
    }
  }

  Image paint(const Columns& pixels,
              const std::function<Color(const Columns&, std::size_t)>& color_of) const {
    Image image = blank();
    const std::size_t width = columns_.pixels();
    in_parallel(static_cast<std::ptrdiff_t>(rows_.pixels()), threads_for(key_.rows * key_.columns),
                [&] {
                  return [&](std::ptrdiff_t row) {
                    const std::size_t first = static_cast<std::size_t>(row) * width;
                    for (std::size_t i = first; i < first + width; ++i)
                      image.pixels[i] = color_of_pixel(pixels, i, color_of);
                  };
                });
    return image;
  }

  Color color_of_pixel(const Columns& pixels, std::size_t i,
                       const std::function<Color(const Columns&, std::size_t)>& color_of) const {
    if (pixels.valid[i] > 0.0F && !std::isnan(pixels.joined[i])) return color_of(pixels, i);
    const bool nan = pixels.nan[i] > 0.0F || pixels.valid[i] > 0.0F;
    return nan ? key_.not_a_number : key_.masked_color;
  }

  const HeatmapCache::Key& key_;
  ColorScale scale_;
  CellRows cells_;
  Binning rows_;
  Binning columns_;
};

void check_shapes(const HeatmapCache::Key& key) {
  const MapShape shape = shape_of(key.values.get());
  check_invariant(key.values->size() == shape.rows * shape.columns,
                  "a map has rows x columns values");
  check_invariant(
      key.first_row + key.rows <= shape.rows && key.first_column + key.columns <= shape.columns,
      "the cells shown are cells of the map");
  check_invariant(!key.masked || key.masked->size() == key.values->size(),
                  "a mask has the shape of its map");
}

}  // namespace

MapShape shape_of(const Array* values) {
  if (!values || values->shape.size() != 2) return {};
  return {values->shape[0], values->shape[1]};
}

Image rasterised(const HeatmapCache::Key& key, const Colormap& map) {
  if (!key.values || key.rows == 0 || key.columns == 0) return {};
  check_shapes(key);
  return Rasteriser(key, map).run();
}

}  // namespace orrery

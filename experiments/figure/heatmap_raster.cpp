#include "experiments/figure/heatmap_raster.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/errors.h"

namespace orrery {
namespace {

/// Stands for a mask where there is none; the branch on it is decided when compiling.
struct NothingMasked {
  bool operator[](std::size_t) const { return false; }
};

/// Which cells share a pixel: pixel p has [begin(p), begin(p + 1)).
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

struct Mean {
  float sum{};
  float count{};
  void add(float v) { sum += v, count += 1.0F; }
  double value() const { return static_cast<double>(sum) / static_cast<double>(count); }
};

struct Greatest {
  float most{-std::numeric_limits<float>::infinity()};
  float count{};
  void add(float v) { most = std::max(most, v), count = 1.0F; }
  double value() const { return static_cast<double>(most); }
};

struct Farthest {
  float most{};
  float count{};
  void add(float v) { most = std::abs(v) >= std::abs(most) ? v : most, count = 1.0F; }
  double value() const { return static_cast<double>(most); }
};

/// Value → colour index with the range worked out once.
class ColorScale {
 public:
  ColorScale(const Colormap& map, const Range& range)
      : map_(map), min_(range.min), per_unit_(1.0 / std::max(range.max - range.min, 1e-300)) {}
  Color operator()(double value) const { return map_.at((value - min_) * per_unit_); }
  double fraction(double value) const { return (value - min_) * per_unit_; }
  double value(double fraction) const { return min_ + fraction / per_unit_; }

 private:
  const Colormap& map_;
  double min_;
  double per_unit_;
};

/// Directions of a full turn, summed through a table.
struct MeanDirection {
  float x{}, y{};
  float count{};
  void add(float turns) {
    const float angle = turns * 2.0F * std::numbers::pi_v<float>;
    x += std::cos(angle), y += std::sin(angle), count += 1.0F;
  }
  double value() const {
    return std::atan2(static_cast<double>(y), static_cast<double>(x)) / (2.0 * std::numbers::pi);
  }
};

template <typename Values, typename Mask>
class Rasteriser {
 public:
  Rasteriser(const HeatmapCache::Key& key, const Colormap& map, const Values& values,
             const Mask& mask, std::size_t stride)
      : key_(key),
        scale_(map, key.color),
        values_(values),
        mask_(mask),
        stride_(stride),
        rows_(key.first_row, key.rows, key.height),
        columns_(key.first_column, key.columns, key.width) {}

  Image run() const {
    if (rows_.one_to_one() && columns_.one_to_one()) return cell_by_cell();
    if (key_.meaning == Meaning::cyclic) return binned<MeanDirection>();
    if (key_.minification == Minification::mean) return binned<Mean>();
    return key_.meaning == Meaning::diverging ? binned<Farthest>() : binned<Greatest>();
  }

 private:
  Image blank() const {
    return {static_cast<int>(columns_.pixels()), static_cast<int>(rows_.pixels()),
            std::vector<Color>(rows_.pixels() * columns_.pixels())};
  }

  Image cell_by_cell() const {
    Image image = blank();
    std::size_t pixel = 0;
    for (std::size_t row = key_.first_row; row < key_.first_row + key_.rows; ++row) {
      for (std::size_t column = key_.first_column; column < key_.first_column + key_.columns;
           ++column) {
        image.pixels[pixel++] = color_of_cell(row * stride_ + column);
      }
    }
    return image;
  }

  Color color_of_cell(std::size_t cell) const {
    if (mask_[cell] != 0) return key_.masked_color;
    const auto value = static_cast<double>(values_[cell]);
    return std::isnan(value) ? key_.not_a_number : scale_(value);
  }

  template <typename Bin>
  Image binned() const {
    Image image = blank();
    std::vector<Bin> bins(columns_.pixels());
    std::vector<std::uint8_t> any_nan(columns_.pixels());
    for (std::size_t y = 0; y < rows_.pixels(); ++y) {
      std::fill(bins.begin(), bins.end(), Bin{});
      std::fill(any_nan.begin(), any_nan.end(), std::uint8_t{0});
      for (std::size_t row = rows_.begin(y); row < rows_.begin(y + 1); ++row) {
        add_row(row, bins, any_nan);
      }
      for (std::size_t x = 0; x < bins.size(); ++x) {
        image.pixels[y * bins.size() + x] = color_of(bins[x], any_nan[x] != 0);
      }
    }
    return image;
  }

  template <typename Bin>
  void add_row(std::size_t row, std::vector<Bin>& bins, std::vector<std::uint8_t>& any_nan) const {
    for (std::size_t x = 0; x < bins.size(); ++x) {
      Bin bin = bins[x];
      const std::size_t end = row * stride_ + columns_.begin(x + 1);
      for (std::size_t cell = row * stride_ + columns_.begin(x); cell < end; ++cell) {
        if (mask_[cell] != 0) continue;
        const auto value = static_cast<float>(values_[cell]);
        if (std::isnan(value)) {
          any_nan[x] = 1;
        } else {
          bin.add(as_added<Bin>(value));
        }
      }
      bins[x] = bin;
    }
  }

  template <typename Bin>
  float as_added(float value) const {
    if constexpr (std::is_same_v<Bin, MeanDirection>) {
      return static_cast<float>(scale_.fraction(static_cast<double>(value)));
    } else {
      return value;
    }
  }

  template <typename Bin>
  Color color_of(const Bin& bin, bool nan) const {
    if (bin.count == 0.0F) return nan ? key_.not_a_number : key_.masked_color;
    const double value = bin.value();
    if (std::isnan(value)) return key_.not_a_number;
    if constexpr (std::is_same_v<Bin, MeanDirection>) return scale_(scale_.value(value));
    return scale_(value);
  }

  const HeatmapCache::Key& key_;
  ColorScale scale_;
  const Values& values_;
  const Mask& mask_;
  std::size_t stride_;
  Binning rows_;
  Binning columns_;
};

template <typename Values, typename Mask>
Image run(const HeatmapCache::Key& key, const Colormap& map, const Values& values,
          const Mask& mask) {
  const std::size_t stride = shape_of(key.values.get()).columns;
  return Rasteriser<Values, Mask>(key, map, values, mask, stride).run();
}

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
  return std::visit(
      [&](const auto& values) {
        if (!key.masked) return run(key, map, values, NothingMasked{});
        return std::visit([&](const auto& mask) { return run(key, map, values, mask); },
                          key.masked->values);
      },
      key.values->values);
}

}  // namespace orrery

#include "experiments/figure/plot/heatmap_plot.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/data_range.h"
#include "tests/support/sample_figures.h"

using namespace orrery;
using test::matrix;

namespace {

constexpr float no_number = std::numeric_limits<float>::quiet_NaN();
constexpr Color grey{1, 2, 3}, pink{4, 5, 6};

HeatmapCache::Key key_of(std::shared_ptr<const Array> values, int width, int height) {
  HeatmapCache::Key key;
  key.rows = values->shape[0];
  key.columns = values->shape[1];
  key.values = std::move(values);
  key.width = width;
  key.height = height;
  key.color = {0.0, 1.0};
  key.masked_color = grey;
  key.not_a_number = pink;
  return key;
}

std::shared_ptr<const Array> doubles(std::vector<double> values) {
  auto array = std::make_shared<Array>();
  array->shape = {1, values.size()};
  array->values = std::move(values);
  return array;
}

const Colormap& map_of(Meaning meaning) { return colormap(meaning, Background::light); }

Image draw(const HeatmapCache::Key& key) { return rasterised(key, map_of(key.meaning)); }

}  // namespace

TEST_CASE("A magnified map has one pixel per cell") {
  const auto key = key_of(matrix(2, 3, {0, 0.5F, 1, 1, 0.5F, 0}), 600, 400);
  const Image image = draw(key);
  REQUIRE(image.width == 3);
  REQUIRE(image.height == 2);
  const Colormap& map = map_of(Meaning::sequential);
  CHECK(image.pixels[0] == map.at(0.0));
  CHECK(image.pixels[1] == map.at(0.5));
  CHECK(image.pixels[2] == map.at(1.0));
  CHECK(image.pixels[3] == map.at(1.0));
}

TEST_CASE("Masked, NaN and zero are three colours") {
  auto key = key_of(matrix(1, 3, {0, no_number, 0}), 100, 100);
  key.masked = matrix(1, 3, {0, 0, 1});
  const Image image = draw(key);
  CHECK(image.pixels[0] == map_of(Meaning::sequential).at(0.0));
  CHECK(image.pixels[1] == pink);
  CHECK(image.pixels[2] == grey);
}

TEST_CASE("A minified map shows the mean or the maximum of the cells of a pixel") {
  auto key = key_of(matrix(2, 4, {0, 0.2F, 1, 1, 0.2F, 0.4F, 0, 0}), 2, 1);
  const Colormap& map = map_of(Meaning::sequential);
  Image image = draw(key);
  REQUIRE(image.pixels.size() == 2);
  CHECK(image.pixels[0] == map.at(0.2));
  CHECK(image.pixels[1] == map.at(0.5));
  key.minification = Minification::max;
  image = draw(key);
  CHECK(image.pixels[0] == map.at(0.4));
  CHECK(image.pixels[1] == map.at(1.0));
}

TEST_CASE("The maximum of a signed map is the value farthest from zero") {
  auto key = key_of(matrix(1, 4, {0.3F, -0.9F, 0.5F, -0.1F}), 2, 1);
  key.color = {-1.0, 1.0};
  key.meaning = Meaning::diverging;
  key.minification = Minification::max;
  const Image image = draw(key);
  const Colormap& map = map_of(Meaning::diverging);
  CHECK(image.pixels[0] == map.at(0.05));
  CHECK(image.pixels[1] == map.at(0.75));
}

TEST_CASE("Masked and NaN cells show only in pixels without other cells") {
  auto key = key_of(matrix(1, 8, {0.5F, no_number, 9, 0.5F, no_number, 9, 9, 9}), 4, 1);
  key.masked = matrix(1, 8, {0, 0, 1, 0, 0, 1, 1, 1});
  const Image image = draw(key);
  const Color half = map_of(Meaning::sequential).at(0.5);
  CHECK(image.pixels[0] == half);
  CHECK(image.pixels[1] == half);
  CHECK(image.pixels[2] == pink);
  CHECK(image.pixels[3] == grey);
}

TEST_CASE("Angles are averaged as directions") {
  const float pi = std::numbers::pi_v<float>;
  auto key = key_of(matrix(1, 2, {pi - 0.1F, -pi + 0.1F}), 1, 1);
  key.meaning = Meaning::cyclic;
  key.color = {-std::numbers::pi, std::numbers::pi};
  const Colormap& map = map_of(Meaning::cyclic);
  const std::size_t index = map.index(0.0);
  const Color found = draw(key).pixels[0];
  CHECK((found == map.colors[index] || found == map.colors[255] || found == map.colors[1]));
}

TEST_CASE("Infinite values get the colours at the ends of the range") {
  const float inf = std::numeric_limits<float>::infinity();
  const Image image = draw(key_of(matrix(1, 2, {inf, -inf}), 50, 50));
  CHECK(image.pixels[0] == map_of(Meaning::sequential).at(1.0));
  CHECK(image.pixels[1] == map_of(Meaning::sequential).at(0.0));
}

TEST_CASE("An infinite angle is drawn as NaN is, and left out where other angles are averaged") {
  const float inf = std::numeric_limits<float>::infinity();
  auto key = key_of(matrix(1, 6, {0.25F, inf, -inf, inf, 0.25F, 0.25F}), 6, 1);
  key.meaning = Meaning::cyclic;
  const Colormap& map = map_of(Meaning::cyclic);
  Image image = draw(key);
  CHECK(image.pixels[0] == map.at(0.25));
  CHECK(image.pixels[1] == pink);
  CHECK(image.pixels[2] == pink);
  key.width = 3;
  image = draw(key);
  CHECK(image.pixels[0] == map.at(0.25));
  CHECK(image.pixels[1] == pink);
  CHECK(image.pixels[2] == map.at(0.25));
}

TEST_CASE("Values of any size are drawn in ranges of any width, in pixels of one cell or several") {
  const double inf = std::numeric_limits<double>::infinity();
  const auto values =
      doubles({0.0, 5e-324, -5e-324, 1e308, -1e308, 1e308, inf, -inf, 1e39, -1e39, 1.0, no_number});
  for (const Meaning meaning : {Meaning::sequential, Meaning::diverging, Meaning::cyclic})
    for (const Minification minification : {Minification::mean, Minification::max})
      for (const int width : {1, 5, 6, 12})
        for (const Range& range : {Range{0.0, 1e-280}, Range{-1e150, 1e150}, Range{0.0, 5e-324},
                                   Range{-1e-300, 1e-300}, Range{0.0, 0.0}, Range{-1e308, 1e308}}) {
          auto key = key_of(values, width, 1);
          key.meaning = meaning;
          key.minification = minification;
          key.color = range;
          CHECK(draw(key).pixels.size() == static_cast<std::size_t>(width));
        }
}

TEST_CASE("The mean of a pixel's cells holds for values that a float does not hold") {
  const Colormap& map = map_of(Meaning::sequential);
  const auto mean_color = [&](const std::vector<double>& values, const Range& range) {
    auto key = key_of(doubles(values), 1, 1);
    key.color = range;
    return draw(key).pixels[0];
  };
  CHECK(mean_color({2e100, 4.2e100}, {0.0, 1e101}) == map.at(0.31));
  CHECK(mean_color({2e-100, 4.2e-100}, {0.0, 1e-99}) == map.at(0.31));
  CHECK(mean_color({1.0 + 2e-12, 1.0 + 4.2e-12}, {1.0, 1.0 + 1e-11}) == map.at(0.31));
  CHECK(mean_color({1e308, -1e308}, {-1e150, 1e150}) == map.at(0.5));
}

TEST_CASE("A window shows only its own cells") {
  auto key = key_of(matrix(3, 3, {0, 0, 0, 0, 1, 0.5F, 0, 0, 0}), 100, 100);
  key.first_row = key.first_column = 1;
  key.rows = 1;
  key.columns = 2;
  const Image image = draw(key);
  REQUIRE(image.pixels.size() == 2);
  CHECK(image.pixels[0] == map_of(Meaning::sequential).at(1.0));
  CHECK(image.pixels[1] == map_of(Meaning::sequential).at(0.5));
}

TEST_CASE("Arrays of doubles and of floats give the same pixels") {
  auto doubles = std::make_shared<Array>();
  doubles->shape = {2, 2};
  doubles->values = std::vector<double>{0.0, 0.25, 0.5, 1.0};
  CHECK(draw(key_of(doubles, 1, 2)).pixels ==
        draw(key_of(matrix(2, 2, {0, 0.25F, 0.5F, 1}), 1, 2)).pixels);
}

TEST_CASE("A mask of another shape breaks an invariant and does not crash") {
  auto key = key_of(matrix(2, 2, {0, 0, 0, 0}), 10, 10);
  key.masked = matrix(1, 2, {0, 0});
  CHECK_THROWS_AS(draw(key), std::logic_error);
}

TEST_CASE("The range of a map ignores masked and non-finite cells") {
  const float inf = std::numeric_limits<float>::infinity();
  const auto values = matrix(1, 6, {no_number, inf, -inf, 2, 3, 99});
  const auto mask = matrix(1, 6, {0, 0, 0, 0, 0, 1});
  CHECK(value_range(*values, mask.get()) == Range{2.0, 3.0});
  CHECK(value_range(*values, nullptr) == Range{2.0, 99.0});
  CHECK(value_range(*matrix(1, 1, {no_number}), nullptr) == Range{0.0, 0.0});
}

TEST_CASE("Diverging ranges are symmetric, angles a full turn, and none is empty") {
  CHECK(color_range(Meaning::diverging, {-1.0, 3.0}, {}) == Range{-3.0, 3.0});
  CHECK(color_range(Meaning::diverging, {0.0, 1.0}, Range{-5.0, 2.0}) == Range{-5.0, 5.0});
  CHECK(color_range(Meaning::cyclic, {-1.0, 1.0}, {}).max == Approx(std::numbers::pi));
  CHECK(color_range(Meaning::sequential, {0.004, 1.0}, {}) == Range{0.0, 1.0});
  const Range constant = color_range(Meaning::sequential, {7.0, 7.0}, {});
  CHECK(constant.min < 7.0);
  CHECK(constant.max > 7.0);
}

TEST_CASE("A large map is drawn quickly", "[.speed]") {
  const auto values = matrix(4096, 4096, std::vector<float>(4096 * 4096, 0.5F));
  auto key = key_of(values, 1000, 1000);
  for (int turn = 0; turn < 5; ++turn) {
    for (const bool mask : {false, true}) {
      key.masked = mask ? matrix(4096, 4096, std::vector<float>(4096 * 4096, 0.0F)) : nullptr;
      const auto start = std::chrono::steady_clock::now();
      const Image image = draw(key);
      const auto middle = std::chrono::steady_clock::now();
      const Range range = value_range(*values, key.masked.get());
      const auto end = std::chrono::steady_clock::now();
      const auto ms = [](auto d) { return std::chrono::duration<double, std::milli>(d).count(); };
      WARN((mask ? "masked: " : "plain: ")
           << ms(middle - start) << " ms to draw, " << ms(end - middle) << " ms for the range");
      REQUIRE(range.max == 0.5);
      REQUIRE(image.width == 1000);
    }
  }
}

TEST_CASE("A map large enough for several threads has the mean of each pixel's cells") {
  constexpr std::size_t size = 1536, pixels = 24, side = size / pixels;
  std::vector<float> values(size * size);
  std::vector<double> sums(pixels * pixels);
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column < size; ++column) {
      // Sums of so few bits are exact in any order.
      const auto value = static_cast<float>((row * 31 + column * 17 + row * column) % 64) / 64;
      values[row * size + column] = value;
      sums[row / side * pixels + column / side] += static_cast<double>(value);
    }
  auto key = key_of(matrix(size, size, std::move(values)), pixels, pixels);
  const Colormap& map = map_of(Meaning::sequential);
  for (const bool complete : {false, true}) {
    key.complete = complete;
    const Image image = draw(key);
    REQUIRE(image.pixels.size() == sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
      CHECK(image.pixels[i] == map.at(sums[i] / (side * side)));
  }
}

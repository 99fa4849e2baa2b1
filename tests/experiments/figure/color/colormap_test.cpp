
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "experiments/figure/color/style.h"

using namespace orrery;

namespace {

constexpr Background backgrounds[] = {Background::light, Background::dark};
/// One step of a byte changes sRGB by 1/255 and the lightness by about as much.
constexpr double byte_step = 0.005;

double lightness(Color c) { return to_oklab(c).lightness; }

double distance(Color a, Color b) {
  const Oklab p = to_oklab(a), q = to_oklab(b);
  return std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b);
}

}  // namespace

TEST_CASE("A sequential map changes lightness in one direction and in equal steps") {
  for (const Background background : backgrounds) {
    const Colormap& map = colormap(Meaning::sequential, background);
    const double whole = lightness(map.colors[255]) - lightness(map.colors[0]);
    REQUIRE(std::abs(whole) > 0.6);
    REQUIRE((whole > 0.0) == (background == Background::dark));
    for (std::size_t i = 0; i < 256; ++i) {
      const double expected = lightness(map.colors[0]) + whole * static_cast<double>(i) / 255.0;
      REQUIRE(std::abs(lightness(map.colors[i]) - expected) < byte_step);
    }
    for (std::size_t i = 16; i < 256; i += 16) {
      REQUIRE((lightness(map.colors[i]) - lightness(map.colors[i - 16])) / whole > 0.0);
    }
  }
}

TEST_CASE("A sequential map has no edges that data do not have") {
  for (const Background background : backgrounds) {
    const Colormap& map = colormap(Meaning::sequential, background);
    double least = 1.0, most = 0.0;
    for (std::size_t i = 8; i < 256; i += 8) {
      least = std::min(least, distance(map.colors[i], map.colors[i - 8]));
      most = std::max(most, distance(map.colors[i], map.colors[i - 8]));
    }
    REQUIRE(most < 2.0 * least);
  }
}

TEST_CASE("A diverging map has equal lightness at −v and v, and is neutral at 0") {
  for (const Background background : backgrounds) {
    const Colormap& map = colormap(Meaning::diverging, background);
    for (std::size_t i = 0; i < 128; ++i) {
      REQUIRE(std::abs(lightness(map.colors[i]) - lightness(map.colors[255 - i])) < byte_step);
    }
    const Oklab middle = to_oklab(map.colors[127]);
    REQUIRE(std::hypot(middle.a, middle.b) < 0.02);
    REQUIRE(distance(map.colors[0], map.colors[255]) > 0.2);
  }
}

TEST_CASE("A cyclic map closes and keeps its lightness") {
  for (const Background background : backgrounds) {
    const Colormap& map = colormap(Meaning::cyclic, background);
    const double seam = distance(map.colors[255], map.colors[0]);
    for (std::size_t i = 1; i < 256; ++i) {
      REQUIRE(std::abs(lightness(map.colors[i]) - lightness(map.colors[0])) < byte_step);
      REQUIRE(distance(map.colors[i], map.colors[i - 1]) < 0.02);
    }
    REQUIRE(seam < 0.02);
    REQUIRE(map.at(1.25) == map.at(0.25));
    REQUIRE(map.at(-0.25) == map.at(0.75));
  }
}

TEST_CASE("Every fraction has an index, however large, small or undefined it is") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const Meaning meaning : {Meaning::sequential, Meaning::diverging, Meaning::cyclic}) {
    const Colormap& map = colormap(meaning, Background::light);
    for (const double fraction :
         {0.0, 1.0, 5e-324, 0.5, 1e19, 1e30, 1e40, 1e308, inf, std::nan("")})
      for (const double signed_fraction : {fraction, -fraction})
        REQUIRE(map.index(signed_fraction) < 256);
    REQUIRE(map.index(std::nan("")) == 0);
    REQUIRE(map.index(-inf) == 0);
    REQUIRE(map.index(inf) == (map.cyclic ? 0 : 255));
  }
}

TEST_CASE("Masked and NaN cells have colours unlike any value's") {
  for (const Theme theme : {Theme::dark, Theme::light, Theme::print}) {
    const FigureStyle style = figure_style(theme);
    const Background background =
        is_dark(style.plot_background) ? Background::dark : Background::light;
    REQUIRE(distance(style.masked, style.not_a_number) > 0.1);
    for (const Meaning meaning : {Meaning::sequential, Meaning::diverging, Meaning::cyclic}) {
      for (const Color c : colormap(meaning, background).colors) {
        REQUIRE(distance(c, style.masked) > 0.035);
        REQUIRE(distance(c, style.not_a_number) > 0.035);
      }
    }
  }
}

namespace {

/// A colour as seen without long, medium or short cones: projections of linear RGB after Viénot,
/// Brettel and Mollon (1999), simplified to one plane each.
struct Eye {
  const char* name;
  double matrix[3][3];
};
constexpr Eye eyes[] = {
    {"normal", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
    {"red-blind", {{0.11238, 0.88762, 0}, {0.11238, 0.88762, 0}, {0.00401, -0.00401, 1}}},
    {"green-blind", {{0.29275, 0.70725, 0}, {0.29275, 0.70725, 0}, {-0.02234, 0.02234, 1}}},
};

Color seen_by(const Eye& eye, Color c) {
  const auto linear = [](std::uint8_t v) { return std::pow(v / 255.0, 2.2); };
  const double rgb[3] = {linear(c.r), linear(c.g), linear(c.b)};
  std::uint8_t out[3];
  for (int i = 0; i < 3; ++i) {
    double v = 0.0;
    for (int k = 0; k < 3; ++k) v += eye.matrix[i][k] * rgb[k];
    out[i] = static_cast<std::uint8_t>(
        std::lround(255.0 * std::pow(std::clamp(v, 0.0, 1.0), 1.0 / 2.2)));
  }
  return {out[0], out[1], out[2]};
}

}  // namespace

TEST_CASE("Curve colours are distinguishable in colour-blind vision and from their background") {
  for (const Theme theme : {Theme::dark, Theme::light, Theme::print}) {
    const FigureStyle style = figure_style(theme);
    REQUIRE(style.palette.size() >= 8);
    for (const Eye& eye : eyes) {
      for (std::size_t i = 0; i < 8; ++i) {
        const Color mine = seen_by(eye, style.palette[i]);
        REQUIRE(distance(mine, seen_by(eye, style.plot_background)) > 0.2);
        for (std::size_t k = 0; k < i; ++k) {
          INFO(eye.name << " sees slots " << k << " and " << i);
          CHECK(distance(mine, seen_by(eye, style.palette[k])) > (i < 5 ? 0.12 : 0.09));
        }
      }
    }
  }
}

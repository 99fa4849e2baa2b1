#include "experiments/figure/color/oklab.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace orrery {
namespace {

struct LinearRgb {
  double r{}, g{}, b{};
};

double to_linear(std::uint8_t byte) {
  const double v = byte / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

std::uint8_t to_byte(double fraction) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(fraction, 0.0, 1.0) * 255.0));
}

std::uint8_t from_linear(double v) {
  v = std::clamp(v, 0.0, 1.0);
  return to_byte(v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1.0 / 2.4) - 0.055);
}

LinearRgb to_rgb(Oklab c) {
  const auto cube = [](double v) { return v * v * v; };
  const double l = cube(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b);
  const double m = cube(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b);
  const double s = cube(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool exists(const LinearRgb& c) {
  const auto inside = [](double v) { return v >= -1e-6 && v <= 1.0 + 1e-6; };
  return inside(c.r) && inside(c.g) && inside(c.b);
}

}  // namespace

Oklab to_oklab(Color color) {
  const double r = to_linear(color.r), g = to_linear(color.g), b = to_linear(color.b);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Oklab to_oklab(Oklch color) {
  const double angle = color.hue * std::numbers::pi / 180.0;
  return {color.lightness, color.chroma * std::cos(angle), color.chroma * std::sin(angle)};
}

double largest_chroma(double lightness, double hue) {
  double low = 0.0, high = 0.4;
  for (int step = 0; step < 24; ++step) {
    const double middle = 0.5 * (low + high);
    (exists(to_rgb(to_oklab(Oklch{lightness, middle, hue}))) ? low : high) = middle;
  }
  return low;
}

Color to_color(Oklch color) {
  color.chroma = std::min(color.chroma, largest_chroma(color.lightness, color.hue));
  const LinearRgb rgb = to_rgb(to_oklab(color));
  return {from_linear(rgb.r), from_linear(rgb.g), from_linear(rgb.b)};
}

Color mix(Color under, Color over, double weight) {
  const auto blend = [weight](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + (b - a) * weight));
  };
  return {blend(under.r, over.r), blend(under.g, over.g), blend(under.b, over.b)};
}

Color with_alpha(Color color, double alpha) {
  color.a = to_byte(alpha);
  return color;
}

bool is_dark(Color background) { return to_oklab(background).lightness < 0.6; }

double contrast(Color a, Color b) {
  const auto luminance = [](Color c) {
    return 0.2126 * to_linear(c.r) + 0.7152 * to_linear(c.g) + 0.0722 * to_linear(c.b);
  };
  const double first = luminance(a), second = luminance(b);
  return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

}  // namespace orrery

#include "experiments/figure/color/style.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
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

namespace {

constexpr double last_index = 255.0;

double between(double from, double to, double t) { return from + (to - from) * t; }

template <typename Path>
Colormap sample(Path path) {
  Colormap map;
  for (std::size_t i = 0; i < map.colors.size(); ++i)
    map.colors[i] = to_color(path(static_cast<double>(i) / last_index));
  return map;
}

/// Lightness and hue from pale yellow (depth 0) over teal to deep indigo (depth 1), without chroma.
Oklch sequential_at(double depth, double deepest, double palest) {
  return {between(palest, deepest, depth), 0.0, between(105.0, 285.0, std::pow(depth, 0.85))};
}

/// The largest chroma that a screen can show along the path, smoothed: the limit itself has corners
/// that would look like edges in the data.
std::array<double, 256> smooth_chroma(const std::array<Oklch, 256>& path) {
  constexpr int reach = 36;
  constexpr double most = 0.145, part = 0.94;
  std::array<double, 256> limit{}, lowest{}, smooth{};
  const auto around = [](const std::array<double, 256>& values, int i, auto combine, double start) {
    for (int k = -reach; k <= reach; ++k)
      start = combine(start, values[static_cast<std::size_t>(std::clamp(i + k, 0, 255))]);
    return start;
  };
  for (std::size_t i = 0; i < path.size(); ++i)
    limit[i] = std::min(most, part * largest_chroma(path[i].lightness, path[i].hue));
  for (std::size_t i = 0; i < path.size(); ++i)
    lowest[i] = around(
        limit, static_cast<int>(i), [](double a, double b) { return std::min(a, b); }, most);
  for (std::size_t i = 0; i < path.size(); ++i)
    smooth[i] = around(lowest, static_cast<int>(i), std::plus<>(), 0.0) / (2 * reach + 1);
  return smooth;
}

Colormap sequential(Background background) {
  const bool dark = background == Background::dark;
  std::array<Oklch, 256> path;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const double t = static_cast<double>(i) / last_index;
    path[i] = dark ? sequential_at(1.0 - t, 0.24, 0.95) : sequential_at(t, 0.27, 0.985);
  }
  const std::array<double, 256> chroma = smooth_chroma(path);
  Colormap map;
  for (std::size_t i = 0; i < path.size(); ++i) {
    path[i].chroma = chroma[i];
    map.colors[i] = to_color(path[i]);
  }
  return map;
}

Colormap diverging(Background background) {
  const double middle = background == Background::dark ? 0.255 : 0.975;
  const double end = background == Background::dark ? 0.78 : 0.42;
  return sample([=](double t) {
    const double distance = std::abs(2.0 * t - 1.0);
    const double hue = t < 0.5 ? 252.0 : 50.0;
    // Chroma rises fastest near the middle, so that even small values show their sign.
    const double chroma = 0.16 * std::pow(distance, 0.7);
    return Oklch{between(middle, end, distance), chroma, hue};
  });
}

Colormap cyclic(Background background) {
  const double lightness = background == Background::dark ? 0.74 : 0.70;
  // The largest chroma that every hue has at this lightness, so that no hue stands out.
  double chroma = 1.0;
  for (int hue = 0; hue < 360; ++hue) chroma = std::min(chroma, largest_chroma(lightness, hue));
  Colormap map = sample([=](double t) {
    return Oklch{lightness, chroma, 360.0 * t * last_index / (last_index + 1.0) + 20.0};
  });
  map.cyclic = true;
  return map;
}

Colormap for_strokes(Background background) {
  const Colormap& whole = colormap(Meaning::sequential, background);
  constexpr double start = 0.3;
  Colormap map;
  for (std::size_t i = 0; i < map.colors.size(); ++i)
    map.colors[i] = whole.at(between(start, 1.0, static_cast<double>(i) / last_index));
  return map;
}

template <Colormap (*make)(Background)>
const Colormap& on(Background background) {
  static const Colormap light = make(Background::light);
  static const Colormap dark = make(Background::dark);
  return background == Background::dark ? dark : light;
}

/// One of ten colours found by a search that maximises the smallest distance between two of them in
/// OKLab, for normal, red-blind and green-blind vision on both backgrounds, with most weight on the
/// first five. The test checks the distances.
struct Slot {
  double lightness;  ///< on a light background
  double chroma;
  double hue;
};
constexpr Slot slots[] = {
    {0.564, 0.153, 260.4},  // blue
    {0.610, 0.178, 53.2},   // orange
    {0.597, 0.138, 170.9},  // green
    {0.456, 0.140, 335.5},  // magenta
    {0.704, 0.140, 217.8},  // sky
    {0.393, 0.136, 37.9},   // rust
    {0.444, 0.180, 279.7},  // violet
    {0.745, 0.146, 94.7},   // ochre
    {0.684, 0.137, 352.8},  // rose
    {0.380, 0.040, 188.0},  // slate
};

/// On a dark background the hues stay, and lightness keeps its order in a range that is bright
/// enough.
Color slot_color(const Slot& slot, bool dark) {
  const double lightness = dark ? 0.58 + (slot.lightness - 0.38) * 0.82 : slot.lightness;
  return to_color({lightness, slot.chroma, slot.hue});
}

std::vector<Color> palette(bool dark) {
  std::vector<Color> colors;
  for (const Slot& slot : slots) colors.push_back(slot_color(slot, dark));
  return colors;
}

Color grey(double lightness) { return to_color({lightness, 0.0, 0.0}); }
Color slate(double lightness) { return to_color({lightness, 0.011, 265.0}); }

FigureStyle dark_style() {
  FigureStyle style;
  style.background = slate(0.20);
  style.plot_background = slate(0.225);
  style.axis = slate(0.60);
  style.grid = slate(0.31);
  style.text = slate(0.95);
  style.muted = slate(0.76);
  style.ghost = slate(0.58);
  style.accent = to_color({0.80, 0.16, 70.0});
  style.masked = slate(0.165);
  style.not_a_number = to_color({0.62, 0.24, 340.0});
  style.palette = palette(true);
  return style;
}

FigureStyle light_style() {
  FigureStyle style;
  style.background = to_color({0.985, 0.003, 265.0});
  style.plot_background = grey(1.0);
  style.axis = slate(0.52);
  style.grid = slate(0.925);
  style.text = slate(0.25);
  style.muted = slate(0.46);
  style.ghost = slate(0.62);
  style.accent = to_color({0.62, 0.20, 38.0});
  style.masked = slate(0.87);
  style.not_a_number = to_color({0.60, 0.25, 350.0});
  style.palette = palette(false);
  return style;
}

FigureStyle print_style() {
  FigureStyle style = light_style();
  style.background = grey(1.0);
  style.axis = grey(0.35);
  style.grid = grey(0.92);
  style.text = grey(0.0);
  style.muted = grey(0.32);
  style.ghost = grey(0.60);
  style.masked = grey(0.87);
  style.line_width = 1.6;
  return style;
}

}  // namespace

std::size_t Colormap::index(double fraction) const {
  const double place = cyclic ? fraction - std::floor(fraction) : std::clamp(fraction, 0.0, 1.0);
  if (!(place > 0.0)) return 0;
  if (cyclic) return static_cast<std::size_t>(place * 256.0) % 256;
  // Rounded to nearest without a call to lround: this is done for every pixel of a map.
  const auto below = static_cast<std::size_t>(place * last_index);
  return below + (place * last_index - static_cast<double>(below) >= 0.5 ? 1 : 0);
}

const Colormap& colormap(Meaning meaning, Background background) {
  if (meaning == Meaning::diverging) return on<diverging>(background);
  return meaning == Meaning::cyclic ? on<cyclic>(background) : on<sequential>(background);
}

const Colormap& stroke_colormap(Background background) { return on<for_strokes>(background); }

std::shared_ptr<const Image> colormap_image(const Colormap& map) {
  static std::mutex mutex;
  static std::map<std::array<std::uint32_t, 3>, std::shared_ptr<const Image>> images;
  const auto word = [](Color c) { return static_cast<std::uint32_t>(c.r << 16 | c.g << 8 | c.b); };
  const std::lock_guard lock(mutex);
  auto& image = images[{word(map.colors[0]), word(map.colors[128]), word(map.colors[255])}];
  if (!image)
    image = std::make_shared<const Image>(
        Image{1, 256, std::vector<Color>(map.colors.rbegin(), map.colors.rend())});
  return image;
}

FigureStyle figure_style(Theme theme, double scale) {
  FigureStyle style = theme == Theme::dark    ? dark_style()
                      : theme == Theme::print ? print_style()
                                              : light_style();
  style.text_size *= scale;
  style.title_size *= scale;
  style.small_size *= scale;
  style.line_width *= scale;
  return style;
}

const EnumNames<Theme>& theme_names() {
  static const EnumNames<Theme> names{
      {Theme::dark, "dark"}, {Theme::light, "light"}, {Theme::print, "print"}};
  return names;
}

Theme theme_named(std::string_view name) { return value_named(theme_names(), name, "a theme"); }

}  // namespace orrery

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

// All lengths are in points of the target (pixels at scale 1); y runs downwards.

struct Point {
  double x{};
  double y{};
};

struct Size {
  double width{};
  double height{};
};

struct Rect {
  double x{};
  double y{};
  double width{};
  double height{};
  double right() const { return x + width; }
  double bottom() const { return y + height; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
  friend bool operator==(const Rect&, const Rect&) = default;
};

struct Color {
  std::uint8_t r{}, g{}, b{}, a{255};
  friend bool operator==(const Color&, const Color&) = default;
};

enum class Dash { solid, dashed, dotted };

struct Stroke {
  Color color{};
  double width{1.0};
  Dash dash{Dash::solid};
};

/// Lengths of a dash and of the gap after it; empty for a solid line.
std::vector<double> dash_pattern(const Stroke& stroke);

enum class HorizontalAlign { left, center, right };
enum class VerticalAlign { top, middle, bottom, baseline };

/// Text is set in `sans`; symbols in `roman` (digits, operators, names of functions) and `italic`
/// (variables).
enum class Face { sans, roman, italic };

struct TextStyle {
  double size{13.0};  ///< em of the font, in points
  Color color{};
  bool bold{false};
  Face face{Face::sans};
  bool upward{false};  ///< rotated by 90° counter-clockwise about its anchor
  HorizontalAlign horizontal{HorizontalAlign::left};  ///< along the direction of the text
  VerticalAlign vertical{VerticalAlign::top};
};

/// Start of the baseline of a text relative to its anchor, before rotation.
/// @param width   of the text
/// @param ascent  from the top of its line to the baseline
/// @param height  of the line
Point baseline_start(const TextStyle& style, double width, double ascent, double height);

/// The outline of the region between two edges that share their x.
std::vector<Point> outline_between(std::span<const Point> upper, std::span<const Point> lower);

/// Pixels, row 0 at the top. Shared and immutable, so that a canvas may cache a texture by address.
struct Image {
  int width{};
  int height{};
  std::vector<Color> pixels{};
};

enum class Filter { nearest, linear };

/// The drawing operations that every figure is made of. Implemented by cairo_canvas (PDF, PNG),
/// svg_canvas and ImGuiCanvas. All points must be finite.
class Canvas {
 public:
  virtual ~Canvas() = default;
  virtual void line_strip(std::span<const Point> points, const Stroke& stroke) = 0;
  /// Fills a convex polygon.
  virtual void fill(std::span<const Point> polygon, Color color) = 0;
  virtual void rect(const Rect& rect, Color color) = 0;
  virtual void image(const std::shared_ptr<const Image>& image, const Rect& target,
                     Filter filter) = 0;
  virtual void text(Point anchor, std::string_view utf8, const TextStyle& style) = 0;
  virtual void push_clip(const Rect& rect) = 0;
  virtual void pop_clip() = 0;
  /// Size before rotation: width along the text, height of the line.
  virtual Size text_size(std::string_view utf8, const TextStyle& style) const = 0;

  /// Fills the region between two edges that share their x, from left to right. The default fills
  /// slices, whose seams may be visible; a canvas that can fill any polygon should override it.
  virtual void fill_between(std::span<const Point> upper, std::span<const Point> lower,
                            Color color);
  /// Pixels of the target per point: the finest resolution at which a map is worth drawing.
  virtual double pixels_per_point() const { return 1.0; }
};

/// A Canvas whose drawing becomes a file.
class FileCanvas : public Canvas {
 public:
  void fill_between(std::span<const Point> upper, std::span<const Point> lower, Color color) final {
    fill(outline_between(upper, lower), color);
  }
  /// Ends the drawing and returns the file.
  virtual std::string finish() = 0;
};

}  // namespace orrery

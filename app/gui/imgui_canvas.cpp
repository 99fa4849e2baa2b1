#include "app/gui/imgui_canvas.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "app/gui/imgui_shim.h"
#include "experiments/text/bidi.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

/// Lengths of mark and gap, in line widths.
struct Pattern {
  double mark{};
  double gap{};
};

Pattern pattern_of(Dash dash) { return dash == Dash::dotted ? Pattern{1, 2} : Pattern{5, 3}; }

/// Segments in, strips out: joins what touches.
class Joiner {
 public:
  explicit Joiner(const StripSink& sink) : sink_(sink) {}
  ~Joiner() { flush(); }
  Joiner(const Joiner&) = delete;
  Joiner& operator=(const Joiner&) = delete;

  void add(Point from, Point to) {
    const bool joins = !strip_.empty() && strip_.back().x == from.x && strip_.back().y == from.y;
    if (!joins) {
      flush();
      strip_.push_back(from);
    }
    strip_.push_back(to);
  }
  void flush() {
    if (strip_.size() > 1) sink_(strip_);
    strip_.clear();
  }

 private:
  const StripSink& sink_;
  std::vector<Point> strip_{};
};

/// The part [first, second] of a segment inside the rectangle (Liang and Barsky).
std::optional<std::pair<double, double>> inside(Point a, Point b, const Rect& r) {
  double t0 = 0.0, t1 = 1.0;
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double direction[] = {-dx, dx, -dy, dy};
  const double distance[] = {a.x - r.x, r.right() - a.x, a.y - r.y, r.bottom() - a.y};
  for (int side = 0; side < 4; ++side) {
    if (direction[side] == 0.0) {
      if (distance[side] < 0.0) return std::nullopt;
      continue;
    }
    const double t = distance[side] / direction[side];
    if (direction[side] < 0.0)
      t0 = std::max(t0, t);
    else
      t1 = std::min(t1, t);
  }
  if (t0 > t1) return std::nullopt;
  return std::pair(t0, t1);
}

Point between(Point a, Point b, double t) {
  if (t <= 0.0) return a;
  if (t >= 1.0) return b;
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

/// The marks of [begin, end] on one segment; `travelled` is the length of the strip before it.
void add_dashes(Joiner& out, Point a, Point b, double length, std::pair<double, double> part,
                double travelled, Pattern pattern) {
  const double period = pattern.mark + pattern.gap;
  const double first = travelled + part.first * length;
  const double last = travelled + part.second * length;
  for (double k = std::floor(first / period); k * period < last; k += 1.0) {
    const double from = std::max(first, k * period);
    const double to = std::min(last, k * period + pattern.mark);
    if (from < to)
      out.add(between(a, b, (from - travelled) / length), between(a, b, (to - travelled) / length));
  }
}

// Beyond this the cut ends of lines would show inside the clip.
constexpr double clip_margin = 64.0;
// An em this near to a loaded one is drawn at the loaded one: unscaled glyphs are crisp.
constexpr double same_size_tolerance = 0.75;

/// Twice the area, positive when the points run clockwise on a screen.
double doubled_area(std::span<const Point> polygon) {
  double sum = 0.0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point a = polygon[i], b = polygon[(i + 1) % polygon.size()];
    sum += a.x * b.y - b.x * a.y;
  }
  return sum;
}

/// Whether two points make a horizontal or vertical line, drawn as a rectangle of whole pixels.
bool is_straight(std::span<const Point> points, const Stroke& stroke) {
  return points.size() == 2 && stroke.dash == Dash::solid &&
         (points[0].x == points[1].x || points[0].y == points[1].y);
}

/// Whether the line turns back at `b`. Dear ImGui joins such corners with long spikes.
bool turns_back(ImVec2 a, ImVec2 b, ImVec2 c) {
  return (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) < 0.0f;
}

/// The strip in pieces without sharp corners, each drawn on its own.
void add_without_spikes(ImDrawList& list, std::span<const ImVec2> strip, ImU32 color, float width) {
  std::size_t begin = 0;
  for (std::size_t i = 1; i + 1 < strip.size(); ++i) {
    if (!turns_back(strip[i - 1], strip[i], strip[i + 1])) continue;
    shim::add_polyline(list, strip.subspan(begin, i + 1 - begin), color, width);
    begin = i;
  }
  shim::add_polyline(list, strip.subspan(begin), color, width);
}

Rect whole_pixels(Point a, Point b, double width) {
  const double w = std::max(1.0, std::round(width));
  const auto edge = [w](double center) { return std::round(center - w / 2); };
  if (a.x == b.x) {
    const double top = std::round(std::min(a.y, b.y)), bottom = std::round(std::max(a.y, b.y));
    return {edge(a.x), top, w, std::max(1.0, bottom - top)};
  }
  const double left = std::round(std::min(a.x, b.x)), right = std::round(std::max(a.x, b.x));
  return {left, edge(a.y), std::max(1.0, right - left), w};
}

/// Where a text of `size` begins, relative to its anchor and before turning.
Point aligned(Size size, double baseline, const TextStyle& style) {
  Point begin;
  if (style.horizontal == HorizontalAlign::center) begin.x = -size.width / 2;
  if (style.horizontal == HorizontalAlign::right) begin.x = -size.width;
  if (style.vertical == VerticalAlign::middle) begin.y = -size.height / 2;
  if (style.vertical == VerticalAlign::bottom) begin.y = -size.height;
  if (style.vertical == VerticalAlign::baseline) begin.y = -baseline;
  return {std::round(begin.x), std::round(begin.y)};
}

struct Type {
  const ImFont* font;
  float size;
};

Type type_of(const Fonts& fonts, const TextStyle& style) {
  const Fonts::Sized nearest = fonts.nearest(style.size, style.bold, style.face);
  const double em =
      std::abs(nearest.em - style.size) < same_size_tolerance ? nearest.em : style.size;
  return {nearest.font, static_cast<float>(std::round(Fonts::line_height(em)))};
}

}  // namespace

void cut_strip(std::span<const Point> points, const Stroke& stroke, const Rect& clip,
               const StripSink& sink) {
  Joiner out(sink);
  const Pattern relative = pattern_of(stroke.dash);
  const double width = std::max(1.0, stroke.width);
  const Pattern pattern{relative.mark * width, relative.gap * width};
  double travelled = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const Point a = points[i - 1], b = points[i];
    if (!shim::is_finite(a) || !shim::is_finite(b)) continue;
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    const auto part = inside(a, b, clip);
    if (part && stroke.dash == Dash::solid)
      out.add(between(a, b, part->first), between(a, b, part->second));
    else if (part && length > 0.0)
      add_dashes(out, a, b, length, *part, travelled, pattern);
    travelled += length;
  }
}

ImGuiCanvas::ImGuiCanvas(ImDrawList& list, const Fonts& fonts, TextureCache& textures)
    : list_(list), fonts_(fonts), textures_(textures) {}

Rect ImGuiCanvas::clip() const {
  const ImVec2 min = list_.GetClipRectMin(), max = list_.GetClipRectMax();
  return {static_cast<double>(min.x), static_cast<double>(min.y),
          static_cast<double>(max.x - min.x), static_cast<double>(max.y - min.y)};
}

void ImGuiCanvas::line_strip(std::span<const Point> points, const Stroke& stroke) {
  if (stroke.color.a == 0) return;
  if (is_straight(points, stroke) && shim::is_finite(points[0]) && shim::is_finite(points[1]))
    return rect(whole_pixels(points[0], points[1], stroke.width), stroke.color);
  const double margin = clip_margin + stroke.width;
  const Rect visible = clip();
  const Rect wide{visible.x - margin, visible.y - margin, visible.width + 2 * margin,
                  visible.height + 2 * margin};
  std::vector<ImVec2> strip;
  cut_strip(points, stroke, wide, [&](std::span<const Point> piece) {
    strip.resize(piece.size());
    std::transform(piece.begin(), piece.end(), strip.begin(), shim::vec);
    add_without_spikes(list_, strip, shim::packed(stroke.color),
                       static_cast<float>(std::max(1.0, stroke.width)));
  });
}

void ImGuiCanvas::fill(std::span<const Point> polygon, Color color) {
  if (!std::all_of(polygon.begin(), polygon.end(), [](Point p) { return shim::is_finite(p); }))
    return;
  std::vector<ImVec2> points(polygon.size());
  std::transform(polygon.begin(), polygon.end(), points.begin(), shim::vec);
  // Dear ImGui puts the soft edge outside of polygons that run clockwise.
  if (doubled_area(polygon) < 0.0) std::reverse(points.begin(), points.end());
  const ImDrawListFlags flags = list_.Flags;
  // Soft edges of translucent neighbours would show as seams.
  if (color.a < 255) list_.Flags &= ~ImDrawListFlags_AntiAliasedFill;
  shim::add_convex_fill(list_, points, shim::packed(color));
  list_.Flags = flags;
}

void ImGuiCanvas::rect(const Rect& rect, Color color) {
  if (!shim::is_finite(rect) || color.a == 0) return;
  list_.AddRectFilled(shim::vec({rect.x, rect.y}), shim::vec({rect.right(), rect.bottom()}),
                      shim::packed(color));
}

void ImGuiCanvas::image(const std::shared_ptr<const Image>& image, const Rect& target,
                        Filter filter) {
  const bool drawable = image && image->width > 0 && image->height > 0 && shim::is_finite(target);
  if (!drawable) return;
  list_.AddImage(textures_.texture(image, filter), shim::vec({target.x, target.y}),
                 shim::vec({target.right(), target.bottom()}));
}

namespace {

constexpr double largest_em = 1000.0;

bool has_all(const ImFont& font, std::string_view utf8) {
  for (std::size_t at = 0; at < utf8.size();) {
    const char32_t c = next_character(utf8, at);
    if (c <= 0xFFFF && !font.FindGlyphNoFallback(static_cast<ImWchar>(c))) return false;
  }
  return true;
}

}  // namespace

/// Letters of a formula, each where the layout has it: only the baseline is on a whole pixel.
void ImGuiCanvas::symbols(Point anchor, std::string_view utf8, const TextStyle& style) {
  Fonts::Sized nearest = fonts_.nearest(style.size, style.bold, style.face);
  if (!has_all(*nearest.font, utf8)) nearest = fonts_.nearest(largest_em, style.bold, style.face);
  const auto size = static_cast<float>(nearest.line * style.size / nearest.em);
  const double ascent = shim::baseline_of(*nearest.font, size);
  const int first = list_.VtxBuffer.Size;
  shim::add_uncut_text(list_, *nearest.font, size, {}, shim::packed(style.color), utf8);
  const Point at =
      style.upward ? Point{std::round(anchor.x), anchor.y} : Point{anchor.x, std::round(anchor.y)};
  for (int i = first; i < list_.VtxBuffer.Size; ++i) {
    const Point p = shim::point(list_.VtxBuffer[i].pos);
    list_.VtxBuffer[i].pos = shim::vec(style.upward ? Point{at.x + p.y - ascent, at.y - p.x}
                                                    : Point{at.x + p.x, at.y + p.y - ascent});
  }
}

void ImGuiCanvas::text(Point anchor, std::string_view utf8, const TextStyle& style) {
  if (!shim::is_finite(anchor) || utf8.empty()) return;
  if (style.face != Face::sans) return symbols(anchor, utf8, style);
  const std::string shown = in_visual_order(utf8);
  const Type type = type_of(fonts_, style);
  const Point begin =
      aligned(text_size(utf8, style), shim::baseline_of(*type.font, type.size), style);
  const Point at{std::round(anchor.x), std::round(anchor.y)};
  const ImU32 color = shim::packed(style.color);
  const ImVec2 position = shim::vec({at.x + begin.x, at.y + begin.y});
  if (!style.upward) {
    list_.AddText(type.font, type.size, position, color, shown.data(), shown.data() + shown.size());
    return;
  }
  const int first = list_.VtxBuffer.Size;
  shim::add_uncut_text(list_, *type.font, type.size, position, color, shown);
  const ImVec2 pivot = shim::vec(at);
  for (int i = first; i < list_.VtxBuffer.Size; ++i) {
    ImVec2& p = list_.VtxBuffer[i].pos;
    p = ImVec2(pivot.x + (p.y - pivot.y), pivot.y - (p.x - pivot.x));
  }
}

void ImGuiCanvas::push_clip(const Rect& rect) {
  const Rect shown = shim::is_finite(rect) ? rect : Rect{};
  list_.PushClipRect(shim::vec({shown.x, shown.y}), shim::vec({shown.right(), shown.bottom()}),
                     true);
}

void ImGuiCanvas::pop_clip() { list_.PopClipRect(); }

Size ImGuiCanvas::text_size(std::string_view utf8, const TextStyle& style) const {
  fonts_.note_lacking(utf8);
  const std::string shown = in_visual_order(utf8);
  const Type type = type_of(fonts_, style);
  const ImVec2 size =
      type.font->CalcTextSizeA(type.size, FLT_MAX, 0.0f, shown.data(), shown.data() + shown.size());
  return {std::ceil(static_cast<double>(size.x)), static_cast<double>(std::max(size.y, type.size))};
}

}  // namespace orrery

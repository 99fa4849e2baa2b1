#include "experiments/figure/equation/box.h"

#include <cairo.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "experiments/figure/canvas/symbol_font.h"
#include "experiments/figure/canvas/text_metrics.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr double measuring_em = 1024.0;  ///< large enough for Cairo's rounding not to matter

using ScaledFont = CairoOwner<cairo_scaled_font_t>;

ScaledFont without_hinting(cairo_font_face_t* face) {
  cairo_matrix_t size, page;
  cairo_matrix_init_scale(&size, measuring_em, measuring_em);
  cairo_matrix_init_identity(&page);
  ScaledFont font(cairo_scaled_font_create(face, &size, &page, options_without_hinting().get()));
  check_cairo(cairo_scaled_font_status(font.get()));
  return font;
}

class LetterExtents {
 public:
  LetterExtent of(char32_t character, Face face, bool bold) {
    const CairoTurn turn;  // before the lock: who draws, measures
    const std::scoped_lock one_at_a_time(mutex_);
    const auto [place, fresh] = known_.try_emplace(std::tuple(character, face, bold));
    if (fresh) place->second = measured(character, face, bold);
    return place->second;
  }

 private:
  LetterExtent measured(char32_t character, Face face, bool bold) {
    LetterExtent extent;
    for (const FontBook::Run& run : fonts_.runs(drawable_utf8(utf8_of(character)), face, bold)) {
      ScaledFont& font = scaled_[run.face];
      if (!font) font = without_hinting(run.face);
      cairo_text_extents_t e{};
      cairo_scaled_font_text_extents(font.get(), run.utf8.c_str(), &e);
      extent = {e.x_advance / measuring_em, e.x_bearing / measuring_em,
                (e.x_bearing + e.width) / measuring_em, -e.y_bearing / measuring_em,
                (e.y_bearing + e.height) / measuring_em};
    }
    return extent;
  }

  std::mutex mutex_;
  FontBook fonts_{};
  std::map<cairo_font_face_t*, ScaledFont> scaled_{};
  std::map<std::tuple<char32_t, Face, bool>, LetterExtent> known_{};
};

bool share_a_name(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::any_of(
      a, [&](const std::string& name) { return std::ranges::find(b, name) != b.end(); });
}

/// A bracket drawn with strokes, for heights that no letter has: x from 0 to `width` in em and y
/// from −1 at the top to 1, always in the form that opens.
struct BracketShape {
  struct Stroke {
    std::vector<Point> points{};
    double width{};  ///< em
  };
  std::vector<Stroke> strokes{};
  double width{};  ///< em
};

using Polyline = std::vector<Point>;

constexpr double thin = 0.045, bar = 0.06;  ///< widths of strokes, em
constexpr double swell = 0.035;  ///< what curved brackets are thicker by in the middle, em

/// A stroke that swells in the middle, as two that overlap.
BracketShape swelling(const Polyline& spine, double width) {
  BracketShape shape{.width = width};
  for (const double part : {-0.5, 0.5}) {
    Polyline line = spine;
    for (Point& p : line) p.x += part * swell * (1 - p.y * p.y);
    shape.strokes.push_back({std::move(line), thin});
  }
  return shape;
}

BracketShape parenthesis() {
  Polyline arc;
  for (int i = 0; i <= 24; ++i) {
    const double y = -1 + i / 12.0;
    arc.push_back({0.10 + 0.25 * y * y * (0.72 + 0.28 * y * y), y});
  }
  return swelling(arc, 0.40);
}

/// Two quarter turns around a point in the middle.
BracketShape brace() {
  constexpr double outer = 0.42, stem = 0.24, tip = 0.06, turn = 0.16;
  Polyline line;
  const auto curve = [&](double x0, double y0, double x1, double y1) {
    for (int i = 0; i <= 6; ++i) {
      const double t = i / 6.0, ease = t * t * (3 - 2 * t);
      line.push_back({x0 + (x1 - x0) * ease, y0 + (y1 - y0) * t});
    }
  };
  curve(outer, -1, stem, -1 + turn);
  curve(stem, -turn, tip, 0);
  curve(tip, 0, stem, turn);
  curve(stem, 1 - turn, outer, 1);
  return swelling(line, 0.46);
}

BracketShape straight(const std::vector<Polyline>& lines, double width) {
  BracketShape shape{.width = width};
  for (const Polyline& line : lines) shape.strokes.push_back({line, bar});
  return shape;
}

/// An unknown bracket is a single bar.
BracketShape bracket_shape(std::string_view bracket) {
  const auto is = [bracket](std::string_view open, std::string_view close) {
    return bracket == open || bracket == close;
  };
  if (is("(", ")")) return parenthesis();
  if (is("{", "}")) return brace();
  if (is("[", "]")) return straight({{{0.30, -1}, {0.12, -1}, {0.12, 1}, {0.30, 1}}}, 0.34);
  if (is("⌊", "⌋")) return straight({{{0.12, -1}, {0.12, 1}, {0.30, 1}}}, 0.34);
  if (is("⟨", "⟩")) return straight({{{0.30, -1}, {0.08, 0}, {0.30, 1}}}, 0.36);
  if (bracket == "‖") return straight({{{0.10, -1}, {0.10, 1}}, {{0.26, -1}, {0.26, 1}}}, 0.36);
  return straight({{{0.14, -1}, {0.14, 1}}}, 0.28);
}

constexpr double tallest_letter_bracket = 1.7;  ///< brackets around more are drawn as lines
constexpr double bracket_cover = 0.92;   ///< part of the content that a bracket must be as high as
constexpr double may_reach_back = 0.06;  ///< of a leaning letter, below the one before

EquationBox draw_bracket(const std::string& text, double half, double size, bool closes) {
  EquationBox box;
  const BracketShape shape = bracket_shape(text);
  box.width = shape.width * size;
  const double axis = axis_height() * size;
  for (const BracketShape::Stroke& stroke : shape.strokes) {
    std::vector<Point> points = stroke.points;
    for (Point& p : points) p = {size * (closes ? shape.width - p.x : p.x), -axis + half * p.y};
    box.add_line(std::move(points), stroke.width * size);
  }
  box.extend_to(half + axis, half - axis);
  return box;
}

}  // namespace

LetterExtent letter_extent(char32_t character, Face wanted, bool bold) {
  struct Known {
    char32_t character{};
    int font{-1};
    LetterExtent extent{};
  };
  static LetterExtents extents;
  if (character == not_utf8) character = U'\uFFFD';
  // Formulas have few letters: most are found here without a lock.
  thread_local std::array<Known, 256> recent;
  const Face face = face_with(character, wanted, bold);
  const int font = 2 * static_cast<int>(face) + (bold ? 1 : 0);
  Known& known = recent[(character + 83U * static_cast<unsigned>(font)) % recent.size()];
  if (known.character != character || known.font != font)
    known = {character, font, extents.of(character, face, bold)};
  return known.extent;
}

double axis_height() {
  const LetterExtent minus = letter_extent(U'−', Face::roman);
  return (minus.ascent - minus.descent) / 2;
}

double x_height() { return letter_extent(U'x', Face::roman).ascent; }

double symbol_scale() { return letter_extent(U'x', Face::sans).ascent / x_height(); }

void EquationBox::add(EquationBox part, double x, double y) {
  for (Glyphs& g : part.glyphs) {
    g.at = {g.at.x + x, g.at.y + y};
    glyphs.push_back(std::move(g));
  }
  for (Line& line : part.lines) {
    for (Point& point : line.points) point = {point.x + x, point.y + y};
    lines.push_back(std::move(line));
  }
  for (Region& region : part.regions) {
    region.box.x += x;
    region.box.y += y;
    regions.push_back(std::move(region));
  }
}

void EquationBox::add_line(std::vector<Point> points, double line_width) {
  lines.push_back({std::move(points), line_width});
}

void EquationBox::extend_to(double at_least_ascent, double at_least_descent) {
  ascent = std::max(ascent, at_least_ascent);
  descent = std::max(descent, at_least_descent);
}

void EquationBox::mark_as_symbol(const std::string& name) {
  if (name.empty()) return;
  for (Glyphs& g : glyphs) g.names.push_back(name);
  regions.push_back({{0, -ascent, width, height()}, name});
}

void draw_equation(Canvas& canvas, const EquationBox& box, Point origin, Color color,
                   const EquationHighlight& highlight, bool upward) {
  const auto placed = [&](Point p) {
    return upward ? Point{origin.x + p.y, origin.y - p.x} : Point{origin.x + p.x, origin.y + p.y};
  };
  for (const EquationBox::Glyphs& glyphs : box.glyphs) {
    const bool highlighted = share_a_name(glyphs.names, highlight.names);
    canvas.text(placed(glyphs.at), glyphs.text,
                {.size = glyphs.size,
                 .color = highlighted ? highlight.color : color,
                 .bold = glyphs.bold,
                 .face = glyphs.face,
                 .upward = upward,
                 .vertical = VerticalAlign::baseline});
  }
  for (const EquationBox::Line& line : box.lines) {
    std::vector<Point> points;
    for (const Point& p : line.points) points.push_back(placed(p));
    canvas.line_strip(points, {.color = color, .width = line.width});
  }
}

std::string symbol_at(const EquationBox& box, Point point) {
  const EquationBox::Region* smallest = nullptr;
  const auto area = [](const Rect& r) { return r.width * r.height; };
  for (const EquationBox::Region& region : box.regions)
    if (region.box.contains(point) && (!smallest || area(region.box) < area(smallest->box)))
      smallest = &region;
  return smallest ? smallest->name : std::string();
}

EquationBox set_letters(const std::string& text, double size, Face wanted, bool bold) {
  EquationBox box;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t character = next_character(text, at);
    const Face face = face_with(character, wanted, bold);
    const LetterExtent extent = letter_extent(character, face, bold);
    // The tail of an f or a j would run into what stands before it.
    if (begin == 0 && face == Face::italic)
      box.width = std::max(0.0, -extent.left - may_reach_back) * size;
    if (box.glyphs.empty() || box.glyphs.back().face != face)
      box.glyphs.push_back({{box.width, 0}, {}, size, face, bold, {}});
    box.glyphs.back().text.append(text, begin, at - begin);
    box.width += extent.advance * size;
    box.lean = std::max(0.0, extent.right - extent.advance) * size;
    box.extend_to(extent.ascent * size, extent.descent * size);
  }
  box.width += box.lean;
  return box;
}

EquationBox on_axis(EquationBox letter, double size) {
  const double drop = (letter.ascent - letter.descent) / 2 - axis_height() * size;
  EquationBox box;
  box.width = letter.width;
  box.extend_to(letter.ascent - drop, letter.descent + drop);
  box.add(std::move(letter), 0, drop);
  return box;
}

EquationBox set_bracket(const std::string& text, double half, double size, bool closes) {
  if (text.empty()) return {};
  const bool is_bar = text == "‖" || text == "|";
  EquationBox letter = set_letters(text, size, Face::roman, false);
  const double growth = 2 * half * bracket_cover / std::max(letter.height(), 0.1 * size);
  if (growth <= 1 && !is_bar) return letter;
  if (growth <= tallest_letter_bracket && !is_bar)
    return on_axis(set_letters(text, growth * size, Face::roman, false), size);
  return draw_bracket(text, half, size, closes);
}

}  // namespace orrery

#include "experiments/figure/equation/layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "experiments/figure/utf8.h"

namespace orrery {
namespace {

using Node = EquationNode;
using Kind = Node::Kind;
using Class = Node::Class;

// Of DejaVu Sans, in em.
constexpr double kLineAscent = 1901.0 / 2048;  ///< from the top of a line to its baseline
constexpr double kAxis = 642.0 / 2048;         ///< where a minus sign lies, and a fraction's rule
constexpr double kTall = 0.76;                 ///< capitals, digits, b d f h k l
constexpr double kLow = 0.56;                  ///< a c e m n
constexpr double kDescender = 0.22;            ///< g p q y

// Canvases of pixels round widths up: letters are measured so many times larger.
constexpr double kFine = 16;

// Of mathematics, in em of the size at hand.
constexpr double kScript = 0.70;        ///< size of scripts
constexpr double kLeast = 0.50;         ///< no letter is smaller than this part of the whole's
constexpr double kRaise = 0.40;         ///< of superscripts, at least
constexpr double kLower = 0.18;         ///< of subscripts, at least
constexpr double kScriptGap = 0.08;     ///< between base and script, and between scripts
constexpr double kRule = 0.055;         ///< thickness of lines
constexpr double kFractionGap = 0.16;   ///< between rule and numerator or denominator
constexpr double kFractionSize = 0.90;  ///< of numerator and denominator
constexpr double kLargeSize = 1.45;     ///< of sums and products
constexpr double kLimitGap = 0.14;      ///< between a sum and its limits
constexpr double kRootWidth = 0.62;     ///< of the root's hook
constexpr double kRootGap = 0.12;       ///< between radicand and the line above it
constexpr double kColumnGap = 0.90, kRowGap = 0.30;
constexpr double kFenceWidth = 0.34, kFenceGap = 0.14;
constexpr double kGrows = 1.25;  ///< brackets around more than this many em are drawn

constexpr double kThin = 3.0 / 18, kMedium = 4.0 / 18, kThick = 5.0 / 18;

struct Extent {
  double ascent{};
  double descent{};
};

Extent extent_of_character(std::string_view c) {
  constexpr std::string_view low = "acemnorsuvwxzαειονπστυωκ";
  constexpr std::string_view low_down = "gpqyγημρφχψςj";
  constexpr std::string_view tall_down = "()[]{}|βζξϕ⟨⟩⌊⌋⌈⌉‖,;Q";
  const auto in = [c](std::string_view set) { return set.find(c) != std::string_view::npos; };
  if (in(low)) return {kLow, 0.02};
  if (c == "j") return {kTall, kDescender};
  if (in(low_down)) return {kLow, kDescender};
  if (in(tall_down)) return {kTall, 0.15};
  return {kTall, 0.02};
}

Extent extent_of(std::string_view text) {
  Extent extent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = character_length(text, at);
    const Extent one = extent_of_character(text.substr(at, length));
    extent.ascent = std::max(extent.ascent, one.ascent);
    extent.descent = std::max(extent.descent, one.descent);
    at += length;
  }
  return extent;
}

/// Puts `part` into `whole` with its origin at (x, y); the extents are the caller's business.
void place(EquationBox& whole, EquationBox part, double x, double y) {
  for (EquationBox::Glyphs& glyphs : part.glyphs) {
    glyphs.at = {glyphs.at.x + x, glyphs.at.y + y};
    whole.glyphs.push_back(std::move(glyphs));
  }
  for (EquationBox::Line& line : part.lines) {
    for (Point& point : line.points) point = {point.x + x, point.y + y};
    whole.lines.push_back(std::move(line));
  }
  for (EquationBox::Region& region : part.regions) {
    region.box.x += x;
    region.box.y += y;
    whole.regions.push_back(std::move(region));
  }
}

void cover(EquationBox& whole, double ascent, double descent) {
  whole.ascent = std::max(whole.ascent, ascent);
  whole.descent = std::max(whole.descent, descent);
}

void add_line(EquationBox& box, std::vector<Point> points, double width) {
  box.lines.push_back({std::move(points), width});
}

/// Makes the whole box one symbol that can be pointed at.
void name_box(EquationBox& box, const std::string& name) {
  if (name.empty()) return;
  for (EquationBox::Glyphs& glyphs : box.glyphs) glyphs.names.push_back(name);
  box.regions.push_back({{0, -box.ascent, box.width, box.height()}, name});
}

/// The space between neighbours, in em; scripts are set tighter.
double space_between(Class left, Class right, bool script) {
  if (left == Class::opening || right == Class::closing || right == Class::punctuation) return 0;
  const double tight = script ? 0.0 : 1.0;
  if (left == Class::relation || right == Class::relation)
    return left == right ? 0 : tight * kThick;
  if (left == Class::operation || right == Class::operation) return tight * kMedium;
  if (left == Class::punctuation) return script ? kThin / 2 : kThin;
  const auto is_word = [](Class c) { return c == Class::function || c == Class::large; };
  if (is_word(left) && right == Class::opening) return 0;
  return is_word(left) || is_word(right) ? kThin : 0;
}

Class class_of(const Node& node) {
  switch (node.kind) {
    case Kind::symbol:
      return node.role;
    case Kind::scripts:
    case Kind::accent:
      return class_of(node.children.front());
    default:
      return Class::ordinary;
  }
}

/// A sign between nothing and something is part of a number: no space around it.
Class class_in_row(const std::vector<Node>& row, std::size_t i, Class before) {
  const Class own = class_of(row[i]);
  const bool nothing_before = i == 0 || before == Class::operation || before == Class::relation ||
                              before == Class::opening || before == Class::punctuation;
  const bool alone = i + 1 == row.size();
  return own == Class::operation && (nothing_before || alone) ? Class::ordinary : own;
}

class Setter {
 public:
  Setter(const Canvas& canvas, double size) : canvas_(canvas), least_(kLeast * size) {}

  EquationBox set(const Node& node, double size, int level) const {
    switch (node.kind) {
      case Kind::row:
        return set_row(node, size, level);
      case Kind::symbol:
        return set_symbol(node, size, level);
      case Kind::scripts:
        return set_scripts(node, size, level);
      case Kind::fraction:
        return set_fraction(node, size, level);
      case Kind::root:
        return set_root(node, size, level);
      case Kind::accent:
        return set_accent(node, size, level);
      case Kind::fence:
        return set_fence(node, size, level);
      case Kind::matrix:
        return set_matrix(node, size, level);
      case Kind::space:
        return {.width = node.width * size};
    }
    return {};
  }

 private:
  double script(double size) const { return std::max(least_, kScript * size); }

  EquationBox set_text(const std::string& text, double size, bool bold) const {
    EquationBox box;
    const Extent extent = extent_of(text);
    box.width = canvas_.text_size(text, {.size = kFine * size, .bold = bold}).width / kFine;
    box.ascent = extent.ascent * size;
    box.descent = extent.descent * size;
    box.glyphs.push_back({{0, 0}, text, size, bold, {}});
    return box;
  }

  EquationBox set_row(const Node& row, double size, int level) const {
    EquationBox box;
    Class before = Class::opening;
    for (std::size_t i = 0; i < row.children.size(); ++i) {
      const Class own = class_in_row(row.children, i, before);
      if (i > 0) box.width += size * space_between(before, own, level > 0);
      EquationBox child = set(row.children[i], size, level);
      const double width = child.width;
      cover(box, child.ascent, child.descent);
      place(box, std::move(child), box.width, 0);
      box.width += width;
      before = own;
    }
    return box;
  }

  EquationBox set_symbol(const Node& node, double size, int level) const {
    const bool sign = node.role == Class::large && node.text.size() <= 3 && node.text[0] < 0;
    EquationBox box =
        sign && level == 0 ? set_large(node.text, size) : set_text(node.text, size, node.bold);
    if (node.role == Class::ordinary) name_box(box, node.text);
    return box;
  }

  /// A sign larger than the letters, its middle on the axis.
  EquationBox set_large(const std::string& text, double size) const {
    const double large = kLargeSize * size;
    EquationBox glyph = set_text(text, large, false), box;
    const double drop = kAxis * large - kAxis * size;
    box.width = glyph.width;
    cover(box, glyph.ascent - drop, 0.13 * large + drop);
    place(box, std::move(glyph), 0, drop);
    return box;
  }

  EquationBox set_scripts(const Node& node, double size, int level) const {
    const Node& base = node.children[0];
    EquationBox box = class_of(base) == Class::large && base.kind == Kind::symbol && level == 0
                          ? set_limits(node, size)
                          : set_side_scripts(node, size, level);
    if (class_of(base) == Class::ordinary) name_box(box, equation_name(node));
    return box;
  }

  EquationBox set_side_scripts(const Node& node, double size, int level) const {
    EquationBox base = set(node.children[0], size, level), box;
    EquationBox above = set(node.children[1], script(size), level + 1);
    EquationBox below = set(node.children[2], script(size), level + 1);
    const bool has_above = above.width > 0, has_below = below.width > 0;
    double rise = std::max(kRaise * size, base.ascent - 0.5 * above.ascent);
    double drop = std::max(kLower * size, base.descent + 0.05 * size);
    if (has_above && has_below) {
      const double overlap = kScriptGap * size - ((rise - above.descent) - (below.ascent - drop));
      if (overlap > 0) rise += overlap / 2, drop += overlap / 2;
    }
    cover(box, base.ascent, base.descent);
    if (has_above) cover(box, rise + above.ascent, 0);
    if (has_below) cover(box, 0, drop + below.descent);
    const double x = base.width + kScriptGap / 2 * size;
    box.width = x + std::max(above.width, below.width);
    place(box, std::move(base), 0, 0);
    place(box, std::move(above), x, -rise);
    place(box, std::move(below), x, drop);
    return box;
  }

  /// What a sum runs over stands below it, where to above.
  EquationBox set_limits(const Node& node, double size) const {
    EquationBox base = set(node.children[0], size, 0), box;
    EquationBox above = set(node.children[1], script(size), 1);
    EquationBox below = set(node.children[2], script(size), 1);
    box.width = std::max({base.width, above.width, below.width});
    const double gap = kLimitGap * size;
    const auto middle = [&](double width) { return (box.width - width) / 2; };
    cover(box, base.ascent, base.descent);
    const double rise = base.ascent + gap + above.descent;
    const double drop = base.descent + gap + below.ascent;
    if (above.width > 0) cover(box, rise + above.ascent, 0);
    if (below.width > 0) cover(box, 0, drop + below.descent);
    const double base_x = middle(base.width), above_x = middle(above.width),
                 below_x = middle(below.width);
    place(box, std::move(base), base_x, 0);
    place(box, std::move(above), above_x, -rise);
    place(box, std::move(below), below_x, drop);
    return box;
  }

  EquationBox set_fraction(const Node& node, double size, int level) const {
    const double inner = level == 0 ? kFractionSize * size : script(size);
    EquationBox above = set(node.children[0], inner, level + (level > 0));
    EquationBox below = set(node.children[1], inner, level + (level > 0));
    EquationBox box;
    const double side = 0.12 * size, axis = kAxis * size, gap = kFractionGap * size;
    box.width = std::max(above.width, below.width) + 2 * side;
    const double rise = axis + gap + above.descent, drop = gap + below.ascent - axis;
    cover(box, rise + above.ascent, drop + below.descent);
    add_line(box, {{side / 2, -axis}, {box.width - side / 2, -axis}}, kRule * size);
    const double above_x = (box.width - above.width) / 2, below_x = (box.width - below.width) / 2;
    place(box, std::move(above), above_x, -rise);
    place(box, std::move(below), below_x, drop);
    return box;
  }

  EquationBox set_root(const Node& node, double size, int level) const {
    EquationBox inner = set(node.children[0], size, level), box;
    const double hook = kRootWidth * size, rule = kRule * size;
    const double top = std::max(inner.ascent, kTall * size) + kRootGap * size;
    const double bottom = std::max(inner.descent, 0.05 * size);
    box.width = hook + inner.width + 0.10 * size;
    cover(box, top + rule, bottom);
    const double knee = -0.38 * (top + bottom) + bottom;
    add_line(box,
             {{0.04 * size, knee + 0.06 * size},
              {0.18 * size, knee},
              {0.36 * size, bottom},
              {hook - 0.04 * size, -top},
              {box.width, -top}},
             rule);
    place(box, std::move(inner), hook, 0);
    return box;
  }

  EquationBox set_accent(const Node& node, double size, int level) const {
    EquationBox box = set(node.children[0], size, level);
    const double y = -box.ascent - 0.10 * size, middle = box.width / 2, half = 0.16 * size;
    const double rule = kRule * size;
    if (node.text == "bar") {
      add_line(box, {{0.06 * size, y}, {box.width - 0.06 * size, y}}, rule);
    } else if (node.text == "hat") {
      add_line(box, {{middle - half, y}, {middle, y - 0.14 * size}, {middle + half, y}}, rule);
    } else {
      std::vector<Point> wave;
      for (int i = 0; i <= 12; ++i) {
        const double t = i / 12.0;
        wave.push_back({middle + half * 1.2 * (2 * t - 1),
                        y - 0.05 * size * (1 + std::sin(2 * std::numbers::pi * t))});
      }
      add_line(box, std::move(wave), rule);
    }
    box.ascent += 0.28 * size;
    return box;
  }

  EquationBox set_fence(const Node& node, double size, int level) const {
    EquationBox inner = set(node.children[0], size, level), box;
    const double axis = kAxis * size;
    // As far above the axis as below it.
    const double half = std::max({inner.ascent - axis, inner.descent + axis, 0.45 * size});
    EquationBox open = set_bracket(node.open, half, size, false);
    EquationBox close = set_bracket(node.close, half, size, true);
    const double gap = kFenceGap * size;
    cover(box, std::max(inner.ascent, half + axis), std::max(inner.descent, half - axis));
    const double inner_x = open.width + (open.width > 0 ? gap : 0);
    const double close_x = inner_x + inner.width + (close.width > 0 ? gap : 0);
    box.width = close_x + close.width;
    place(box, std::move(open), 0, 0);
    place(box, std::move(inner), inner_x, 0);
    place(box, std::move(close), close_x, 0);
    return box;
  }

  /// A bracket that reaches `half` above and below the axis: the letter where that is enough.
  EquationBox set_bracket(const std::string& text, double half, double size, bool closes) const {
    if (text.empty()) return {};
    if (2 * half <= kGrows * size && text != "‖" && text != "|") return set_text(text, size, false);
    EquationBox box;
    box.width = kFenceWidth * size;
    const double axis = -kAxis * size, rule = kRule * size;
    // Shapes are given for an opening bracket in x from 0 to 1 and y from −1 to 1.
    const auto draw = [&](const std::vector<Point>& shape) {
      std::vector<Point> points;
      for (const Point& p : shape)
        points.push_back({box.width * (closes ? 1 - p.x : p.x), axis + half * p.y});
      add_line(box, std::move(points), rule);
    };
    if (text == "(" || text == ")") {
      std::vector<Point> arc;
      for (int i = 0; i <= 16; ++i) {
        const double y = -1 + i / 8.0;
        arc.push_back({0.25 + 0.6 * y * y * (0.75 + 0.25 * y * y), y});
      }
      draw(arc);
    } else if (text == "[" || text == "]") {
      draw({{0.85, -1}, {0.3, -1}, {0.3, 1}, {0.85, 1}});
    } else if (text == "⌊" || text == "⌋") {
      draw({{0.3, -1}, {0.3, 1}, {0.85, 1}});
    } else if (text == "⟨" || text == "⟩") {
      draw({{0.85, -1}, {0.3, 0}, {0.85, 1}});
    } else if (text == "{" || text == "}") {
      draw({{0.95, -1},
            {0.7, -0.97},
            {0.55, -0.85},
            {0.55, -0.15},
            {0.42, -0.04},
            {0.15, 0},
            {0.42, 0.04},
            {0.55, 0.15},
            {0.55, 0.85},
            {0.7, 0.97},
            {0.95, 1}});
    } else if (text == "‖") {
      draw({{0.3, -1}, {0.3, 1}});
      draw({{0.75, -1}, {0.75, 1}});
    } else {
      draw({{0.5, -1}, {0.5, 1}});
    }
    return box;
  }

  EquationBox set_matrix(const Node& node, double size, int level) const {
    const std::size_t columns = std::max<std::size_t>(1, node.columns);
    const std::size_t rows = node.children.size() / columns;
    std::vector<EquationBox> cells;
    std::vector<double> widths(columns), ascents(rows, kTall * size), descents(rows, 0.2 * size);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      cells.push_back(set(node.children[i], size, level));
      widths[i % columns] = std::max(widths[i % columns], cells[i].width);
      ascents[i / columns] = std::max(ascents[i / columns], cells[i].ascent);
      descents[i / columns] = std::max(descents[i / columns], cells[i].descent);
    }
    EquationBox box;
    double height = kRowGap * size * static_cast<double>(rows > 0 ? rows - 1 : 0);
    for (std::size_t r = 0; r < rows; ++r) height += ascents[r] + descents[r];
    for (std::size_t c = 0; c < columns; ++c)
      box.width += widths[c] + (c > 0 ? kColumnGap * size : 0);
    const double axis = kAxis * size;
    cover(box, height / 2 + axis, height / 2 - axis);
    double y = -height / 2 - axis;
    for (std::size_t r = 0; r < rows; ++r) {
      y += ascents[r];
      double x = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        EquationBox& cell = cells[r * columns + c];
        const double spare = node.left_aligned ? 0 : (widths[c] - cell.width) / 2;
        place(box, std::move(cell), x + spare, y);
        x += widths[c] + kColumnGap * size;
      }
      y += descents[r] + kRowGap * size;
    }
    return box;
  }

  const Canvas& canvas_;
  double least_;
};

bool is_among(const std::vector<std::string>& names, const std::vector<std::string>& wanted) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  });
}

}  // namespace

EquationBox lay_out(const EquationNode& equation, const Canvas& canvas, double size) {
  return Setter(canvas, size).set(equation, size, 0);
}

void draw_equation(Canvas& canvas, const EquationBox& box, Point origin, Color color,
                   const EquationHighlight& highlight) {
  for (const EquationBox::Glyphs& glyphs : box.glyphs) {
    const bool apart = is_among(glyphs.names, highlight.names);
    canvas.text(
        {origin.x + glyphs.at.x, origin.y + glyphs.at.y - kLineAscent * glyphs.size}, glyphs.text,
        {.size = glyphs.size, .color = apart ? highlight.color : color, .bold = glyphs.bold});
  }
  for (const EquationBox::Line& line : box.lines) {
    std::vector<Point> points;
    for (const Point& p : line.points) points.push_back({origin.x + p.x, origin.y + p.y});
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

}  // namespace orrery

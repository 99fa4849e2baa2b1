#include "experiments/figure/equation/layout.h"

#include <algorithm>
#include <utility>

#include "experiments/figure/equation/letter_extent.h"
#include "experiments/figure/equation/spacing.h"
#include "experiments/figure/equation/stroke_shapes.h"

namespace orrery::figure {
namespace {

using Node = EquationNode;
using Kind = Node::Kind;
using Class = Node::Class;

// Canvases that draw pixels round widths up: letters are measured at this many times their size.
constexpr double measuring_scale = 16;

// Lengths in em at the size of the node, unless another reference is given.
constexpr double script_scale = 0.70;      ///< size of scripts, relative to their base
constexpr double min_letter_scale = 0.50;  ///< smallest letter, relative to the formula
constexpr double min_superscript_rise = 0.40;
constexpr double min_subscript_drop = 0.18;
constexpr double script_gap = 0.08;  ///< between base and script, and between two scripts
constexpr double line_thickness = 0.055;
constexpr double fraction_gap = 0.16;    ///< between fraction bar and numerator or denominator
constexpr double fraction_scale = 0.90;  ///< size of numerator and denominator
constexpr double large_scale = 1.45;     ///< size of sums and products
constexpr double limit_gap = 0.14;       ///< between a sum and its limits
constexpr double hook_width = 0.62;      ///< width of the root sign's hook
constexpr double root_gap = 0.12;        ///< between radicand and the line above it
constexpr double column_gap = 0.90;      ///< between columns of a matrix
constexpr double row_gap = 0.30;         ///< between rows of a matrix
constexpr double bracket_width = 0.34;   ///< width of a bracket drawn as lines
constexpr double bracket_gap = 0.14;     ///< between bracket and content
constexpr double tallest_letter_bracket = 1.25;  ///< brackets around more are drawn as lines

/// Turns nodes into boxes. `size` is the em in points; `level` counts the scripts around a node.
class Typesetter {
 public:
  Typesetter(const Canvas& canvas, double size)
      : canvas_(canvas), min_size_(min_letter_scale * size) {}

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
  double script_size(double size) const { return std::max(min_size_, script_scale * size); }

  EquationBox set_text(const std::string& text, double size, bool bold) const {
    EquationBox box;
    const LetterExtent extent = letter_extent(text);
    box.width = canvas_.text_size(text, {.size = measuring_scale * size, .bold = bold}).width /
                measuring_scale;
    box.ascent = extent.ascent * size;
    box.descent = extent.descent * size;
    box.glyphs.push_back({{0, 0}, text, size, bold, {}});
    return box;
  }

  EquationBox set_row(const Node& row, double size, int level) const {
    EquationBox box;
    Class before = Class::opening;
    for (std::size_t i = 0; i < row.children.size(); ++i) {
      const Class own = spacing_class_in_row(row.children, i, before);
      if (i > 0) box.width += size * space_between(before, own, level > 0);
      EquationBox child = set(row.children[i], size, level);
      const double width = child.width;
      box.extend_to(child.ascent, child.descent);
      box.add(std::move(child), box.width, 0);
      box.width += width;
      before = own;
    }
    return box;
  }

  EquationBox set_symbol(const Node& node, double size, int level) const {
    const bool is_sign = node.role == Class::large && node.text.size() <= 3 && node.text[0] < 0;
    EquationBox box =
        is_sign && level == 0 ? set_large(node.text, size) : set_text(node.text, size, node.bold);
    if (node.role == Class::ordinary) box.mark_as_symbol(node.text);
    return box;
  }

  /// A sum or product sign: larger than the letters and centred on the axis.
  EquationBox set_large(const std::string& text, double size) const {
    const double large = large_scale * size;
    EquationBox glyph = set_text(text, large, false), box;
    const double drop = axis_height * large - axis_height * size;
    box.width = glyph.width;
    box.extend_to(glyph.ascent - drop, 0.13 * large + drop);
    box.add(std::move(glyph), 0, drop);
    return box;
  }

  EquationBox set_scripts(const Node& node, double size, int level) const {
    const Node& base = node.children[0];
    EquationBox box = spacing_class(base) == Class::large && base.kind == Kind::symbol && level == 0
                          ? set_limits(node, size)
                          : set_side_scripts(node, size, level);
    if (spacing_class(base) == Class::ordinary) box.mark_as_symbol(equation_name(node));
    return box;
  }

  EquationBox set_side_scripts(const Node& node, double size, int level) const {
    EquationBox base = set(node.children[0], size, level), box;
    EquationBox above = set(node.children[1], script_size(size), level + 1);
    EquationBox below = set(node.children[2], script_size(size), level + 1);
    const bool has_above = above.width > 0, has_below = below.width > 0;
    double rise = std::max(min_superscript_rise * size, base.ascent - 0.5 * above.ascent);
    double drop = std::max(min_subscript_drop * size, base.descent + 0.05 * size);
    if (has_above && has_below) {
      const double overlap = script_gap * size - ((rise - above.descent) - (below.ascent - drop));
      if (overlap > 0) rise += overlap / 2, drop += overlap / 2;
    }
    box.extend_to(base.ascent, base.descent);
    if (has_above) box.extend_to(rise + above.ascent, 0);
    if (has_below) box.extend_to(0, drop + below.descent);
    const double x = base.width + script_gap / 2 * size;
    box.width = x + std::max(above.width, below.width);
    box.add(std::move(base), 0, 0);
    box.add(std::move(above), x, -rise);
    box.add(std::move(below), x, drop);
    return box;
  }

  /// A sum or product with its lower limit below and its upper limit above.
  EquationBox set_limits(const Node& node, double size) const {
    EquationBox base = set(node.children[0], size, 0), box;
    EquationBox above = set(node.children[1], script_size(size), 1);
    EquationBox below = set(node.children[2], script_size(size), 1);
    box.width = std::max({base.width, above.width, below.width});
    const double gap = limit_gap * size;
    const auto middle = [&](double width) { return (box.width - width) / 2; };
    box.extend_to(base.ascent, base.descent);
    const double rise = base.ascent + gap + above.descent;
    const double drop = base.descent + gap + below.ascent;
    if (above.width > 0) box.extend_to(rise + above.ascent, 0);
    if (below.width > 0) box.extend_to(0, drop + below.descent);
    const double base_x = middle(base.width), above_x = middle(above.width),
                 below_x = middle(below.width);
    box.add(std::move(base), base_x, 0);
    box.add(std::move(above), above_x, -rise);
    box.add(std::move(below), below_x, drop);
    return box;
  }

  EquationBox set_fraction(const Node& node, double size, int level) const {
    const double inner = level == 0 ? fraction_scale * size : script_size(size);
    EquationBox above = set(node.children[0], inner, level + (level > 0));
    EquationBox below = set(node.children[1], inner, level + (level > 0));
    EquationBox box;
    const double side = 0.12 * size, axis = axis_height * size, gap = fraction_gap * size;
    box.width = std::max(above.width, below.width) + 2 * side;
    const double rise = axis + gap + above.descent, drop = gap + below.ascent - axis;
    box.extend_to(rise + above.ascent, drop + below.descent);
    box.add_line({{side / 2, -axis}, {box.width - side / 2, -axis}}, line_thickness * size);
    const double above_x = (box.width - above.width) / 2, below_x = (box.width - below.width) / 2;
    box.add(std::move(above), above_x, -rise);
    box.add(std::move(below), below_x, drop);
    return box;
  }

  EquationBox set_root(const Node& node, double size, int level) const {
    EquationBox inner = set(node.children[0], size, level), box;
    const double hook = hook_width * size, thickness = line_thickness * size;
    const double top = std::max(inner.ascent, tall_letter * size) + root_gap * size;
    const double bottom = std::max(inner.descent, 0.05 * size);
    box.width = hook + inner.width + 0.10 * size;
    box.extend_to(top + thickness, bottom);
    const double knee = -0.38 * (top + bottom) + bottom;
    box.add_line({{0.04 * size, knee + 0.06 * size},
                  {0.18 * size, knee},
                  {0.36 * size, bottom},
                  {hook - 0.04 * size, -top},
                  {box.width, -top}},
                 thickness);
    box.add(std::move(inner), hook, 0);
    return box;
  }

  EquationBox set_accent(const Node& node, double size, int level) const {
    EquationBox box = set(node.children[0], size, level);
    const double y = -box.ascent - 0.10 * size, middle = box.width / 2, half = 0.16 * size;
    const double thickness = line_thickness * size;
    if (node.text == "bar") {
      box.add_line({{0.06 * size, y}, {box.width - 0.06 * size, y}}, thickness);
    } else if (node.text == "hat") {
      box.add_line({{middle - half, y}, {middle, y - 0.14 * size}, {middle + half, y}}, thickness);
    } else {
      std::vector<Point> wave = tilde_shape();
      for (Point& p : wave) p = {middle + half * 1.2 * p.x, y - 0.05 * size * p.y};
      box.add_line(std::move(wave), thickness);
    }
    box.ascent += 0.28 * size;
    return box;
  }

  EquationBox set_fence(const Node& node, double size, int level) const {
    EquationBox inner = set(node.children[0], size, level), box;
    const double axis = axis_height * size;
    // Symmetric about the axis.
    const double half = std::max({inner.ascent - axis, inner.descent + axis, 0.45 * size});
    EquationBox open = set_bracket(node.open, half, size, false);
    EquationBox close = set_bracket(node.close, half, size, true);
    const double gap = bracket_gap * size;
    box.extend_to(std::max(inner.ascent, half + axis), std::max(inner.descent, half - axis));
    const double inner_x = open.width + (open.width > 0 ? gap : 0);
    const double close_x = inner_x + inner.width + (close.width > 0 ? gap : 0);
    box.width = close_x + close.width;
    box.add(std::move(open), 0, 0);
    box.add(std::move(inner), inner_x, 0);
    box.add(std::move(close), close_x, 0);
    return box;
  }

  /// A bracket that reaches `half` above and below the axis: the letter where that is tall enough,
  /// lines otherwise.
  EquationBox set_bracket(const std::string& text, double half, double size, bool closes) const {
    if (text.empty()) return {};
    const bool is_bar = text == "‖" || text == "|";
    if (2 * half <= tallest_letter_bracket * size && !is_bar) return set_text(text, size, false);
    EquationBox box;
    box.width = bracket_width * size;
    for (std::vector<Point>& stroke : bracket_shape(text)) {
      for (Point& p : stroke)
        p = {box.width * (closes ? 1 - p.x : p.x), -axis_height * size + half * p.y};
      box.add_line(std::move(stroke), line_thickness * size);
    }
    return box;
  }

  EquationBox set_matrix(const Node& node, double size, int level) const {
    const std::size_t columns = std::max<std::size_t>(1, node.columns);
    const std::size_t rows = node.children.size() / columns;
    std::vector<EquationBox> cells;
    std::vector<double> widths(columns), ascents(rows, tall_letter * size),
        descents(rows, 0.2 * size);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      cells.push_back(set(node.children[i], size, level));
      widths[i % columns] = std::max(widths[i % columns], cells[i].width);
      ascents[i / columns] = std::max(ascents[i / columns], cells[i].ascent);
      descents[i / columns] = std::max(descents[i / columns], cells[i].descent);
    }
    EquationBox box;
    double height = row_gap * size * static_cast<double>(rows > 0 ? rows - 1 : 0);
    for (std::size_t r = 0; r < rows; ++r) height += ascents[r] + descents[r];
    for (std::size_t c = 0; c < columns; ++c)
      box.width += widths[c] + (c > 0 ? column_gap * size : 0);
    const double axis = axis_height * size;
    box.extend_to(height / 2 + axis, height / 2 - axis);
    double y = -height / 2 - axis;
    for (std::size_t r = 0; r < rows; ++r) {
      y += ascents[r];
      double x = 0;
      for (std::size_t c = 0; c < columns; ++c) {
        EquationBox& cell = cells[r * columns + c];
        const double spare = node.left_aligned ? 0 : (widths[c] - cell.width) / 2;
        box.add(std::move(cell), x + spare, y);
        x += widths[c] + column_gap * size;
      }
      y += descents[r] + row_gap * size;
    }
    return box;
  }

  const Canvas& canvas_;
  double min_size_;
};

}  // namespace

EquationBox lay_out(const EquationNode& equation, const Canvas& canvas, double size) {
  return Typesetter(canvas, size).set(equation, size, 0);
}

}  // namespace orrery::figure

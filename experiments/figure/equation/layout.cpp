#include "experiments/figure/equation/layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "experiments/text/utf8.h"

namespace orrery {
namespace {

using Node = EquationNode;
using Kind = Node::Kind;
using Class = Node::Class;

// Lengths in em of the symbols at the node's size, unless another reference is given; those of
// scripts and fractions are TeX's font parameters.
constexpr double script_scale = 0.72;         ///< size of scripts, relative to the formula
constexpr double script_script_scale = 0.56;  ///< and of their scripts
constexpr double superscript_drop = 0.386;    ///< below the top of a tall base, in script em
constexpr double subscript_drop = 0.05;       ///< below the bottom of a deep base, in script em
constexpr double superscript_rise = 0.40, script_superscript_rise = 0.33;
constexpr double subscript_alone = 0.17, subscript_below_superscript = 0.247;
constexpr double script_space = 0.05;                ///< after a script
constexpr double line_thickness = 0.05;              ///< of fraction bars and roots
constexpr double script_gap = 3 * line_thickness;    ///< between two scripts
constexpr double display_gap = 3 * line_thickness;   ///< from a fraction bar, and in a fraction
constexpr double fraction_gap = 2 * line_thickness;  ///< that stands in a line or a script
constexpr double numerator_rise = 0.60, denominator_drop = 0.66;
constexpr double line_numerator_rise = 0.394, line_denominator_drop = 0.345;
constexpr double large_scale = 1.25;  ///< size of sums and products that stand alone
constexpr double upper_limit_gap = 0.16, lower_limit_gap = 0.167;
constexpr double upper_limit_rise = 0.20, lower_limit_drop = 0.55;
constexpr double hook_width = 0.64;                      ///< width of the root sign's hook
constexpr double root_gap = 0.10;                        ///< between radicand and the line above it
constexpr double column_gap = 0.90;                      ///< between columns of a matrix
constexpr double row_gap = 0.28;                         ///< between rows of a matrix
constexpr double row_ascent = 0.74, row_descent = 0.24;  ///< least of a row of a matrix
constexpr double bracket_gap = 0.11;  ///< between a bracket that grows and its content
constexpr double accent_gap = 0.08;

// TeX's spaces, in em.
constexpr double narrow_space = 3.0 / 18;
constexpr double medium_space = 4.0 / 18;
constexpr double thick_space = 5.0 / 18;

/// TeX's styles: how large a node is set and how much room its sums and fractions take.
enum class Style { display, line, script, script_script };

Style of_scripts(Style style) {
  return style < Style::script ? Style::script : Style::script_script;
}
Style of_fraction(Style style) { return style == Style::display ? Style::line : of_scripts(style); }
bool is_script(Style style) { return style >= Style::script; }

bool is_large_sign(const Node& node) {
  return node.role == Class::large && static_cast<unsigned char>(node.text[0]) >= 0x80;
}

/// Variables lean: single Latin letters and small Greek ones, unless they are to stand upright.
Face face_of(const Node& node) {
  if (node.role != Class::ordinary || node.letters != Node::Letters::variable || node.bold)
    return Face::roman;
  std::size_t after = 0;
  const char32_t c = node.text.empty() ? U' ' : next_character(node.text, after);
  const bool latin = (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
  const bool greek = (c >= U'α' && c <= U'ω') || c == U'ϕ' || c == U'ϑ' || c == U'ϵ';
  return after == node.text.size() && (latin || greek) ? Face::italic : Face::roman;
}

/// A sum or product sign: larger than the letters and centred on the axis.
EquationBox set_large(const std::string& text, double size) {
  return on_axis(set_letters(text, large_scale * size, Face::roman, false), size);
}

/// One period of a sine for the tilde accent: x from −1 to 1, y from 0 to 2 upwards.
std::vector<Point> tilde_shape() {
  std::vector<Point> wave;
  for (int i = 0; i <= 12; ++i) {
    const double t = i / 12.0;
    wave.push_back({2 * t - 1, 1 + std::sin(2 * std::numbers::pi * t)});
  }
  return wave;
}

/// Turns nodes into boxes. `em` is that of the symbols of the whole formula, in points.
class Typesetter {
 public:
  Typesetter(const Canvas& canvas, double em) : canvas_(canvas), em_(em) {}

  EquationBox set(const Node& node, Style style) const {
    switch (node.kind) {
      case Kind::row:
        return set_row(node, style);
      case Kind::symbol:
        return set_symbol(node, style);
      case Kind::scripts:
        return set_scripts(node, style);
      case Kind::fraction:
        return set_fraction(node, style);
      case Kind::root:
        return set_root(node, style);
      case Kind::accent:
        return set_accent(node, style);
      case Kind::fence:
        return set_fence(node, style);
      case Kind::matrix:
        return set_matrix(node, style);
      case Kind::space:
        return {.width = node.width * size_of(style)};
    }
    return {};
  }

 private:
  double size_of(Style style) const {
    if (!is_script(style)) return em_;
    return em_ * (style == Style::script ? script_scale : script_script_scale);
  }

  /// Words in the font of text.
  EquationBox set_words(const std::string& text, double size, bool bold) const {
    const double em = size / symbol_scale();
    EquationBox box = set_letters(text, em, Face::sans, bold);
    box.lean = 0;
    box.width = canvas_.text_size(text, {.size = em, .bold = bold}).width;
    box.glyphs.assign(1, {{0, 0}, text, em, Face::sans, bold, {}});
    return box;
  }

  EquationBox set_row(const Node& row, Style style) const {
    EquationBox box;
    Class before = Class::opening;
    for (std::size_t i = 0; i < row.children.size(); ++i) {
      const Class own = spacing_class_in_row(row.children, i, before);
      if (i > 0) box.width += size_of(style) * space_between(before, own, is_script(style));
      EquationBox child = set(row.children[i], style);
      const double width = child.width;
      box.lean = child.lean;
      box.extend_to(child.ascent, child.descent);
      box.add(std::move(child), box.width, 0);
      box.width += width;
      before = own;
    }
    return box;
  }

  EquationBox set_symbol(const Node& node, Style style) const {
    const double size = size_of(style);
    if (node.letters == Node::Letters::words) return set_words(node.text, size, node.bold);
    const bool is_sign = is_large_sign(node);
    EquationBox box = is_sign && style == Style::display
                          ? set_large(node.text, size)
                          : set_letters(node.text, size, face_of(node), node.bold);
    if (node.role == Class::ordinary) box.mark_as_symbol(node.text);
    return box;
  }

  EquationBox set_scripts(const Node& node, Style style) const {
    const Node& base = node.children[0];
    const bool has_limits =
        spacing_class(base) == Class::large && base.kind == Kind::symbol && style == Style::display;
    EquationBox box = has_limits ? set_limits(node) : set_side_scripts(node, style);
    if (spacing_class(base) == Class::ordinary) box.mark_as_symbol(equation_name(node));
    return box;
  }

  EquationBox set_side_scripts(const Node& node, Style style) const {
    const double size = size_of(style), small = size_of(of_scripts(style));
    EquationBox base = set(node.children[0], style), box;
    EquationBox above = set(node.children[1], of_scripts(style));
    EquationBox below = set(node.children[2], of_scripts(style));
    const bool has_above = above.width > 0, has_below = below.width > 0;
    const bool is_letter =
        node.children[0].kind == Kind::symbol && !is_large_sign(node.children[0]);
    double rise = is_letter ? 0.0 : base.ascent - superscript_drop * small;
    double drop = is_letter ? 0.0 : base.descent + subscript_drop * small;
    const double least_rise = is_script(style) ? script_superscript_rise : superscript_rise;
    rise = std::max({rise, least_rise * size, above.descent + x_height() * size / 4});
    drop = std::max({drop, (has_above ? subscript_below_superscript : subscript_alone) * size,
                     below.ascent - 0.8 * x_height() * size});
    if (has_above && has_below) {
      const double overlap = script_gap * size - ((rise - above.descent) - (below.ascent - drop));
      if (overlap > 0) rise += overlap / 2, drop += overlap / 2;
    }
    box.extend_to(base.ascent, base.descent);
    if (has_above) box.extend_to(rise + above.ascent, 0);
    if (has_below) box.extend_to(0, drop + below.descent);
    const double above_x = base.width, below_x = base.width - base.lean;
    box.width = std::max(above_x + above.width, below_x + below.width) + script_space * size;
    box.add(std::move(base), 0, 0);
    box.add(std::move(above), above_x, -rise);
    box.add(std::move(below), below_x, drop);
    return box;
  }

  /// A sum or product with its lower limit below and its upper limit above.
  EquationBox set_limits(const Node& node) const {
    EquationBox base = set(node.children[0], Style::display), box;
    EquationBox above = set(node.children[1], Style::script);
    EquationBox below = set(node.children[2], Style::script);
    box.width = std::max({base.width, above.width, below.width});
    const auto middle = [&](double width) { return (box.width - width) / 2; };
    box.extend_to(base.ascent, base.descent);
    const double rise = base.ascent + above.descent +
                        std::max(upper_limit_gap * em_, upper_limit_rise * em_ - above.descent);
    const double drop = base.descent + below.ascent +
                        std::max(lower_limit_gap * em_, lower_limit_drop * em_ - below.ascent);
    if (above.width > 0) box.extend_to(rise + above.ascent, 0);
    if (below.width > 0) box.extend_to(0, drop + below.descent);
    const double base_x = middle(base.width), above_x = middle(above.width),
                 below_x = middle(below.width);
    box.add(std::move(base), base_x, 0);
    box.add(std::move(above), above_x, -rise);
    box.add(std::move(below), below_x, drop);
    return box;
  }

  EquationBox set_fraction(const Node& node, Style style) const {
    const double size = size_of(style), axis = axis_height() * size;
    EquationBox above = set(node.children[0], of_fraction(style));
    EquationBox below = set(node.children[1], of_fraction(style));
    EquationBox box;
    const bool display = style == Style::display;
    const double side = 0.12 * size, thickness = line_thickness * size;
    const double gap = (display ? display_gap : fraction_gap) * size + thickness / 2;
    box.width = std::max(above.width, below.width) + 2 * side;
    const double rise = std::max((display ? numerator_rise : line_numerator_rise) * size,
                                 axis + gap + above.descent);
    const double drop = std::max((display ? denominator_drop : line_denominator_drop) * size,
                                 gap + below.ascent - axis);
    box.extend_to(rise + above.ascent, drop + below.descent);
    box.add_line({{side / 2, -axis}, {box.width - side / 2, -axis}}, thickness);
    const double above_x = (box.width - above.width) / 2, below_x = (box.width - below.width) / 2;
    box.add(std::move(above), above_x, -rise);
    box.add(std::move(below), below_x, drop);
    return box;
  }

  EquationBox set_root(const Node& node, Style style) const {
    const double size = size_of(style);
    EquationBox inner = set(node.children[0], style), box;
    const double hook = hook_width * size, thickness = line_thickness * size;
    const double top = std::max(inner.ascent, x_height() * size) + root_gap * size + thickness / 2;
    const double bottom = std::max(inner.descent, 0.02 * size);
    box.width = hook + inner.width + 0.06 * size;
    box.extend_to(top + thickness, bottom + thickness);
    const double knee = -0.42 * (top + bottom) + bottom;
    // The stroke downwards is the heavy one.
    box.add_line({{0.09 * size, knee + 0.06 * size}, {0.19 * size, knee}}, thickness);
    box.add_line({{0.19 * size, knee}, {0.37 * size, bottom}}, 1.9 * thickness);
    box.add_line({{0.37 * size, bottom}, {hook - 0.03 * size, -top}, {box.width, -top}}, thickness);
    box.add(std::move(inner), hook, 0);
    return box;
  }

  EquationBox set_accent(const Node& node, Style style) const {
    const double size = size_of(style);
    EquationBox box = set(node.children[0], style);
    const double y = -box.ascent - accent_gap * size, half = 0.16 * size;
    const double middle = (box.width + 0.5 * box.lean) / 2, thickness = line_thickness * size;
    if (node.text == "bar") {
      box.add_line({{0.06 * size, y}, {box.width - 0.06 * size, y}}, thickness);
    } else if (node.text == "hat") {
      box.add_line({{middle - half, y}, {middle, y - 0.14 * size}, {middle + half, y}}, thickness);
    } else {
      std::vector<Point> wave = tilde_shape();
      for (Point& p : wave) p = {middle + half * 1.2 * p.x, y - 0.05 * size * p.y};
      box.add_line(std::move(wave), thickness);
    }
    box.ascent += 0.26 * size;
    return box;
  }

  EquationBox set_fence(const Node& node, Style style) const {
    const double size = size_of(style), axis = axis_height() * size;
    EquationBox inner = set(node.children[0], style), box;
    // Symmetric about the axis.
    const double half = std::max(inner.ascent - axis, inner.descent + axis);
    EquationBox open = set_bracket(node.open, half, size, false);
    EquationBox close = set_bracket(node.close, half, size, true);
    const bool is_matrix =
        !node.children[0].children.empty() && node.children[0].children[0].kind == Kind::matrix;
    const double gap = is_matrix || node.children[0].kind == Kind::matrix ? bracket_gap * size : 0;
    box.extend_to(std::max({inner.ascent, open.ascent, close.ascent}),
                  std::max({inner.descent, open.descent, close.descent}));
    const double inner_x = open.width + (open.width > 0 ? gap : 0);
    const double close_x = inner_x + inner.width + (close.width > 0 ? gap : 0);
    box.width = close_x + close.width;
    box.add(std::move(open), 0, 0);
    box.add(std::move(inner), inner_x, 0);
    box.add(std::move(close), close_x, 0);
    return box;
  }

  EquationBox set_matrix(const Node& node, Style style) const {
    const double size = size_of(style);
    const Style inside = style == Style::display ? Style::line : style;
    const std::size_t columns = std::max<std::size_t>(1, node.columns);
    const std::size_t rows = node.children.size() / columns;
    std::vector<EquationBox> cells;
    std::vector<double> widths(columns), ascents(rows, row_ascent * size),
        descents(rows, row_descent * size);
    for (std::size_t i = 0; i < rows * columns; ++i) {
      cells.push_back(set(node.children[i], inside));
      widths[i % columns] = std::max(widths[i % columns], cells[i].width);
      ascents[i / columns] = std::max(ascents[i / columns], cells[i].ascent);
      descents[i / columns] = std::max(descents[i / columns], cells[i].descent);
    }
    EquationBox box;
    double height = row_gap * size * static_cast<double>(rows > 0 ? rows - 1 : 0);
    for (std::size_t r = 0; r < rows; ++r) height += ascents[r] + descents[r];
    for (std::size_t c = 0; c < columns; ++c)
      box.width += widths[c] + (c > 0 ? column_gap * size : 0);
    const double axis = axis_height() * size;
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
  double em_;
};

}  // namespace

Class spacing_class(const EquationNode& node) {
  switch (node.kind) {
    case Kind::symbol:
      return node.text == "…" || node.text == "⋯" ? Class::inner : node.role;
    case Kind::fraction:
    case Kind::fence:
      return Class::inner;
    case Kind::scripts:
    case Kind::accent:
      return spacing_class(node.children.front());
    default:
      return Class::ordinary;
  }
}

Class spacing_class_in_row(const std::vector<EquationNode>& row, std::size_t i, Class before) {
  const Class own = spacing_class(row[i]);
  const bool nothing_before = i == 0 || before == Class::operation || before == Class::relation ||
                              before == Class::opening || before == Class::punctuation;
  const bool nothing_after = i + 1 == row.size();
  const bool is_sign = own == Class::operation && (nothing_before || nothing_after);
  return is_sign ? Class::ordinary : own;
}

double space_between(Class left, Class right, bool in_script) {
  if (left == Class::opening || right == Class::closing || right == Class::punctuation) return 0;
  const double outside_scripts = in_script ? 0.0 : 1.0;
  if (left == Class::relation || right == Class::relation)
    return left == right ? 0 : outside_scripts * thick_space;
  if (left == Class::operation || right == Class::operation) return outside_scripts * medium_space;
  if (left == Class::punctuation) return outside_scripts * narrow_space;
  const auto is_word = [](Class c) { return c == Class::function || c == Class::large; };
  if (is_word(left) && right == Class::opening) return 0;
  if (is_word(left) || is_word(right)) return narrow_space;
  const bool apart = left == Class::inner || right == Class::inner;
  return apart ? outside_scripts * narrow_space : 0;
}

EquationBox lay_out(const EquationNode& equation, const Canvas& canvas, double size) {
  return Typesetter(canvas, symbol_scale() * size).set(equation, Style::display);
}

EquationBox lay_out_in_line(const EquationNode& equation, const Canvas& canvas, double size) {
  return Typesetter(canvas, symbol_scale() * size).set(equation, Style::line);
}

}  // namespace orrery

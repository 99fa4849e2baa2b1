#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/model/figure.h"

namespace orrery::figure {

/// The text, shortened at the end with "…" if it is wider than `width`; empty when not even that
/// fits.
std::string elided(const Canvas& canvas, std::string_view text, const TextStyle& style,
                   double width);

/// The text, shortened in the middle with "…" if it is wider than `width`, so that names with a
/// common beginning stay distinguishable.
std::string elided_middle(const Canvas& canvas, std::string_view text, const TextStyle& style,
                          double width);

/// Lines of at most `width`, broken greedily between words, and inside a word that is wider than a
/// line. The last of `max_lines` ends in "…" if text is left over.
std::vector<std::string> wrapped(const Canvas& canvas, std::string_view text,
                                 const TextStyle& style, double width, std::size_t max_lines);

/// A piece of a label: plain text, or a superscript or subscript in a smaller size.
struct LabelRun {
  std::string text{};
  int level{0};  ///< 1 superscript, −1 subscript
};
using Label = std::vector<LabelRun>;

/// Parses "a_{mn}" or "x^2" into runs; `_` and `^` take one character or a group in braces.
Label parse_symbol(std::string_view symbol);

/// Label such as "relative distance m − n (tokens)", with the symbol parsed by parse_symbol.
Label compose_label(std::string_view words, std::string_view symbol, std::string_view unit);

double label_width(const Canvas& canvas, const Label& label, const TextStyle& style);

/// Draws the label at the anchor, with the alignment and direction of `style`. If it is wider than
/// `width`, runs are shortened from the left, so that symbol and unit stay.
void draw_label(Canvas& canvas, Point anchor, Label label, const TextStyle& style, double width);

}  // namespace orrery::figure

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas.h"
#include "experiments/figure/figure.h"

namespace orrery {

/// The text, or its beginning with "…" where it is wider than `width`; empty when not even that
/// fits.
std::string elided(const Canvas& canvas, std::string_view text, const TextStyle& style,
                   double width);

/// The text, or its beginning and end around "…": names that start alike stay apart.
std::string elided_middle(const Canvas& canvas, std::string_view text, const TextStyle& style,
                          double width);

/// Greedy lines of at most `width`; a word that is wider is broken. The last of `most_lines` ends
/// in "…" when there is more.
std::vector<std::string> wrapped(const Canvas& canvas, std::string_view text,
                                 const TextStyle& style, double width, std::size_t most_lines);

/// A piece of a line of mathematics: raised or lowered, and smaller.
struct LabelRun {
  std::string text{};
  int level{0};  ///< 1 superscript, −1 subscript
};
using Label = std::vector<LabelRun>;

/// "a_{mn}" and "x^2" to runs; `_` and `^` take one character or a group in braces.
Label parse_symbol(std::string_view symbol);

/// "relative distance m − n (tokens)", the symbol set as mathematics.
Label compose_label(std::string_view words, std::string_view symbol, std::string_view unit);

double label_width(const Canvas& canvas, const Label& label, const TextStyle& style);

/// Draws the label with the anchor and alignment of `style`, upward too. Runs are elided from the
/// left-most word on when it is wider than `width`, so that symbol and unit stay.
void draw_label(Canvas& canvas, Point anchor, Label label, const TextStyle& style, double width);

}  // namespace orrery

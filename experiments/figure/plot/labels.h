#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/model/figure.h"

namespace orrery {

/// Marked text, shortened at the end with "…" if it is wider than `width`; empty when not even that
/// fits.
std::string elided(const Canvas& canvas, std::string_view marked, const TextStyle& style,
                   double width);

/// The same for words that others wrote, such as tokens.
std::string elided_words(const Canvas& canvas, std::string_view words, const TextStyle& style,
                         double width);

/// Marked text, shortened in the middle with "…" if it is wider than `width`, so that names with a
/// common beginning stay distinguishable.
std::string elided_middle(const Canvas& canvas, std::string_view marked, const TextStyle& style,
                          double width);

/// Lines of at most `width`, broken greedily between words, and inside a word that is wider than a
/// line. The last of `max_lines` ends in "…" if text is left over.
std::vector<std::string> wrapped(const Canvas& canvas, std::string_view marked,
                                 const TextStyle& style, double width, std::size_t max_lines);

/// The name of a curve as marked text.
std::string shown_name(const Series& series);
/// The curve under this marked name: its name is the plain text.
Series named(Series series, const std::string& marked);

/// What an axis or a colour bar shows: "relative distance", "$m − n$", "tokens".
struct Label {
  std::string words{};   ///< marked
  std::string symbol{};  ///< marked
  std::string unit{};
  bool empty() const { return words.empty() && symbol.empty() && unit.empty(); }
};

/// Width on one line.
double label_width(const Canvas& canvas, const Label& label, const TextStyle& style);

/// Lines that the label takes where it must not be wider than `width`: 1 or 2; 0 without a label.
std::size_t label_lines(const Canvas& canvas, const Label& label, const TextStyle& style,
                        double width);

/// Draws "relative distance m − n (tokens)" at the anchor, with the alignment and direction of
/// `style`. If it is wider than `width`, it is set a little smaller, then on two lines, then with
/// fewer words; symbol and unit stay.
void draw_label(Canvas& canvas, Point anchor, const Label& label, const TextStyle& style,
                double width, std::size_t most_lines = 1);

}  // namespace orrery

#include "experiments/figure/plot/labels.h"

#include <algorithm>
#include <utility>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/text/marked_text.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr std::string_view ellipsis = "…";

double width_of(const Canvas& canvas, std::string_view marked, const TextStyle& style) {
  return marked.empty() ? 0.0 : rich_size(canvas, marked, style).width;
}

/// Byte offset of each piece that is not cut, followed by the length of the text.
using LengthOfPiece = std::size_t (*)(std::string_view text, std::size_t at);
std::vector<std::size_t> piece_starts(std::string_view text, LengthOfPiece length) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); i += length(text, i)) starts.push_back(i);
  starts.push_back(text.size());
  return starts;
}

/// The prefix without spaces at its end, then `tail`.
std::string beginning(std::string_view prefix, std::string_view tail) {
  if (!tail.empty())
    while (prefix.ends_with(' ')) prefix.remove_suffix(1);
  return std::string(prefix).append(tail);
}

/// Length in bytes of the longest prefix that, followed by `tail`, fits.
template <class Fits>
std::size_t longest_prefix(std::string_view text, std::string_view tail, LengthOfPiece length,
                           const Fits& fits) {
  const std::vector<std::size_t> starts = piece_starts(text, length);
  std::size_t low = 0, high = starts.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    if (fits(beginning(text.substr(0, starts[middle]), tail))) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return starts[low];
}

template <class Fits>
std::string elided_to_fit(std::string_view text, LengthOfPiece length, const Fits& fits) {
  if (fits(std::string(text))) return std::string(text);
  const std::size_t kept = longest_prefix(text, ellipsis, length, fits);
  return kept == 0 ? std::string() : beginning(text.substr(0, kept), ellipsis);
}

std::vector<std::string> words_of(std::string_view marked) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t at = 0, next = 0; at < marked.size(); at = next) {
    next = at + piece_length(marked, at);
    const std::string_view piece = marked.substr(at, next - at);
    if (piece != " " && piece != "\n" && piece != "\t") {
      word += piece;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

/// Breaks words into lines greedily.
class LineFiller {
 public:
  LineFiller(const Canvas& canvas, const TextStyle& style, double width)
      : canvas_(canvas), style_(style), width_(width) {}

  void add(std::string word) {
    const std::string longer = line_.empty() ? word : line_ + " " + word;
    if (fits(longer)) {
      line_ = longer;
      return;
    }
    finish_line();
    if (!fits(word)) word = as_marked(plain_text(word));
    while (!fits(word)) {
      const auto fits_here = [this](const std::string& start) { return fits(start); };
      const std::size_t cut = longest_prefix(word, "", piece_length, fits_here);
      if (cut == 0) return;  // not even one character fits
      lines_.push_back(word.substr(0, cut));
      word.erase(0, cut);
      if (word.empty()) return;
    }
    line_ = word;
  }

  std::vector<std::string> finish() {
    finish_line();
    return std::move(lines_);
  }

 private:
  /// Formulas are about as wide as what is typed for them, so that most lines need no typesetting.
  bool fits(const std::string& marked) const {
    return canvas_.text_size(marked, style_).width <= sure_to_fit * width_ ||
           width_of(canvas_, marked, style_) <= width_;
  }
  void finish_line() {
    if (!line_.empty()) lines_.push_back(std::exchange(line_, {}));
  }

  static constexpr double sure_to_fit = 0.5;
  const Canvas& canvas_;
  const TextStyle& style_;
  double width_;
  std::string line_;
  std::vector<std::string> lines_;
};

constexpr double least_on_one_line = 0.86;  ///< size of a label, before it takes two lines
constexpr double least_size = 0.75;         ///< of a label, before words are left out

/// The words of a label and what must stay of it.
EquationNode row_of(std::string_view words, const Label& label) {
  std::string marked(words);
  if (!words.empty() && !label.symbol.empty()) marked += "  ";
  marked += label.symbol;
  if (!label.unit.empty()) marked += (marked.empty() ? "(" : " (") + as_marked(label.unit) + ")";
  return read_text(marked);
}

/// A label as it is drawn: rows in a size.
struct SetLabel {
  std::vector<EquationNode> rows{};
  double scale{1.0};  ///< of the size that was asked for
};

/// The share of its size at which the widest row is as wide as `width`, at most 1.
double scale_within(const Canvas& canvas, const std::vector<EquationNode>& rows,
                    const TextStyle& style, double width) {
  double widest = 0.0;
  for (const EquationNode& row : rows) widest = std::max(widest, row_width(canvas, row, style));
  return widest > width ? width / widest : 1.0;
}

/// The words in two lines of about equal width, the second with the symbol and the unit.
std::vector<EquationNode> two_rows(const Canvas& canvas, const Label& label,
                                   const TextStyle& style) {
  const std::vector<std::string> words = words_of(label.words);
  std::vector<EquationNode> best;
  double narrowest = 0.0;
  for (std::size_t first = 1; first <= words.size(); ++first) {
    std::string above, below;
    for (std::size_t i = 0; i < words.size(); ++i) {
      std::string& line = i < first ? above : below;
      line += (line.empty() ? "" : " ") + words[i];
    }
    if (below.empty() && label.symbol.empty() && label.unit.empty()) break;
    std::vector<EquationNode> rows{read_text(above), row_of(below, label)};
    const double width =
        std::max(row_width(canvas, rows[0], style), row_width(canvas, rows[1], style));
    if (!best.empty() && width >= narrowest) continue;
    best = std::move(rows);
    narrowest = width;
  }
  return best;
}

/// Words are left out from the right, symbol and unit stay.
std::vector<EquationNode> shortened_row(const Canvas& canvas, const Label& label, TextStyle style,
                                        double width) {
  style.size *= least_size;
  const double rest = row_width(canvas, row_of("x", label), style) - width_of(canvas, "x", style);
  const std::string words = elided(canvas, label.words, style, std::max(0.0, width - rest));
  return {row_of(words, label)};
}

SetLabel set_label(const Canvas& canvas, const Label& label, const TextStyle& style, double width,
                   std::size_t most_lines) {
  SetLabel one{{row_of(label.words, label)}};
  one.scale = scale_within(canvas, one.rows, style, width);
  if (one.scale >= (most_lines > 1 ? least_on_one_line : least_size)) return one;
  if (most_lines > 1) {
    SetLabel two{two_rows(canvas, label, style)};
    two.scale = scale_within(canvas, two.rows, style, width);
    if (!two.rows.empty() && two.scale >= least_size) return two;
  }
  if (one.scale >= least_size) return one;
  return {shortened_row(canvas, label, style, width), least_size};
}

}  // namespace

std::string elided(const Canvas& canvas, std::string_view marked, const TextStyle& style,
                   double width) {
  return elided_to_fit(marked, piece_length, [&](const std::string& candidate) {
    return width_of(canvas, candidate, style) <= width;
  });
}

std::string elided_words(const Canvas& canvas, std::string_view words, const TextStyle& style,
                         double width) {
  return elided_to_fit(words, character_length, [&](const std::string& candidate) {
    return canvas.text_size(candidate, style).width <= width;
  });
}

std::string elided_middle(const Canvas& canvas, std::string_view marked, const TextStyle& style,
                          double width) {
  if (width_of(canvas, marked, style) <= width) return std::string(marked);
  const std::vector<std::size_t> starts = piece_starts(marked, piece_length);
  const std::size_t count = starts.size() - 1;
  for (std::size_t kept = count; kept-- > 2;) {
    const std::size_t front = kept - kept / 2, back = count - kept / 2;
    std::string shown(marked.substr(0, starts[front]));
    shown.append(ellipsis).append(marked.substr(starts[back]));
    if (width_of(canvas, shown, style) <= width) return shown;
  }
  return elided(canvas, marked, style, width);
}

std::vector<std::string> wrapped(const Canvas& canvas, std::string_view marked,
                                 const TextStyle& style, double width, std::size_t max_lines) {
  if (max_lines == 0 || !(width > 0.0)) return {};
  LineFiller filler(canvas, style, width);
  for (std::string& word : words_of(marked)) filler.add(std::move(word));
  std::vector<std::string> lines = filler.finish();
  if (lines.size() <= max_lines) return lines;
  const std::string rest = lines[max_lines - 1] + " " + lines[max_lines];
  lines.resize(max_lines);
  lines.back() = elided(canvas, rest, style, width);
  return lines;
}

std::string shown_name(const Series& series) {
  return series.label.empty() ? as_marked(series.name) : series.label;
}

Series named(Series series, const std::string& marked) {
  series.name = plain_text(marked);
  series.label = has_formula(marked) ? marked : "";
  return series;
}

double label_width(const Canvas& canvas, const Label& label, const TextStyle& style) {
  return row_width(canvas, row_of(label.words, label), style);
}

std::size_t label_lines(const Canvas& canvas, const Label& label, const TextStyle& style,
                        double width) {
  return label.empty() ? 0 : set_label(canvas, label, style, width, 2).rows.size();
}

void draw_label(Canvas& canvas, Point anchor, const Label& label, const TextStyle& style,
                double width, std::size_t most_lines) {
  if (label.empty()) return;
  const SetLabel set = set_label(canvas, label, style, width, most_lines);
  TextStyle own = style;
  own.size *= set.scale;
  if (scale_within(canvas, set.rows, own, width) < 0.999) return;
  const double line = canvas.text_size("x", own).height;
  const auto rows = static_cast<double>(set.rows.size());
  const double first = style.vertical == VerticalAlign::top      ? 0.0
                       : style.vertical == VerticalAlign::middle ? -(rows - 1) / 2
                                                                 : -(rows - 1);
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    const double down = (first + static_cast<double>(i)) * line;
    draw_row(canvas,
             style.upward ? Point{anchor.x + down, anchor.y} : Point{anchor.x, anchor.y + down},
             set.rows[i], own);
  }
}

}  // namespace orrery

#include "experiments/figure/plot/labels.h"

#include <algorithm>
#include <utility>

#include "experiments/text/utf8.h"

namespace orrery::figure {
namespace {

constexpr std::string_view ellipsis = "…";

double width_of(const Canvas& canvas, std::string_view text, const TextStyle& style) {
  return text.empty() ? 0.0 : canvas.text_size(text, style).width;
}

/// Byte offset of each character, followed by the length of the text.
std::vector<std::size_t> character_starts(std::string_view text) {
  std::vector<std::size_t> starts;
  for (std::size_t i = 0; i < text.size(); i += character_length(text, i)) starts.push_back(i);
  starts.push_back(text.size());
  return starts;
}

/// Length in bytes of the longest prefix that, followed by `tail`, is at most `width` wide.
std::size_t longest_prefix(const Canvas& canvas, std::string_view text, std::string_view tail,
                           const TextStyle& style, double width) {
  const std::vector<std::size_t> starts = character_starts(text);
  std::size_t low = 0, high = starts.size() - 1;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    const std::string candidate = std::string(text.substr(0, starts[middle])).append(tail);
    if (width_of(canvas, candidate, style) <= width) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return starts[low];
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t') {
      word += c;
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
    while (!fits(word)) {
      const std::size_t cut = longest_prefix(canvas_, word, "", style_, width_);
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
  bool fits(const std::string& text) const { return width_of(canvas_, text, style_) <= width_; }
  void finish_line() {
    if (!line_.empty()) lines_.push_back(std::exchange(line_, {}));
  }

  const Canvas& canvas_;
  const TextStyle& style_;
  double width_;
  std::string line_;
  std::vector<std::string> lines_;
};

constexpr double script_size = 0.72;  ///< size of scripts, relative to the line's
constexpr double script_rise = 0.34;  ///< shift of scripts from the line's middle, in line sizes

TextStyle run_style(TextStyle style, const LabelRun& run) {
  if (run.level != 0) style.size *= script_size;
  return style;
}

std::string_view group_at(std::string_view text, std::size_t& position) {
  if (position < text.size() && text[position] == '{') {
    const std::size_t end = std::min(text.find('}', position), text.size());
    const std::string_view group = text.substr(position + 1, end - position - 1);
    position = std::min(end + 1, text.size());
    return group;
  }
  const std::size_t length = position < text.size() ? character_length(text, position) : 0;
  const std::string_view group = text.substr(position, length);
  position += length;
  return group;
}

void append(Label& label, std::string_view text, int level) {
  if (text.empty()) return;
  if (label.empty() || label.back().level != level) label.push_back({{}, level});
  label.back().text.append(text);
}

void shorten(const Canvas& canvas, Label& label, const TextStyle& style, double width) {
  double rest = label_width(canvas, label, style);
  for (LabelRun& run : label) {
    if (rest <= width) break;
    const TextStyle own = run_style(style, run);
    rest -= width_of(canvas, run.text, own);
    run.text = elided(canvas, run.text, own, std::max(0.0, width - rest));
    rest += width_of(canvas, run.text, own);
  }
}

double shift(HorizontalAlign align, double width) {
  return align == HorizontalAlign::left ? 0.0
                                        : (align == HorizontalAlign::center ? -0.5 : -1.0) * width;
}

/// Offset of the line's middle from the anchor.
double middle_of(VerticalAlign align, double height) {
  return align == VerticalAlign::middle ? 0.0 : (align == VerticalAlign::top ? 0.5 : -0.5) * height;
}

}  // namespace

std::string elided(const Canvas& canvas, std::string_view text, const TextStyle& style,
                   double width) {
  if (width_of(canvas, text, style) <= width) return std::string(text);
  const std::size_t kept = longest_prefix(canvas, text, ellipsis, style, width);
  if (kept == 0) return {};
  std::string beginning(text.substr(0, kept));
  while (!beginning.empty() && beginning.back() == ' ') beginning.pop_back();
  return beginning.append(ellipsis);
}

std::string elided_middle(const Canvas& canvas, std::string_view text, const TextStyle& style,
                          double width) {
  if (width_of(canvas, text, style) <= width) return std::string(text);
  const std::vector<std::size_t> starts = character_starts(text);
  const std::size_t count = starts.size() - 1;
  for (std::size_t kept = count; kept-- > 2;) {
    const std::size_t front = kept - kept / 2, back = count - kept / 2;
    std::string shown(text.substr(0, starts[front]));
    shown.append(ellipsis).append(text.substr(starts[back]));
    if (width_of(canvas, shown, style) <= width) return shown;
  }
  return elided(canvas, text, style, width);
}

std::vector<std::string> wrapped(const Canvas& canvas, std::string_view text,
                                 const TextStyle& style, double width, std::size_t max_lines) {
  if (max_lines == 0 || !(width > 0.0)) return {};
  LineFiller filler(canvas, style, width);
  for (std::string& word : words_of(text)) filler.add(std::move(word));
  std::vector<std::string> lines = filler.finish();
  if (lines.size() <= max_lines) return lines;
  const std::string rest = lines[max_lines - 1] + " " + lines[max_lines];
  lines.resize(max_lines);
  lines.back() = elided(canvas, rest, style, width);
  return lines;
}

Label parse_symbol(std::string_view symbol) {
  Label label;
  for (std::size_t i = 0; i < symbol.size();) {
    if (symbol[i] == '_' || symbol[i] == '^') {
      const int level = symbol[i] == '^' ? 1 : -1;
      append(label, group_at(symbol, ++i), level);
    } else {
      const std::size_t length = character_length(symbol, i);
      append(label, symbol.substr(i, length), 0);
      i += length;
    }
  }
  return label;
}

Label compose_label(std::string_view words, std::string_view symbol, std::string_view unit) {
  Label label;
  append(label, words, 0);
  if (!words.empty() && !symbol.empty()) append(label, "  ", 0);
  for (const LabelRun& run : parse_symbol(symbol)) label.push_back(run);
  if (!unit.empty()) {
    append(label, label.empty() ? "(" : " (", 0);
    append(label, unit, 0);
    append(label, ")", 0);
  }
  return label;
}

double label_width(const Canvas& canvas, const Label& label, const TextStyle& style) {
  double width = 0.0;
  for (const LabelRun& run : label) width += width_of(canvas, run.text, run_style(style, run));
  return width;
}

void draw_label(Canvas& canvas, Point anchor, Label label, const TextStyle& style, double width) {
  shorten(canvas, label, style, width);
  if (label_width(canvas, label, style) > width) return;
  const double height = canvas.text_size("x", style).height;
  double along = shift(style.horizontal, label_width(canvas, label, style));
  const double across = middle_of(style.vertical, height);
  for (const LabelRun& run : label) {
    TextStyle own = run_style(style, run);
    own.horizontal = HorizontalAlign::left;
    own.vertical = VerticalAlign::middle;
    const double down = across - script_rise * style.size * run.level;
    const Point at = style.upward ? Point{anchor.x + down, anchor.y - along}
                                  : Point{anchor.x + along, anchor.y + down};
    if (!run.text.empty()) canvas.text(at, run.text, own);
    along += width_of(canvas, run.text, own);
  }
}

}  // namespace orrery::figure

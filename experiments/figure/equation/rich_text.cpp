#include "experiments/figure/equation/rich_text.h"

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/errors.h"
#include "experiments/figure/equation/layout.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

constexpr std::size_t most_kept = 512;

EquationNode words_node(std::string_view words, bool bold) {
  EquationNode node{.kind = EquationNode::Kind::symbol};
  node.text = words;
  node.bold = bold;
  node.letters = EquationNode::Letters::words;
  return node;
}

EquationNode node_of(const MarkedPart& part, bool bold) {
  if (!part.is_formula) return words_node(part.text, bold);
  try {
    return parse_equation(part.text);
  } catch (const UsageError&) {
    return words_node("$" + part.text + "$", bold);
  }
}

}  // namespace

EquationNode read_text(std::string_view marked, bool bold) {
  EquationNode row;
  for (const MarkedPart& part : marked_parts(marked)) row.children.push_back(node_of(part, bold));
  return row;
}

const EquationNode& known_text(std::string_view marked, bool bold) {
  thread_local std::map<std::string, EquationNode, std::less<>> rows;
  std::string key(marked);
  key += bold ? 'b' : 'r';
  const auto known = rows.find(key);
  if (known != rows.end()) return known->second;
  if (rows.size() >= most_kept) rows.clear();
  return rows.emplace(std::move(key), read_text(marked, bold)).first->second;
}

bool has_formula(std::string_view marked) {
  if (marked.find('$') == std::string_view::npos) return false;
  for (const MarkedPart& part : marked_parts(marked))
    if (part.is_formula) return true;
  return false;
}

namespace {

constexpr double line_ascent = 1901.0 / 2384;  ///< DejaVu Sans: top of a line to its baseline

bool is_plain(const EquationNode& row) {
  return row.children.empty() ||
         (row.children.size() == 1 && row.children[0].letters == EquationNode::Letters::words);
}

std::string_view words_of(const EquationNode& row) {
  return row.children.empty() ? std::string_view() : std::string_view(row.children[0].text);
}

}  // namespace

double row_width(const Canvas& canvas, const EquationNode& row, const TextStyle& style) {
  if (is_plain(row)) return canvas.text_size(words_of(row), style).width;
  return lay_out_in_line(row, canvas, style.size).width;
}

void draw_row(Canvas& canvas, Point anchor, const EquationNode& row, const TextStyle& style) {
  if (is_plain(row)) {
    if (!words_of(row).empty()) canvas.text(anchor, words_of(row), style);
    return;
  }
  const EquationBox box = lay_out_in_line(row, canvas, style.size);
  const double line = canvas.text_size("x", style).height;
  const auto [x, y] = baseline_start(style, box.width, line_ascent * line, line);
  const Point origin =
      style.upward ? Point{anchor.x + y, anchor.y - x} : Point{anchor.x + x, anchor.y + y};
  draw_equation(canvas, box, origin, style.color, {}, style.upward);
}

Size rich_size(const Canvas& canvas, std::string_view marked, const TextStyle& style) {
  const EquationNode& row = known_text(marked, style.bold);
  if (is_plain(row)) return canvas.text_size(words_of(row), style);
  return {row_width(canvas, row, style), canvas.text_size("x", style).height};
}

void draw_rich(Canvas& canvas, Point anchor, std::string_view marked, const TextStyle& style) {
  draw_row(canvas, anchor, known_text(marked, style.bold), style);
}

}  // namespace orrery

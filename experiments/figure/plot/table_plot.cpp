#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/axes.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

/// Whether a cell is right-aligned: it starts with a digit, with a sign or point before one, or is
/// a mark for a missing or infinite number.
bool is_number(std::string_view cell) {
  for (const std::string_view missing : {"—", "–", "NaN", "nan", "inf", "∞", "−∞", "-inf"}) {
    if (cell == missing) return true;
  }
  for (const std::string_view sign : {"−", "-", "+", "±", "."}) {
    if (cell.starts_with(sign)) cell.remove_prefix(sign.size());
  }
  return !cell.empty() && cell.front() >= '0' && cell.front() <= '9';
}

class TableLayout {
 public:
  TableLayout(PlotContext& context, const TableFigure& table, const Rect& room)
      : context_(context), table_(table), room_(room), text_(label_style(context.style)) {
    columns_ = table.header.size();
    for (const auto& row : table.rows) columns_ = std::max(columns_, row.size());
    const double size = text_.size;
    set_size(size * fitting_factor());
    if (total(natural_widths(text_)) <= room.width * (1 + 1e-9)) return;
    // Cells of several lines rather than cut ones, at the largest size at which all have room.
    for (const double factor : {context.style.whole_title ? smallest : 1.0, 0.85, smallest}) {
      set_size(size * factor);
      if (wrap_rows(any_lines)) return;
    }
    wrap_rows(2);
  }

  void draw() {
    if (columns_ == 0) return;
    const double width = total(widths_);
    double y = room_.y;
    if (!table_.header.empty()) {
      draw_row(table_.header, y, true, 1);
      y += row_height_;
      draw_segment(context_.canvas, {room_.x, y}, {room_.x + width, y},
                   {context_.style.axis, hairline(context_.style)});
    }
    const std::size_t shown = rows_that_fit(y);
    for (std::size_t i = 0; i < shown; ++i) {
      const std::size_t lines = lines_.empty() ? 1 : lines_[i];
      const double height = height_of(lines);
      if (i % 2 == 1) context_.canvas.rect({room_.x, y, width, height}, zebra());
      draw_row(table_.rows[i], y, false, lines);
      y += height;
    }
    if (shown < table_.rows.size()) draw_more(table_.rows.size() - shown, y);
    context_.content_bottom = shown < table_.rows.size() ? room_.bottom() : y;
  }

 private:
  static constexpr double smallest = 0.7;  ///< of the size of the text: what is readable

  void set_size(double size) {
    text_.size = size;
    pad_ = 0.6 * size;
    row_height_ = 1.55 * size;
    widths_ = fitting_widths();
  }
  double height_of(std::size_t lines) const {
    return row_height_ + static_cast<double>(lines - 1) * line_height(context_.canvas, text_);
  }
  /// Counts the lines that each row takes, so many at most; false where the room does not hold them
  /// all.
  bool wrap_rows(std::size_t limit) {
    lines_.clear();
    double high = row_height_;
    for (const auto& row : table_.rows) {
      std::size_t most = 1;
      for (std::size_t i = 0; i < row.size() && high <= room_.height; ++i)
        most = std::max(most, cell_lines(row[i], i, limit).size());
      lines_.push_back(most);
      high += height_of(most);
      if (high <= room_.height) continue;
      lines_.clear();
      return false;
    }
    return true;
  }
  static constexpr std::size_t any_lines = 100;
  std::vector<std::string> cell_lines(const std::string& cell, std::size_t column,
                                      std::size_t most) const {
    return wrapped(context_.canvas, as_marked(cell), text_, widths_[column] - 1.9 * pad_, most);
  }
  Color zebra() const { return mix(context_.style.background, context_.style.grid, 0.55); }
  static double total(const std::vector<double>& widths) {
    double sum = 0.0;
    for (const double w : widths) sum += w;
    return sum;
  }

  /// Cells hold words, the user's tokens among them.
  static std::string marked(const std::string& cell, bool header) {
    return header ? cell : as_marked(cell);
  }

  std::vector<double> natural_widths(const TextStyle& text) const {
    std::vector<double> widths(columns_);
    const auto include = [&](const std::vector<std::string>& row, bool bold) {
      TextStyle own = text;
      own.bold = bold;
      for (std::size_t i = 0; i < row.size(); ++i) {
        const double width =
            row[i].empty() ? 0.0 : rich_size(context_.canvas, marked(row[i], bold), own).width;
        widths[i] = std::max(widths[i], width + 1.2 * text.size);
      }
    };
    include(table_.header, true);
    for (const auto& row : table_.rows) include(row, false);
    return widths;
  }

  /// Of the size of the text, at which the table fits on lines of one row each: no smaller than is
  /// readable, and larger only as far as the style wants.
  double fitting_factor() const {
    const double wide = total(natural_widths(text_));
    const double high = 1.55 * text_.size * static_cast<double>(table_.rows.size() + 1);
    const double fitting = std::min(wide > 0.0 ? room_.width / wide : 1.0, room_.height / high);
    const double factor = std::min(context_.style.largest_table, fitting);
    return std::max(smallest, factor);
  }

  /// Widens the columns to fill the room, by at most half.
  std::vector<double> spread(std::vector<double> widths) const {
    constexpr double most = 1.5;
    const double factor = total(widths) > 0.0 ? room_.width / total(widths) : 1.0;
    for (double& w : widths) w *= std::min(factor, most);
    return widths;
  }

  /// Column widths that fit the room; the widest columns shrink first.
  std::vector<double> fitting_widths() const {
    std::vector<double> widths = natural_widths(text_);
    double low = 0.0, high = room_.width;
    if (total(widths) <= room_.width) return spread(widths);
    for (int step = 0; step < 40; ++step) {
      const double cap = 0.5 * (low + high);
      double sum = 0.0;
      for (const double w : widths) sum += std::min(w, cap);
      (sum <= room_.width ? low : high) = cap;
    }
    for (double& w : widths) w = std::min(w, low);
    return widths;
  }

  std::size_t rows_that_fit(double y) const {
    const double room = std::max(0.0, std::floor((room_.bottom() - y) / row_height_ + 1e-9));
    const auto rows = static_cast<double>(table_.rows.size());
    if (rows <= room || !lines_.empty()) return table_.rows.size();
    return static_cast<std::size_t>(std::max(0.0, room - 1.0));
  }

  bool flush_right(std::size_t column) const {
    bool any = false;
    for (const auto& row : table_.rows) {
      if (column >= row.size() || row[column].empty()) continue;
      if (!is_number(row[column])) return false;
      any = true;
    }
    return any;
  }

  void draw_row(const std::vector<std::string>& row, double y, bool header, std::size_t most) {
    if (y + row_height_ > room_.bottom() + 1e-6) return;
    TextStyle text = text_;
    text.bold = header;
    text.vertical = VerticalAlign::middle;
    double x = room_.x;
    for (std::size_t i = 0; i < row.size(); x += widths_[i], ++i) {
      const bool right = flush_right(i);
      text.horizontal = right ? HorizontalAlign::right : HorizontalAlign::left;
      const Point at{right ? x + widths_[i] - pad_ : x + pad_, y + 0.5 * row_height_};
      std::vector<std::string> lines{
          elided(context_.canvas, marked(row[i], header), text, widths_[i] - 1.9 * pad_)};
      if (most > 1) lines = cell_lines(row[i], i, most);
      for (std::size_t l = 0; l < lines.size(); ++l)
        draw_rich(context_.canvas, {at.x, at.y + height_of(l + 1) - row_height_}, lines[l], text);
    }
  }

  void draw_more(std::size_t count, double y) {
    if (y + row_height_ > room_.bottom() + 1e-6) return;
    TextStyle text = text_;
    text.color = context_.style.muted;
    text.vertical = VerticalAlign::middle;
    const std::string note = elided(context_.canvas, "… " + std::to_string(count) + " more rows",
                                    text, room_.width - 2.0 * pad_);
    if (!note.empty()) context_.canvas.text({room_.x + pad_, y + 0.5 * row_height_}, note, text);
  }

  PlotContext& context_;
  const TableFigure& table_;
  Rect room_;
  TextStyle text_;
  std::size_t columns_{};
  double pad_{};
  double row_height_{};
  std::vector<double> widths_;
  std::vector<std::size_t> lines_;  ///< of each row; none where each has one
};

}  // namespace

void draw_content(PlotContext& context, const TableFigure& table, const Rect& room) {
  TableLayout(context, table, room).draw();
}

}  // namespace orrery

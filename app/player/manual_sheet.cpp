#include "app/player/sheets.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/gui/imgui_canvas.h"
#include "app/gui/imgui_shim.h"
#include "app/player/lesson_text.h"

namespace orrery {
namespace {

constexpr double manual_width = 1040, manual_height = 690, list_width = 150;
constexpr double page_width = 780;  ///< longer lines are hard to read
constexpr double column_gap = 18, code_indent = 12, line_gap = 1.15;
constexpr double code_column = 0.62;  ///< of a letter, in em: wider than most
constexpr double spare_share = 1.05;  ///< words are measured one by one when they are laid out
constexpr double page_share = 0.85;   ///< of the height that Page down scrolls

/// Code among words, which a paragraph does not set apart.
Spans with_bold_code(Spans spans) {
  for (Span& span : spans)
    if (span.kind == Span::Kind::code) span.kind = Span::Kind::emphasis;
  return spans;
}

/// Draws the blocks of a page at the cursor of the current window.
class PageWriter {
 public:
  PageWriter(double width, const Ui& ui) : width_(width), ui_(ui) {}

  void operator()(const Heading& heading) {
    ImGui::Dummy(ImVec2(0, ui_.px(4)));
    draw_heading(ui_, plain_prose(heading.text));
  }
  void operator()(const Paragraph& paragraph) {
    add_words({.spans = with_bold_code(paragraph.text)}, width_);
  }
  void operator()(const BulletList& list) {
    for (const Spans& item : list.items)
      add_words({.is_item = true, .spans = with_bold_code(item)}, width_);
  }
  void operator()(const CodeBlock& code) { add_code(lines_of(code)); }
  void operator()(const Grid& grid) { add_table(rows_of(grid)); }
  /// A picture would show what is behind the sheet, and no page of the manual has others.
  template <class Other>
  void operator()(const Other&) {}

  /// Target of the link that was clicked; empty without one.
  const std::string& clicked() const { return clicked_; }

 private:
  using Rows = std::vector<std::vector<Spans>>;

  void add_words(const Prose& prose, double width) {
    SymbolLink link;
    LessonText text({}, {}, link, width, ui_);
    text.draw(prose);
    if (!text.clicked().empty()) clicked_ = text.clicked();
  }

  /// Words that two or more spaces part begin at their column, as on a terminal.
  void add_code(const std::vector<std::string>& lines) {
    ImGuiCanvas canvas(*ImGui::GetWindowDrawList(), ui_.fonts, ui_.textures);
    const TextStyle style{.size = current_em(), .color = ui_.style.text};
    const double high = line_gap * ImGui::GetTextLineHeight();
    const double indent = code_indent * ui_.scale;
    const Point corner = shim::point(ImGui::GetCursorScreenPos());
    const double height = high * static_cast<double>(lines.size()) + indent;
    canvas.rect({corner.x, corner.y, width_, height}, ui_.style.grid);
    for (std::size_t i = 0; i < lines.size(); ++i)
      draw_columns(canvas, lines[i],
                   {corner.x + indent, corner.y + indent / 2 + high * static_cast<double>(i)},
                   style);
    ImGui::Dummy(shim::vec({width_, height + indent / 2}));
  }

  static void draw_columns(ImGuiCanvas& canvas, const std::string& line, Point at,
                           const TextStyle& style) {
    double column = 0;
    for (std::size_t begin = 0; begin < line.size();) {
      const std::size_t end = std::min(line.find("  ", begin), line.size());
      const std::string part = line.substr(begin, end - begin);
      canvas.text({at.x + column * code_column * style.size, at.y}, part, style);
      const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
      column += static_cast<double>(characters_of(part) + (next - end));
      begin = next;
    }
  }

  static std::size_t characters_of(const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  }

  /// The first row is its head.
  static Rows rows_of(const Grid& grid) {
    Rows rows{grid.header};
    for (const auto& row : grid.rows) {
      rows.emplace_back();
      for (const GridCell& cell : row) rows.back().push_back(cell.text);
    }
    return rows;
  }

  void add_table(const Rows& rows) {
    const std::vector<double> widths = column_widths(rows);
    for (const auto& row : rows) {
      const ImVec2 corner = ImGui::GetCursorScreenPos();
      float x = corner.x, bottom = corner.y;
      for (std::size_t i = 0; i < row.size(); ++i) {
        ImGui::SetCursorScreenPos(ImVec2(x, corner.y));
        add_words({.spans = row[i]}, widths[i]);
        bottom = std::max(bottom, ImGui::GetCursorScreenPos().y);
        x += static_cast<float>(widths[i]) + ui_.px(column_gap);
      }
      ImGui::SetCursorScreenPos(ImVec2(corner.x, bottom - ImGui::GetStyle().ItemSpacing.y));
      if (&row == &rows.front()) ImGui::Separator();
    }
    ImGui::Dummy(ImVec2(0, ui_.px(6)));
  }

  /// What the words need; the widest column gives way where that is too much.
  std::vector<double> column_widths(const Rows& rows) const {
    std::vector<double> widths(rows.front().size());
    for (const auto& row : rows)
      for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i)
        widths[i] = std::max(widths[i], spare_share * rich_width(ui_, plain_prose(row[i])));
    double all = column_gap * ui_.scale * static_cast<double>(widths.size() - 1);
    for (const double one : widths) all += one;
    *std::max_element(widths.begin(), widths.end()) -= std::max(0.0, all - width_);
    return widths;
  }

  double width_;
  const Ui& ui_;
  std::string clicked_{};
};

}  // namespace

void ManualSheet::open_at(std::string_view topic) {
  if (!topic.empty()) show(std::string(topic));
  open();
}

void ManualSheet::show(const std::string& topic) {
  if (find_topic(topic) == nullptr) return;
  shown_ = topic;
  at_top_ = true;
}

void ManualSheet::draw(const Ui& ui) {
  if (!is_open() || !begin("Manual", manual_width, manual_height, ui)) return;
  draw_topics(ui);
  ImGui::SameLine();
  if (const Topic* topic = find_topic(shown_)) draw_page(*topic, ui);
  end();
}

void ManualSheet::draw_topics(const Ui& ui) {
  ImGui::BeginChild("##topics", ImVec2(ui.px(list_width), 0), false, ImGuiWindowFlags_NoNav);
  const std::vector<Topic>& all = topics();
  std::size_t chosen = all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_shown = all[i].name == shown_;
    if (ImGui::Selectable(all[i].name.c_str(), is_shown)) chosen = i;
    mark_item(ui, "topic " + all[i].name);
    if (is_shown && shim::key_pressed(GLFW_KEY_DOWN, true) && i + 1 < all.size()) chosen = i + 1;
    if (is_shown && shim::key_pressed(GLFW_KEY_UP, true) && i > 0) chosen = i - 1;
  }
  if (chosen < all.size()) show(all[chosen].name);
  ImGui::EndChild();
}

void ManualSheet::draw_page(const Topic& topic, const Ui& ui) {
  ImGui::BeginChild("##page", ImVec2(0, 0), false, ImGuiWindowFlags_NoNav);
  if (std::exchange(at_top_, false)) ImGui::SetScrollY(0);
  const float page = static_cast<float>(page_share) * ImGui::GetWindowHeight();
  if (shim::key_pressed(GLFW_KEY_PAGE_DOWN, true)) ImGui::SetScrollY(ImGui::GetScrollY() + page);
  if (shim::key_pressed(GLFW_KEY_PAGE_UP, true)) ImGui::SetScrollY(ImGui::GetScrollY() - page);
  ImGui::PushFont(ui.fonts.title());
  text_colored(accent_text_color(ui.style), topic.title);
  mark_item(ui, "page " + topic.name);
  ImGui::PopFont();
  PageWriter writer(
      std::min(page_width * ui.scale, static_cast<double>(ImGui::GetContentRegionAvail().x)), ui);
  for (const Block& block : topic.blocks) std::visit([&](const auto& one) { writer(one); }, block);
  const std::string& link = writer.clicked();
  if (link.ends_with(".md")) show(link.substr(0, link.size() - 3));
  ImGui::EndChild();
}

}  // namespace orrery

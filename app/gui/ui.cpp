#include "app/gui/ui.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "app/gui/imgui_canvas.h"
#include "app/gui/imgui_shim.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/text/bidi.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr std::size_t no_limit = 1000;

Color unpacked(ImU32 c) {
  const auto part = [c](int shift) { return static_cast<std::uint8_t>((c >> shift) & 0xFFU); };
  return {part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT), part(IM_COL32_B_SHIFT),
          part(IM_COL32_A_SHIFT)};
}

/// Words beside a formula look as words alone do.
TextStyle current_style(const Ui& ui) {
  const ImFont* const current = ImGui::GetFont();
  const std::vector<Fonts::Sized>& bold = ui.fonts.bold();
  return {.size = current_em(),
          .color = unpacked(ImGui::GetColorU32(ImGuiCol_Text)),
          .bold = std::any_of(bold.begin(), bold.end(),
                              [&](const Fonts::Sized& one) { return one.font == current; })};
}

ImGuiCanvas canvas_of(const Ui& ui) { return {*ImGui::GetWindowDrawList(), ui.fonts, ui.textures}; }

constexpr double tallest_beside = 100;  ///< of an item that its tip leaves uncovered

void show_tip(const Ui& ui, std::string_view marked, const std::optional<Rect>& beside) {
  shim::begin_tooltip(beside, with_padding(tip_width * ui.scale));
  draw_rich_text(ui, marked, tip_width * ui.scale);
  shim::end_tooltip();
}

std::vector<std::string_view> paragraphs(std::string_view text) {
  std::vector<std::string_view> found;
  for (;;) {
    const std::size_t end = text.find('\n');
    found.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return found;
    text.remove_prefix(end + 1);
  }
}

/// The text in lines of at most `width` pixels; where that is 0, as it is.
std::vector<std::string> rich_lines(const Ui& ui, std::string_view marked, double width) {
  const ImGuiCanvas canvas = canvas_of(ui);
  std::vector<std::string> lines;
  for (const std::string_view paragraph : paragraphs(marked)) {
    if (width <= 0 || paragraph.empty()) {
      lines.emplace_back(paragraph);
      continue;
    }
    for (std::string& line : wrapped(canvas, paragraph, current_style(ui), width, no_limit))
      lines.push_back(std::move(line));
  }
  return lines;
}

// The sheet keeps this much from the edges of the window, and hangs at this part of its height.
constexpr double edge_gap = 16;
constexpr float top_share = 0.12f;

}  // namespace

void ItemRects::clear() {
  areas_.clear();
  figures_.clear();
}

std::optional<Rect> ItemRects::find(const std::string& name) const {
  const auto found = areas_.find(name);
  return found == areas_.end() ? std::nullopt : std::optional(found->second);
}

const FigureLayout* ItemRects::figure(const std::string& id) const {
  const auto found = figures_.find(id);
  return found == figures_.end() ? nullptr : &found->second;
}

std::vector<std::string> ItemRects::names() const {
  std::vector<std::string> names;
  for (const auto& [name, area] : areas_) names.push_back(name);
  for (const auto& [id, frame] : figures_) names.push_back("figure " + id);
  return names;
}

void draw_text(std::string_view utf8) {
  const std::string shown = in_visual_order(utf8);
  ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
}

void text_colored(Color color, std::string_view utf8) {
  ImGui::PushStyleColor(ImGuiCol_Text, shim::floats(color));
  draw_text(utf8);
  ImGui::PopStyleColor();
}

void text_muted(std::string_view utf8) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  draw_text(utf8);
  ImGui::PopStyleColor();
}

void draw_heading(const Ui& ui, std::string_view utf8) {
  ImGui::PushFont(ui.fonts.title());
  draw_text(utf8);
  ImGui::PopFont();
}

double current_em() { return static_cast<double>(ImGui::GetFontSize()) / Fonts::line_height(1.0); }

double text_width(std::string_view words) {
  return static_cast<double>(ImGui::CalcTextSize(words.data(), words.data() + words.size()).x);
}

double rich_height(const Ui& ui, std::string_view marked, double width) {
  if (!has_formula(marked)) {
    const std::string words = plain_text(marked);
    return static_cast<double>(ImGui::CalcTextSize(words.data(), words.data() + words.size(), false,
                                                   width > 0 ? static_cast<float>(width) : -1.0f)
                                   .y);
  }
  return static_cast<double>(rich_lines(ui, marked, width).size()) *
         static_cast<double>(ImGui::GetTextLineHeight());
}

double rich_width(const Ui& ui, std::string_view marked) {
  if (has_formula(marked)) return rich_size(canvas_of(ui), marked, current_style(ui)).width;
  return text_width(plain_text(marked));
}

void draw_rich_text(const Ui& ui, std::string_view marked, double width) {
  if (!has_formula(marked)) {
    if (width > 0) ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + static_cast<float>(width));
    draw_text(plain_text(marked));
    if (width > 0) ImGui::PopTextWrapPos();
    return;
  }
  ImGuiCanvas canvas = canvas_of(ui);
  const TextStyle style = current_style(ui);
  const Point at = shim::point(ImGui::GetCursorScreenPos());
  const double line = static_cast<double>(ImGui::GetTextLineHeight());
  const std::vector<std::string> lines = rich_lines(ui, marked, width);
  double widest = 0;
  for (const std::string& one : lines)
    widest = std::max(widest, rich_size(canvas, one, style).width);
  ImGui::Dummy(shim::vec({std::ceil(widest), line * static_cast<double>(lines.size())}));
  double y = at.y;
  for (const std::string& one : lines) {
    if (!one.empty()) draw_rich(canvas, {at.x, y}, one, style);
    y += line;
  }
}

void rich_muted(const Ui& ui, std::string_view marked, double width) {
  ImGui::PushStyleColor(ImGuiCol_Text, ImGui::GetStyleColorVec4(ImGuiCol_TextDisabled));
  draw_rich_text(ui, marked, width);
  ImGui::PopStyleColor();
}

Rect item_rect() {
  const Point from = shim::point(ImGui::GetItemRectMin()),
              to = shim::point(ImGui::GetItemRectMax());
  return {from.x, from.y, to.x - from.x, to.y - from.y};
}

double with_padding(double content) {
  return content + 2 * static_cast<double>(ImGui::GetStyle().WindowPadding.x);
}

void mark_item(const Ui& ui, std::string name) {
  if (ui.item_rects) ui.item_rects->mark(std::move(name), item_rect());
}

float key_cap(const Ui& ui, std::string_view keys, float right) {
  ImGui::PushFont(ui.fonts.small());
  const ImVec2 size = ImGui::CalcTextSize(keys.data(), keys.data() + keys.size());
  const float inside = ui.px(6), height = size.y + ui.px(4);
  const float left = right - size.x - 2 * inside;
  const float top = ImGui::GetCursorScreenPos().y + (ImGui::GetTextLineHeight() - size.y) / 2;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 from(left, top - ui.px(2)), to(right, top - ui.px(2) + height);
  list.AddRectFilled(from, to, ImGui::GetColorU32(ImGuiCol_FrameBg), ui.px(4));
  shim::add_frame(list, from, to, ImGui::GetColorU32(ImGuiCol_Border), ui.px(4), 1.0f);
  list.AddText(ImVec2(left + inside, top), ImGui::GetColorU32(ImGuiCol_TextDisabled), keys.data(),
               keys.data() + keys.size());
  ImGui::PopFont();
  return left;
}

std::string shortened(const std::string& words, float room) {
  std::string kept;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t next = at + character_length(words, at);
    const std::string longer = words.substr(0, next) + "…";
    if (ImGui::CalcTextSize(longer.c_str()).x > room) break;
    kept = longer;
    at = next;
  }
  return kept;
}

void tooltip(const Ui& ui, std::string_view marked) {
  // A hand that drags sees what it moves.
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) || ImGui::IsAnyMouseDown()) return;
  const Rect item = item_rect();
  const bool small = item.height <= tallest_beside * ui.scale;
  show_tip(ui, marked, small ? std::optional(item) : std::nullopt);
}

void show_tooltip(const Ui& ui, std::string_view marked) { show_tip(ui, marked, std::nullopt); }

ImGuiContextGuard::ImGuiContextGuard() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
}

ImGuiContextGuard::~ImGuiContextGuard() { ImGui::DestroyContext(); }

ImVec2 area_size(const Rect& area) {
  return {static_cast<float>(std::max(1.0, area.width)),
          static_cast<float>(std::max(1.0, area.height))};
}

void begin_area(const char* id, const Rect& area, Color background, ImGuiWindowFlags flags) {
  ImGui::SetCursorScreenPos(shim::vec({area.x, area.y}));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, shim::floats(background));
  shim::begin_panel(id, area_size(area), ImGuiWindowFlags_NoSavedSettings | flags);
  ImGui::PopStyleColor();
}

void begin_column(const char* id, const Rect& area, Color background, ImGuiWindowFlags flags) {
  ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, 0.0f);
  begin_area(id, area, background, flags);
  ImGui::PopStyleVar();
}

Rect inset(const Rect& area, double margin) {
  return {area.x + margin, area.y + margin, std::max(0.0, area.width - 2 * margin),
          std::max(0.0, area.height - 2 * margin)};
}

void draw_centered(const char* text, const Rect& area) {
  const ImVec2 size = ImGui::CalcTextSize(text);
  ImGui::SetCursorScreenPos(
      shim::vec({area.x + std::max(0.0, (area.width - static_cast<double>(size.x)) / 2),
                 area.y + area.height / 2}));
  text_muted(text);
}

bool Overlay::begin(const char* id, double width, double height, const Ui& ui) {
  just_opened_ = wanted_;
  if (wanted_) ImGui::OpenPopup(id);
  wanted_ = false;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const float wide = std::max(1.0f, std::min(ui.px(width), screen.x - 2 * ui.px(edge_gap)));
  const float room = std::max(1.0f, screen.y - 2 * ui.px(edge_gap));
  const float high = height > 0 ? std::min(ui.px(height), room) : 0.0f;
  const float taken = std::max(high, just_opened_ ? 0.0f : height_);
  ImGui::SetNextWindowPos(
      ImVec2((screen.x - wide) / 2,
             std::clamp(top_share * screen.y, 0.0f, std::max(0.0f, screen.y - taken) / 2)));
  ImGui::SetNextWindowSizeConstraints(ImVec2(wide, high > 0 ? high : 1.0f),
                                      ImVec2(wide, high > 0 ? high : room));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ui.px(8));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, std::max(1.0f, std::floor(ui.px(1))));
  open_ = ImGui::BeginPopupModal(id, nullptr,
                                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoMove |
                                     ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoSavedSettings |
                                     ImGuiWindowFlags_AlwaysAutoResize);
  ImGui::PopStyleVar(2);
  if (!open_) return false;
  const bool over_something = ImGui::IsWindowHovered(
      ImGuiHoveredFlags_AnyWindow | ImGuiHoveredFlags_AllowWhenBlockedByPopup |
      ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  const bool beside =
      !just_opened_ && !over_something && ImGui::IsMouseClicked(ImGuiMouseButton_Left);
  if (beside || shim::key_pressed(GLFW_KEY_ESCAPE, false)) closing_ = true;
  return true;
}

void Overlay::end() {
  height_ = ImGui::GetWindowHeight();
  if (closing_) {
    ImGui::CloseCurrentPopup();
    open_ = false;
  }
  closing_ = false;
  ImGui::EndPopup();
}

}  // namespace orrery

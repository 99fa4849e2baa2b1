#pragma once

#include <imgui.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/gui/fonts.h"
#include "app/gui/textures.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/figure_layout.h"

namespace orrery {

/// The rectangles of widgets and figures in the last frame, by name, so that scripts can point at
/// them.
class ItemRects {
 public:
  void clear();
  /// "param dim", "view rotation", "tab Decay bound"; the first of several items with the same name
  /// counts.
  void mark(std::string name, const Rect& area) { areas_.try_emplace(std::move(name), area); }
  void mark_figure(const std::string& id, const FigureLayout& frame) { figures_[id] = frame; }

  std::optional<Rect> find(const std::string& name) const;
  /// Null when no such figure was drawn.
  const FigureLayout* figure(const std::string& id) const;
  /// All names, figures as "figure ID".
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Rect> areas_{};
  std::map<std::string, FigureLayout> figures_{};
};

/// Fonts, textures and style for everything that draws.
struct Ui {
  const Fonts& fonts;
  TextureCache& textures;
  FigureStyle style{};
  double scale{1.0};
  ItemRects* item_rects{};  ///< records where items lie; may be null

  /// A length of the design in pixels of the screen.
  float px(double length) const { return static_cast<float>(length * scale); }
};

// Small building blocks of the interface.

void draw_text(std::string_view utf8);
void text_colored(Color color, std::string_view utf8);
void text_muted(std::string_view utf8);
/// Text in the largest font of the interface.
void draw_heading(const Ui& ui, std::string_view utf8);
/// The size of letters in the current font, in the unit of a canvas.
double current_em();
/// Width of the words on one line of the current font, in pixels.
double text_width(std::string_view words);
// Marked text of the interface, its words in the current font.

/// Height of the text, wrapped at `width` pixels unless that is 0.
double rich_height(const Ui& ui, std::string_view marked, double width);
/// Width of the text on one line.
double rich_width(const Ui& ui, std::string_view marked);

/// An item of the text, wrapped at `width` pixels unless that is 0, in the current colour.
void draw_rich_text(const Ui& ui, std::string_view marked, double width = 0);
void rich_muted(const Ui& ui, std::string_view marked, double width = 0);

/// Where the previous item lies.
Rect item_rect();
/// Records it under a name.
void mark_item(const Ui& ui, std::string name);
/// Draws a key cap, "Ctrl+K", that ends at screen coordinate `right` in the current line. Returns
/// where it begins.
float key_cap(const Ui& ui, std::string_view keys, float right);
/// As much of the text as fits into `room` pixels, followed by "…".
std::string shortened(const std::string& words, float room);
/// Widest text of a tip, at scale 1.
inline constexpr double tip_width = 340;
/// Width of a window for content of this width.
double with_padding(double content);
/// Shows marked text beside the mouse.
void show_tooltip(const Ui& ui, std::string_view marked);
/// Explains the previous item while the mouse rests on it.
void tooltip(const Ui& ui, std::string_view marked);

/// Creates Dear ImGui's context, current in this thread, and destroys it with itself. No settings
/// file is written.
class ImGuiContextGuard {
 public:
  ImGuiContextGuard();
  ~ImGuiContextGuard();
  ImGuiContextGuard(const ImGuiContextGuard&) = delete;
  ImGuiContextGuard& operator=(const ImGuiContextGuard&) = delete;
};

/// The space between the edge of an area and its content, at scale 1.
inline constexpr double area_margin = 14;
/// The same around the figures, which need the room more.
inline constexpr double page_margin = 6;

/// The size of an area for Dear ImGui, which takes no side below one pixel.
ImVec2 area_size(const Rect& area);

/// Begins a child window over `area` with a background of its own. End it with ImGui::EndChild().
void begin_area(const char* id, const Rect& area, Color background, ImGuiWindowFlags flags = 0);

/// begin_area with square corners, for areas that reach the edge of the window.
void begin_column(const char* id, const Rect& area, Color background, ImGuiWindowFlags flags = 0);

/// `area` without a margin on all four sides.
Rect inset(const Rect& area, double margin);

/// A line of muted text in the middle of `area`.
void draw_centered(const char* text, const Rect& area);

/// A sheet in the middle of the window over dimmed content. Escape or a click beside it closes it.
class Overlay {
 public:
  /// Opens in the next frame.
  void open() { wanted_ = true; }
  void close() { closing_ = true; }
  bool is_open() const { return open_ || wanted_; }

 protected:
  /// Begins the sheet, `width` × `height` of the design at most; a height of 0 fits the content.
  /// When it returns true, draw and call end(). `id` is its heading, too.
  bool begin(const char* id, double width, double height, const Ui& ui);
  void end();
  /// Whether it was opened in this frame, so that it should take the keyboard focus.
  bool just_opened() const { return just_opened_; }

 private:
  bool wanted_{false};
  bool open_{false};
  bool closing_{false};
  float height_{};  ///< of the last frame
  bool just_opened_{false};
};

/// Dear ImGui's colours and spacing for a theme, derived from the figures' own style, so that panel
/// and plot are of one piece. `scale` multiplies every length (fonts are loaded apart).
void apply_theme(const FigureStyle& style, double scale);

/// The style of the figures on screen: the theme's, with its secondary text strong enough to be
/// read from the back row on every ground of the window (a contrast of 7, WCAG 2.1).
FigureStyle desktop_style(Theme theme, double scale);
/// The ground of columns and sheets.
Color raised_color(const FigureStyle& style);
/// The accent where it is read and not only seen.
Color accent_text_color(const FigureStyle& style);

/// Green and red of claims that hold and that do not, readable on the style's background.
Color holds_color(const FigureStyle& style);
Color fails_color(const FigureStyle& style);

}  // namespace orrery

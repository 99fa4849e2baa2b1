#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "app/gui/fonts.h"
#include "app/gui/item_rects.h"
#include "app/gui/textures.h"
#include "experiments/figure/color/style.h"

namespace orrery {

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

}  // namespace orrery

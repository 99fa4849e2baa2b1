#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

#include "app/canvas/textures.h"
#include "app/fonts.h"
#include "app/places.h"
#include "experiments/figure/style.h"

namespace orrery {

/// What everything that draws needs.
struct Ui {
  const Fonts& fonts;
  TextureCache& textures;
  FigureStyle style{};
  double scale{1.0};
  Places* places{};  ///< takes down where things lie; null: nobody asks

  /// A length of the design in pixels of the screen.
  float px(double length) const { return static_cast<float>(length * scale); }
};

// Small habits of the interface.

void text(std::string_view utf8);
void text_colored(Color color, std::string_view utf8);
void text_muted(std::string_view utf8);
/// Takes down where the item before it lies.
void mark_item(const Ui& ui, std::string name);
/// A small cap of a key, "Ctrl+K", that ends at `right` of the screen in the present line. Returns
/// where it begins.
float key_cap(const Ui& ui, std::string_view keys, float right);
/// As much of the words as `room` pixels have a place for, and "…".
std::string shortened(const std::string& words, float room);
/// Words beside the mouse.
void show_tooltip(const Ui& ui, std::string_view utf8);
/// The item before it, explained when the mouse rests there.
void tooltip(const Ui& ui, std::string_view utf8);

}  // namespace orrery

#pragma once

#include <cairo.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// A stretch of text that one font can show.
struct FontRun {
  cairo_font_face_t* face{};
  std::string utf8{};
};

/// DejaVu Sans, and for characters that it lacks whatever fontconfig has: tokens come in any
/// script. One a canvas; not to be shared between threads.
class FontBook {
 public:
  FontBook();
  ~FontBook();
  FontBook(const FontBook&) = delete;
  FontBook& operator=(const FontBook&) = delete;

  /// The font that lines are measured by.
  cairo_font_face_t* main_face(bool bold);
  /// The text in order, cut where the font changes. Characters that no font has stay with the main
  /// one, which draws a box.
  std::vector<FontRun> runs(std::string_view utf8, bool bold);

 private:
  struct Shelf;
  Shelf& shelf(bool bold);
  std::unique_ptr<Shelf> regular_;
  std::unique_ptr<Shelf> bold_;
};

}  // namespace orrery

#include "experiments/figure/equation/letter_extent.h"

#include <cairo.h>

#include <array>
#include <map>
#include <mutex>
#include <tuple>

#include "experiments/figure/canvas/symbol_font.h"
#include "experiments/figure/canvas/text_metrics.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr double measuring_em = 1024.0;  ///< large enough for Cairo's rounding not to matter

using ScaledFont = CairoOwner<cairo_scaled_font_t>;

ScaledFont without_hinting(cairo_font_face_t* face) {
  cairo_matrix_t size, page;
  cairo_matrix_init_scale(&size, measuring_em, measuring_em);
  cairo_matrix_init_identity(&page);
  ScaledFont font(cairo_scaled_font_create(face, &size, &page, options_without_hinting().get()));
  check_cairo(cairo_scaled_font_status(font.get()));
  return font;
}

class Extents {
 public:
  LetterExtent of(char32_t character, Face face, bool bold) {
    const CairoTurn turn;  // before the lock: who draws, measures
    const std::scoped_lock one_at_a_time(mutex_);
    const auto [place, fresh] = known_.try_emplace(std::tuple(character, face, bold));
    if (fresh) place->second = measured(character, face, bold);
    return place->second;
  }

 private:
  LetterExtent measured(char32_t character, Face face, bool bold) {
    LetterExtent extent;
    for (const FontRun& run : fonts_.runs(drawable_utf8(utf8_of(character)), face, bold)) {
      ScaledFont& font = scaled_[run.face];
      if (!font) font = without_hinting(run.face);
      cairo_text_extents_t e{};
      cairo_scaled_font_text_extents(font.get(), run.utf8.c_str(), &e);
      extent = {e.x_advance / measuring_em, e.x_bearing / measuring_em,
                (e.x_bearing + e.width) / measuring_em, -e.y_bearing / measuring_em,
                (e.y_bearing + e.height) / measuring_em};
    }
    return extent;
  }

  std::mutex mutex_;
  FontBook fonts_{};
  std::map<cairo_font_face_t*, ScaledFont> scaled_{};
  std::map<std::tuple<char32_t, Face, bool>, LetterExtent> known_{};
};

}  // namespace

LetterExtent letter_extent(char32_t character, Face wanted, bool bold) {
  struct Known {
    char32_t character{};
    int font{-1};
    LetterExtent extent{};
  };
  static Extents extents;
  if (character == not_utf8) character = U'\uFFFD';
  // Formulas have few letters: most are found here without a lock.
  thread_local std::array<Known, 256> recent;
  const Face face = face_with(character, wanted, bold);
  const int font = 2 * static_cast<int>(face) + (bold ? 1 : 0);
  Known& known = recent[(character + 83U * static_cast<unsigned>(font)) % recent.size()];
  if (known.character != character || known.font != font)
    known = {character, font, extents.of(character, face, bold)};
  return known.extent;
}

double axis_height() {
  const LetterExtent minus = letter_extent(U'−', Face::roman);
  return (minus.ascent - minus.descent) / 2;
}

double x_height() { return letter_extent(U'x', Face::roman).ascent; }

double symbol_scale() { return letter_extent(U'x', Face::sans).ascent / x_height(); }

}  // namespace orrery

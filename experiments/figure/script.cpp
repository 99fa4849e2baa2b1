#include "experiments/figure/script.h"

#include <unicode/ubidi.h>
#include <unicode/unistr.h>
#include <unicode/ushape.h>

#include <memory>

namespace orrery {
namespace {

struct CloseBidi {
  void operator()(UBiDi* bidi) const { ubidi_close(bidi); }
};

/// Hebrew, Arabic and their relatives begin at U+0590, which is D6 90 in UTF-8.
bool may_run_leftwards(std::string_view utf8) {
  for (const char c : utf8) {
    if (static_cast<unsigned char>(c) >= 0xD6) return true;
  }
  return false;
}

icu::UnicodeString joined(const icu::UnicodeString& text) {
  UErrorCode error = U_ZERO_ERROR;
  icu::UnicodeString shaped;
  const int32_t capacity = 2 * text.length() + 8;
  const int32_t length =
      u_shapeArabic(text.getBuffer(), text.length(), shaped.getBuffer(capacity), capacity,
                    U_SHAPE_LETTERS_SHAPE | U_SHAPE_TEXT_DIRECTION_LOGICAL, &error);
  shaped.releaseBuffer(U_SUCCESS(error) ? length : 0);
  return U_SUCCESS(error) ? shaped : text;
}

icu::UnicodeString reordered(const icu::UnicodeString& text) {
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UBiDi, CloseBidi> bidi(ubidi_open());
  ubidi_setPara(bidi.get(), text.getBuffer(), text.length(), UBIDI_DEFAULT_LTR, nullptr, &error);
  icu::UnicodeString visual;
  const int32_t capacity = 2 * text.length() + 8;
  const int32_t length =
      ubidi_writeReordered(bidi.get(), visual.getBuffer(capacity), capacity,
                           UBIDI_DO_MIRRORING | UBIDI_REMOVE_BIDI_CONTROLS, &error);
  visual.releaseBuffer(U_SUCCESS(error) ? length : 0);
  return U_SUCCESS(error) ? visual : text;
}

}  // namespace

std::string in_visual_order(std::string_view utf8) {
  if (!may_run_leftwards(utf8)) return std::string(utf8);
  const auto text = icu::UnicodeString::fromUTF8(
      icu::StringPiece(utf8.data(), static_cast<int32_t>(utf8.size())));
  std::string out;
  reordered(joined(text)).toUTF8String(out);
  return out;
}

}  // namespace orrery

#include "experiments/text/bidi.h"

#include <unicode/ubidi.h>
#include <unicode/unistr.h>
#include <unicode/ushape.h>

#include <memory>

namespace orrery {
namespace {

struct CloseBidi {
  void operator()(UBiDi* bidi) const { ubidi_close(bidi); }
};

/// Whether a character that begins with these bytes may be written from right to left: U+0590 to
/// U+08FF with Hebrew, Arabic and their relatives, their presentation forms, the old scripts around
/// U+10800 and U+1E800, and the invisible marks of direction, not their many neighbours (“ – …).
bool begins_leftward(unsigned char first, unsigned char second, unsigned char third) {
  if (first >= 0xD6 && first <= 0xDF) return true;
  if (first == 0xE0) return second >= 0xA0 && second <= 0xA3;
  if (first == 0xE2 && second == 0x80)
    return third == 0x8E || third == 0x8F || (third >= 0xAA && third <= 0xAE);
  if (first == 0xE2) return second == 0x81 && third >= 0xA6 && third <= 0xA9;
  if (first == 0xEF) return second >= 0xAC && second <= 0xBB;
  return first == 0xF0 && (second == 0x90 || second == 0x9E);
}

bool may_run_leftwards(std::string_view utf8) {
  const auto byte = [&](std::size_t i) {
    return i < utf8.size() ? static_cast<unsigned char>(utf8[i]) : static_cast<unsigned char>(0);
  };
  for (std::size_t i = 0; i + 1 < utf8.size(); ++i)
    if (begins_leftward(byte(i), byte(i + 1), byte(i + 2))) return true;
  return false;
}

/// ICU gives vowel marks their isolated forms, U+FE70 to U+FE7F; this maps them to the combining
/// ones.
char16_t combining_form(char16_t c) {
  constexpr char16_t first_form = 0xFE70;
  constexpr std::u16string_view marks =
      u"\u064B\u064B\u064C\uFE73\u064D\uFE75\u064E\u064E"
      u"\u064F\u064F\u0650\u0650\u0651\u0651\u0652\u0652";
  const bool form = c >= first_form && static_cast<std::size_t>(c - first_form) < marks.size();
  return form ? marks[c - first_form] : c;
}

icu::UnicodeString joined(const icu::UnicodeString& text) {
  UErrorCode error = U_ZERO_ERROR;
  icu::UnicodeString shaped;
  const int32_t capacity = 2 * text.length() + 8;
  const int32_t length =
      u_shapeArabic(text.getBuffer(), text.length(), shaped.getBuffer(capacity), capacity,
                    U_SHAPE_LETTERS_SHAPE | U_SHAPE_TEXT_DIRECTION_LOGICAL, &error);
  shaped.releaseBuffer(U_SUCCESS(error) ? length : 0);
  if (U_FAILURE(error)) return text;
  for (int32_t i = 0; i < shaped.length(); ++i) shaped.setCharAt(i, combining_form(shaped[i]));
  return shaped;
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

std::string line_in_visual_order(std::string_view utf8) {
  const auto text = icu::UnicodeString::fromUTF8(
      icu::StringPiece(utf8.data(), static_cast<int32_t>(utf8.size())));
  std::string out;
  reordered(joined(text)).toUTF8String(out);
  return out;
}

}  // namespace

std::string in_visual_order(std::string_view utf8) {
  if (!may_run_leftwards(utf8)) return std::string(utf8);
  std::string out;
  for (std::size_t end = utf8.find('\n'); end != std::string_view::npos; end = utf8.find('\n')) {
    out += line_in_visual_order(utf8.substr(0, end)) + '\n';
    utf8.remove_prefix(end + 1);
  }
  return out + line_in_visual_order(utf8);
}

}  // namespace orrery

#include "experiments/tokenizers/normal_form.h"

#include <unicode/unorm2.h>
#include <unicode/uset.h>

#include <array>

#include "core/errors.h"
#include "experiments/tokenizers/utf16.h"

namespace orrery {
namespace {

void check_icu(UErrorCode status) {
  check_invariant(U_SUCCESS(status), "ICU has its normal forms");
}

USet* known_characters() {
  UErrorCode status = U_ZERO_ERROR;
  constexpr std::u16string_view pattern = u"[:age=9.0:]";
  USet* set = uset_openPattern(pattern.data(), static_cast<std::int32_t>(pattern.size()), &status);
  check_icu(status);
  uset_freeze(set);
  return set;
}

const UNormalizer2* of_version_9(const UNormalizer2* current) {
  static const USet* const known = known_characters();
  UErrorCode status = U_ZERO_ERROR;
  const UNormalizer2* filtered = unorm2_openFiltered(current, known, &status);
  check_icu(status);
  return filtered;
}

const UNormalizer2* normalizer_of(NormalForm form) {
  static const std::array<const UNormalizer2*, 4> all = [] {
    UErrorCode status = U_ZERO_ERROR;
    const std::array<const UNormalizer2*, 4> forms{of_version_9(unorm2_getNFCInstance(&status)),
                                                   of_version_9(unorm2_getNFDInstance(&status)),
                                                   of_version_9(unorm2_getNFKCInstance(&status)),
                                                   of_version_9(unorm2_getNFKDInstance(&status))};
    check_icu(status);
    return forms;
  }();
  return all[static_cast<std::size_t>(form)];
}

std::string normalized_bytes(const UNormalizer2* normalizer, std::string_view part) {
  const std::u16string utf16 = utf16_of(part);
  const auto length = static_cast<std::int32_t>(utf16.size());
  UErrorCode status = U_ZERO_ERROR;
  const std::int32_t needed =
      unorm2_normalize(normalizer, utf16.data(), length, nullptr, 0, &status);
  std::u16string out(static_cast<std::size_t>(needed), u'\0');
  status = U_ZERO_ERROR;
  unorm2_normalize(normalizer, utf16.data(), length, out.data(), needed, &status);
  check_invariant(status == U_ZERO_ERROR || status == U_STRING_NOT_TERMINATED_WARNING,
                  "a normal form is as long as ICU said");
  std::string bytes;
  append_utf8(out, bytes);
  return bytes;
}

void append_normalized(const UNormalizer2* normalizer, const AlignedText& text, std::size_t begin,
                       std::size_t end, AlignedText& out) {
  if (begin == end) return;
  const std::string_view part = std::string_view(text.text).substr(begin, end - begin);
  const std::string bytes = normalized_bytes(normalizer, part);
  if (bytes == part)
    append(out, text, begin, end);
  else
    append(out, bytes, origin_of(text, begin, end));
}

}  // namespace

AlignedText in_normal_form(const AlignedText& text, NormalForm form) {
  const UNormalizer2* normalizer = normalizer_of(form);
  AlignedText out;
  std::size_t begin = 0;
  // What lies between two boundaries is normalised by itself, so that its origin is known.
  for (std::size_t at = 0; at < text.text.size();) {
    const std::size_t here = at;
    const auto character = static_cast<UChar32>(next_character(text.text, at));
    if (!unorm2_hasBoundaryBefore(normalizer, character)) continue;
    append_normalized(normalizer, text, begin, here, out);
    begin = here;
  }
  append_normalized(normalizer, text, begin, text.text.size(), out);
  return out;
}

}  // namespace orrery

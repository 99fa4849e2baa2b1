#include "experiments/tokenizers/stages.h"

#include <unicode/unorm2.h>
#include <unicode/uset.h>

#include <array>
#include <utility>

#include "core/errors.h"
#include "experiments/tokenizers/unicode.h"

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

constexpr char32_t replacement_mark = 0xFFFD;

AlignedText cleaned(const AlignedText& text) {
  return with_characters(text, [](char32_t c, std::string& out) {
    if (c == 0 || c == replacement_mark || is_control(c)) return;
    out = is_white_space(c) ? " " : utf8_of(c);
  });
}

AlignedText with_spaced_ideographs(const AlignedText& text) {
  return with_characters(text, [](char32_t c, std::string& out) {
    out = is_chinese(c) ? " " + utf8_of(c) + " " : utf8_of(c);
  });
}

AlignedText without(const AlignedText& text, bool (*is_dropped)(char32_t)) {
  return with_characters(text, [&](char32_t c, std::string& out) {
    if (!is_dropped(c)) out = utf8_of(c);
  });
}

AlignedText lowered(const AlignedText& text) {
  return with_characters(text, [](char32_t c, std::string& out) {
    const auto [first, second] = lower_case(c);
    out = utf8_of(first);
    if (second != 0) out += utf8_of(second);
  });
}

std::size_t end_of_leading_space(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); end = at)
    if (!is_white_space(next_character(text, at))) return end;
  return end;
}

std::size_t begin_of_trailing_space(std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();)
    if (!is_white_space(next_character(text, at))) begin = at;
  return begin;
}

AlignedText stripped(const AlignedText& text, bool left, bool right) {
  const std::size_t begin = left ? end_of_leading_space(text.text) : 0;
  const std::size_t end = right ? begin_of_trailing_space(text.text) : text.text.size();
  return begin < end ? slice(text, begin, end) : AlignedText{};
}

AlignedText replaced(const AlignedText& text, const Regex& pattern, const std::string& content) {
  AlignedText out;
  std::size_t done = 0;
  for (const TextRange& match : pattern.matches(text.text)) {
    append(out, text, done, match.begin);
    if (match.begin != match.end) append(out, content, origin_of(text, match.begin, match.end));
    done = match.end;
  }
  append(out, text, done, text.text.size());
  return out;
}

bool is_nmt_control(char32_t c) {
  return (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F ||
         c == 0x9F;
}

bool is_nmt_space(char32_t c) {
  return c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
         c == replacement_mark;
}

AlignedText nmt_cleaned(const AlignedText& text) {
  return with_characters(text, [](char32_t c, std::string& out) {
    if (!is_nmt_control(c)) out = is_nmt_space(c) ? " " : utf8_of(c);
  });
}

AlignedText bert_normalized(AlignedText text, const BertOptions& options) {
  if (options.clean_text) text = cleaned(text);
  if (options.handle_chinese_chars) text = with_spaced_ideographs(text);
  if (options.strip_accents)
    text = without(in_normal_form(text, NormalForm::nfd), is_nonspacing_mark);
  return options.lowercase ? lowered(text) : text;
}

constexpr std::string_view written_space = "▁";

AlignedText with_longest_entries(const Charsmap& map, const AlignedText& text) {
  AlignedText out;
  for (std::size_t at = 0; at < text.text.size();) {
    const auto match = map.longest(std::string_view(text.text).substr(at));
    const std::size_t length = match ? match->length : character_length(text.text, at);
    if (match)
      append(out, match->replacement, origin_of(text, at, at + length));
    else
      append(out, text, at, at + length);
    at += length;
  }
  return out;
}

AlignedText with_written_spaces(const AlignedText& text, bool removes_extra) {
  AlignedText out;
  std::optional<std::size_t> space;  // one that waits for the next word
  for (std::size_t i = 0; i < text.text.size(); ++i) {
    if (text.text[i] == ' ') {
      if (!removes_extra) append(out, written_space, text.origins[i]);
      space = i;
      continue;
    }
    if (removes_extra && space && !out.empty()) append(out, written_space, text.origins[*space]);
    space.reset();
    append(out, text, i, i + 1);
  }
  return out;
}

}  // namespace

Normalizer in_sequence(std::vector<Normalizer> all) {
  return [all = std::move(all)](AlignedText text) {
    for (const Normalizer& normalizer : all) text = normalizer(std::move(text));
    return text;
  };
}

Normalizer normal_form(NormalForm form) {
  return [form](const AlignedText& text) { return in_normal_form(text, form); };
}

Normalizer lowercase() { return lowered; }

Normalizer strip_accents() {
  return [](const AlignedText& text) { return without(text, is_mark); };
}

Normalizer bert_normalizer(const BertOptions& options) {
  return [options](AlignedText text) { return bert_normalized(std::move(text), options); };
}

Normalizer replace(Regex pattern, std::string content) {
  return [shared = std::make_shared<const Regex>(std::move(pattern)), content = std::move(content)](
             const AlignedText& text) { return replaced(text, *shared, content); };
}

Normalizer prepended(std::string text) {
  return [prefix = std::move(text)](AlignedText to) {
    if (!to.empty()) prepend(to, prefix);
    return to;
  };
}

Normalizer strip(bool left, bool right) {
  return [=](const AlignedText& text) { return stripped(text, left, right); };
}

Normalizer precompiled(Charsmap map) {
  return [shared = std::make_shared<const Charsmap>(std::move(map))](const AlignedText& text) {
    return with_charsmap(*shared, text);
  };
}

Normalizer byte_level_normalizer() { return byte_level; }

Normalizer nmt() { return nmt_cleaned; }

Normalizer sentencepiece_normalizer(std::optional<Charsmap> map, SentencePieceOptions options) {
  const auto shared = map ? std::make_shared<const Charsmap>(std::move(*map)) : nullptr;
  return [=](const AlignedText& text) {
    AlignedText out = with_written_spaces(shared ? with_longest_entries(*shared, text) : text,
                                          options.remove_extra_whitespaces);
    if (options.add_space_prefix && !out.empty()) prepend(out, written_space);
    return out;
  };
}

}  // namespace orrery

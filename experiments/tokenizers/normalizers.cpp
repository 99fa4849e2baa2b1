#include "experiments/tokenizers/normalizers.h"

#include <utility>

#include "experiments/tokenizers/byte_level.h"
#include "experiments/tokenizers/categories.h"
#include "experiments/tokenizers/split.h"

namespace orrery {
namespace {

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
    const LowerCase lower = lower_case(c);
    out = utf8_of(lower.first);
    if (lower.second != 0) out += utf8_of(lower.second);
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
  for (const Part& part : parts_between(pattern.matches(text.text), text.text.size())) {
    const auto [begin, end] = part.range;
    if (!part.is_match)
      append(out, text, begin, end);
    else if (begin != end)
      append(out, content, origin_of(text, begin, end));
  }
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

}  // namespace orrery

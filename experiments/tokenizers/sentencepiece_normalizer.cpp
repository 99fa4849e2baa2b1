#include "experiments/tokenizers/sentencepiece_normalizer.h"

#include <utility>

namespace orrery {
namespace {

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

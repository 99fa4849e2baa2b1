#include "experiments/tokenizers/aligned_text.h"

#include <fmt/format.h>

#include "core/errors.h"

namespace orrery {
namespace {

void require_room(const AlignedText& to, std::size_t bytes) {
  require_aligned_bytes(to.text.size() + bytes);
}

}  // namespace

void require_aligned_bytes(std::size_t bytes) {
  if (bytes > max_aligned_bytes)
    throw DataError("the text",
                    fmt::format("becomes longer than {} bytes in its tokenizer", max_aligned_bytes),
                    "tokenize it in parts, or give another tokenizer");
}

AlignedText aligned(std::string_view given) {
  AlignedText all{.text = std::string(given), .origins = {}};
  all.origins.reserve(given.size());
  for (std::size_t at = 0; at < given.size();) {
    const std::size_t end = at + character_length(given, at);
    const AlignedText::Origin origin{static_cast<std::uint32_t>(at),
                                     static_cast<std::uint32_t>(end)};
    all.origins.insert(all.origins.end(), end - at, origin);
    at = end;
  }
  return all;
}

AlignedText slice(const AlignedText& from, std::size_t begin, std::size_t end) {
  AlignedText part;
  append(part, from, begin, end);
  return part;
}

void append(AlignedText& to, std::string_view bytes, AlignedText::Origin origin) {
  require_room(to, bytes.size());
  to.text += bytes;
  to.origins.insert(to.origins.end(), bytes.size(), origin);
}

void append(AlignedText& to, const AlignedText& from, std::size_t begin, std::size_t end) {
  require_room(to, end - begin);
  to.text.append(from.text, begin, end - begin);
  const auto first = from.origins.begin();
  to.origins.insert(to.origins.end(), first + static_cast<std::ptrdiff_t>(begin),
                    first + static_cast<std::ptrdiff_t>(end));
}

void prepend(AlignedText& to, std::string_view bytes) {
  require_room(to, bytes.size());
  const std::uint32_t begin = to.origins.front().begin;
  to.text.insert(0, bytes);
  to.origins.insert(to.origins.begin(), bytes.size(), AlignedText::Origin{begin, begin});
}

AlignedText::Origin origin_of(const AlignedText& text, std::size_t begin, std::size_t end) {
  return {text.origins[begin].begin, text.origins[end - 1].end};
}

}  // namespace orrery

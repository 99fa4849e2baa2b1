#include "experiments/tokenizers/charsmap.h"

#include <fmt/format.h>
#include <unicode/ubrk.h>

#include <memory>

#include "core/errors.h"
#include "experiments/tokenizers/unicode.h"

namespace orrery {
namespace {

constexpr std::size_t node_bytes = 4;
// A node's children lie in one block, so that an array of whole blocks holds them all.
constexpr std::size_t block_nodes = 256;
constexpr std::size_t longest_cluster = 5;
constexpr std::uint32_t value_bit = std::uint32_t{1} << 31;

constexpr bool is_value(std::uint32_t node) { return (node & value_bit) != 0; }
constexpr bool ends_entry(std::uint32_t node) { return (node >> 8 & 1) != 0; }
constexpr std::uint32_t label_of(std::uint32_t node) { return node & (value_bit | 0xFF); }
constexpr std::uint32_t value_of(std::uint32_t node) { return node & (value_bit - 1); }
constexpr std::uint32_t offset_of(std::uint32_t node) {
  return (node >> 10) << ((node & (std::uint32_t{1} << 9)) >> 6);
}

[[noreturn]] void refuse_charsmap(std::string_view name, std::string_view what) {
  throw DataError(name, fmt::format("has a damaged map of characters ({})", what),
                  "copy or download it again");
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = node_bytes; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

bool begins_character(std::string_view texts, std::size_t at) {
  return at < texts.size() && (static_cast<unsigned char>(texts[at]) & 0xC0U) != 0x80;
}

void require_closed(const std::vector<std::uint32_t>& nodes, std::string_view texts,
                    std::string_view name) {
  if (nodes.empty() || nodes.size() % block_nodes != 0)
    refuse_charsmap(name, fmt::format("an array of {} nodes", nodes.size()));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (is_value(nodes[i]) ? !begins_character(texts, value_of(nodes[i]))
                           : (i ^ offset_of(nodes[i])) >= nodes.size())
      refuse_charsmap(name, fmt::format("node {} points beyond the end", i));
  }
}

using Clusters = std::unique_ptr<UBreakIterator, decltype(&ubrk_close)>;

Clusters clusters_of(const std::u16string& text) {
  UErrorCode status = U_ZERO_ERROR;
  Clusters clusters(
      ubrk_open(UBRK_CHARACTER, "", text.data(), static_cast<std::int32_t>(text.size()), &status),
      ubrk_close);
  check_invariant(U_SUCCESS(status), "ICU has rules for clusters of characters");
  return clusters;
}

void replace_characters(const Charsmap& map, const AlignedText& text, std::size_t begin,
                        std::size_t end, AlignedText& out) {
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = at + character_length(text.text, at);
    if (const auto match = map.shortest(std::string_view(text.text).substr(at, next - at)))
      append(out, match->replacement, origin_of(text, at, next));
    else
      append(out, text, at, next);
    at = next;
  }
}

void replace_cluster(const Charsmap& map, const AlignedText& text, std::size_t begin,
                     std::size_t end, AlignedText& out) {
  if (end - begin <= longest_cluster)
    if (const auto match = map.shortest(std::string_view(text.text).substr(begin, end - begin)))
      return append(out, match->replacement, origin_of(text, begin, end));
  replace_characters(map, text, begin, end, out);
}

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

Charsmap::Charsmap(std::string_view blob, std::string_view name) {
  if (blob.size() < node_bytes) refuse_charsmap(name, fmt::format("{} bytes", blob.size()));
  const std::size_t bytes = little_endian(blob);
  blob.remove_prefix(node_bytes);
  if (bytes > blob.size() || bytes % node_bytes != 0)
    refuse_charsmap(name, fmt::format("an array of {} bytes, and {} are left", bytes, blob.size()));
  for (std::size_t i = 0; i < bytes; i += node_bytes)
    nodes_.push_back(little_endian(blob.substr(i)));
  replacements_ = blob.substr(bytes);
  if (replacements_.empty() || replacements_.back() != '\0')
    refuse_charsmap(name, "the last text has no end");
  if (!is_utf8(replacements_)) refuse_charsmap(name, "a text that is not UTF-8");
  require_closed(nodes_, replacements_, name);
}

template <class Visit>
void Charsmap::walk(std::string_view text, const Visit& visit) const {
  std::size_t node = offset_of(nodes_[0]);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0) return;
    node ^= byte;
    const std::uint32_t here = nodes_[node];
    if (label_of(here) != byte) return;
    node ^= offset_of(here);
    if (ends_entry(here) && !visit(i + 1, nodes_[node])) return;
  }
}

std::string_view Charsmap::replacement(std::uint32_t node) const {
  const std::size_t begin = value_of(node);
  if (begin >= replacements_.size()) return {};
  return std::string_view(replacements_).substr(begin, replacements_.find('\0', begin) - begin);
}

std::optional<Charsmap::Match> Charsmap::shortest(std::string_view text) const {
  std::optional<Match> found;
  walk(text, [&](std::size_t length, std::uint32_t node) {
    found = Match{length, replacement(node)};
    return false;
  });
  return found;
}

std::optional<Charsmap::Match> Charsmap::longest(std::string_view text) const {
  std::optional<Match> found;
  walk(text, [&](std::size_t length, std::uint32_t node) {
    found = Match{length, replacement(node)};
    return true;
  });
  return found;
}

AlignedText with_charsmap(const Charsmap& map, const AlignedText& text) {
  const std::u16string utf16 = utf16_of(text.text);
  const Clusters clusters = clusters_of(utf16);
  Utf8Places places(text.text);
  AlignedText out;
  std::size_t begin = 0;
  for (std::int32_t end = ubrk_next(clusters.get()); end != UBRK_DONE;
       end = ubrk_next(clusters.get())) {
    const std::size_t stop = places.of(static_cast<std::size_t>(end));
    replace_cluster(map, text, begin, stop, out);
    begin = stop;
  }
  return out;
}

std::string from_base64(std::string_view base64, std::string_view name) {
  while (base64.ends_with('=')) base64.remove_suffix(1);
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    const int digit = base64_digit(c);
    if (digit < 0) refuse_charsmap(name, "not in base64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

}  // namespace orrery

#include "experiments/tokenizers/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "core/errors.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

/// The entries below a node: those in [begin, end) agree in their first `depth` bytes.
struct Group {
  std::size_t begin, end, depth;
};

constexpr std::size_t usual_part = std::size_t{1} << 14;
constexpr std::size_t pair_slots = std::size_t{1} << 20;

std::size_t slot_of(char32_t left, char32_t right) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
  constexpr int kept_bits = 20;
  return static_cast<std::size_t>((std::uint64_t{left} << 32 | right) * golden >> (64 - kept_bits));
}

}  // namespace

void Vocabulary::add(std::string_view piece, std::int64_t id) {
  if (piece.size() > longest_piece)
    throw DataError(name_,
                    fmt::format("has a token of {} bytes, and at most {} are read", piece.size(),
                                longest_piece),
                    "copy or download it again");
  if (id < 0 || id >= most_ids)
    throw DataError(name_,
                    fmt::format("gives token {} the id {}, and ids are 0 to {}", in_quotes(piece),
                                id, most_ids - 1),
                    "copy or download it again");
  const auto slot = static_cast<std::size_t>(id);
  if (slot >= pieces_.size()) pieces_.resize(slot + 1);
  if (pieces_[slot].empty()) pieces_[slot] = piece;
  ++added_;
  ids_.insert_or_assign(std::string(piece), static_cast<std::int32_t>(id));
}

std::optional<std::int32_t> Vocabulary::id(std::string_view piece) const {
  const auto found = ids_.find(piece);
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

std::int32_t Vocabulary::require(std::string_view piece, std::string_view what) const {
  if (const auto found = id(piece)) return *found;
  throw DataError(name_, fmt::format("has no token {}, its {}", in_quotes(piece), what),
                  "copy or download it again");
}

std::string byte_piece(unsigned char byte) { return fmt::format("<0x{:02X}>", byte); }

std::optional<unsigned char> byte_of_piece(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  unsigned byte = 0;
  const char* const end = piece.data() + 5;
  const auto [stop, error] = std::from_chars(piece.data() + 3, end, byte, 16);
  if (error != std::errc() || stop != end || byte_piece(static_cast<unsigned char>(byte)) != piece)
    return std::nullopt;
  return static_cast<unsigned char>(byte);
}

std::array<std::int32_t, 256> byte_ids(const Vocabulary& vocabulary) {
  std::array<std::int32_t, 256> ids{};
  for (unsigned byte = 0; byte < ids.size(); ++byte)
    ids[byte] = vocabulary.id(byte_piece(static_cast<unsigned char>(byte))).value_or(-1);
  return ids;
}

ByteTrie::ByteTrie(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.first < b.first; });
  nodes_.emplace_back();
  std::vector<Group> groups{{0, entries.size(), 0}};  // of each node, in the order of nodes_
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    auto [begin, end, depth] = groups[node];
    while (begin < end && entries[begin].first.size() == depth) {
      if (nodes_[node].value < 0 && depth > 0) nodes_[node].value = entries[begin].second;
      ++begin;
    }
    nodes_[node].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (begin < end) {
      const char label = entries[begin].first[depth];
      std::size_t next = begin;
      while (next < end && entries[next].first[depth] == label) ++next;
      nodes_.push_back({.label = static_cast<unsigned char>(label)});
      ++nodes_[node].children;
      groups.push_back({begin, next, depth + 1});
      begin = next;
    }
  }
  for (std::uint32_t i = 0; i < nodes_[0].children; ++i)
    roots_[nodes_[nodes_[0].first_child + i].label] = nodes_[0].first_child + i;
}

std::uint32_t ByteTrie::child(std::uint32_t node, unsigned char label) const {
  if (node == 0) return roots_[label];
  const auto first = nodes_.begin() + nodes_[node].first_child;
  const auto end = first + nodes_[node].children;
  const auto found =
      std::find_if(first, end, [&](const Node& each) { return each.label == label; });
  return found == end ? 0 : static_cast<std::uint32_t>(found - nodes_.begin());
}

std::optional<ByteTrie::Match> ByteTrie::longest(std::string_view text) const {
  std::optional<Match> found;
  each_prefix(text, [&](std::size_t length, std::int32_t value) { found = Match{length, value}; });
  return found;
}

const std::vector<bool>& PieceParts::side_by_side() const {
  std::call_once(looked_through_, [this] {
    side_by_side_.resize(pair_slots);
    for (std::size_t i = 0; i < vocabulary_.slots(); ++i) {
      const std::string& piece = vocabulary_.piece(static_cast<std::int32_t>(i));
      char32_t last = not_utf8;
      for (std::size_t at = 0; at < piece.size();) {
        const char32_t character = next_character(piece, at);
        side_by_side_[slot_of(last, character)] = true;
        last = character;
      }
    }
  });
  return side_by_side_;
}

bool PieceParts::is_token(char32_t character) const {
  const auto id = vocabulary_.id(utf8_of(character));
  return id && (is_matched_.empty() || is_matched_[static_cast<std::size_t>(*id)]);
}

std::size_t PieceParts::end_of_part(std::string_view piece, std::size_t from) const {
  if (piece.size() - from <= usual_part) return piece.size();
  const std::vector<bool>& beside = side_by_side();
  std::size_t at = from;
  char32_t last = next_character(piece, at);
  while (at < piece.size()) {
    const std::size_t here = at;
    const char32_t character = next_character(piece, at);
    if (here - from >= usual_part && !beside[slot_of(last, character)] && is_token(last) &&
        is_token(character))
      return here;
    last = character;
  }
  return piece.size();
}

}  // namespace orrery

#include "experiments/tokenizers/merge_chain.h"

#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr std::size_t usual_part = std::size_t{1} << 14;
constexpr std::size_t pair_slots = std::size_t{1} << 20;

std::size_t slot_of(char32_t left, char32_t right) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
  constexpr int kept_bits = 20;
  return static_cast<std::size_t>((std::uint64_t{left} << 32 | right) * golden >> (64 - kept_bits));
}

}  // namespace

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

std::vector<Link> chain_of(const std::vector<Subword>& tokens) {
  std::vector<Link> chain;
  std::size_t begin = 0;
  for (const Subword& token : tokens) {
    const auto i = static_cast<std::ptrdiff_t>(chain.size());
    chain.push_back({token.id, begin, token.length, i - 1, i + 1});
    begin += token.length;
  }
  if (!chain.empty()) chain.back().after = -1;
  return chain;
}

}  // namespace orrery

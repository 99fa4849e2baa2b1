#include "experiments/tokenizers/vocabulary.h"

#include <fmt/format.h>

#include <charconv>

#include "core/errors.h"
#include "experiments/text/printable.h"

namespace orrery {

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

}  // namespace orrery

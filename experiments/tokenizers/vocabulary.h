#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orrery {

/// Ids are smaller than this: the largest vocabulary known has 2^18 tokens.
inline constexpr std::int64_t most_ids = std::int64_t{1} << 21;
/// Longest piece, in bytes: the longest known have some hundred spaces.
inline constexpr std::size_t longest_piece = 4096;

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

/// A map by text that is searched with views.
template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// Pieces and their ids, which may leave some out.
class Vocabulary {
 public:
  explicit Vocabulary(std::string_view name) : name_(name) {}

  /// Throws DataError: an id below 0, or of most_ids and more, or a piece of more than
  /// longest_piece bytes. A piece that was added already gets the new id.
  void add(std::string_view piece, std::int64_t id);

  std::optional<std::int32_t> id(std::string_view piece) const;
  /// Throws DataError: no such piece.
  std::int32_t require(std::string_view piece, std::string_view what) const;

  /// A piece by its id, which is below slots(); empty where no piece has it.
  const std::string& piece(std::int32_t id) const { return pieces_[static_cast<std::size_t>(id)]; }
  /// One more than the largest id.
  std::size_t slots() const { return pieces_.size(); }
  /// How many pieces were added.
  std::size_t size() const { return added_; }
  /// The file, in messages.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  TextMap<std::int32_t> ids_;
  std::vector<std::string> pieces_;
  std::size_t added_{0};
};

/// "<0x0A>", the piece that stands for a byte where a vocabulary has no other.
std::string byte_piece(unsigned char byte);

/// The byte of such a piece.
std::optional<unsigned char> byte_of_piece(std::string_view piece);

/// The ids of the 256 byte pieces, -1 for one that is not there.
std::array<std::int32_t, 256> byte_ids(const Vocabulary& vocabulary);

}  // namespace orrery

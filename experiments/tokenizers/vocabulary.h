#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
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

/// Finds which of many texts a text begins with, in one step per byte.
class ByteTrie {
 public:
  using Entry = std::pair<std::string_view, std::int32_t>;

  ByteTrie() : ByteTrie(std::vector<Entry>{}) {}
  /// Texts that are not empty, each with its value; of equal ones the first counts.
  /// Memory: 12 bytes per byte of the texts at most.
  explicit ByteTrie(std::vector<Entry> entries);

  /// Calls visit(length, value) for each entry that the text begins with, the shortest first.
  template <class Visit>
  void each_prefix(std::string_view text, const Visit& visit) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<unsigned char>(text[i]));
      if (node == 0) return;
      if (nodes_[node].value >= 0) visit(i + 1, nodes_[node].value);
    }
  }

  struct Match {
    std::size_t length{};
    std::int32_t value{};
  };
  /// The longest entry that the text begins with.
  std::optional<Match> longest(std::string_view text) const;

 private:
  struct Node {
    std::uint32_t first_child{};  // of those that lie side by side, by label
    std::int32_t value{-1};
    std::uint16_t children{};
    unsigned char label{};
  };

  std::uint32_t child(std::uint32_t node, unsigned char label) const;

  std::vector<Node> nodes_;
  std::array<std::uint32_t, 256> roots_{};  // children of the root by label, 0 for none
};

/// Parts a long piece where no merge reaches across, so that chains stay short: between two characters
/// that have tokens of their own and stand side by side in none.
class PieceParts {
 public:
  /// @param vocabulary  outlives it; it is looked through at the first long piece
  /// @param is_matched  [slots] whether a text may become the token; empty: all
  explicit PieceParts(const Vocabulary& vocabulary, std::vector<bool> is_matched = {})
      : vocabulary_(vocabulary), is_matched_(std::move(is_matched)) {}

  /// Calls add(part) for the parts of a piece, in order.
  template <class Add>
  void each(std::string_view piece, const Add& add) const {
    for (std::size_t from = 0; from < piece.size();) {
      const std::size_t end = end_of_part(piece, from);
      add(piece.substr(from, end - from));
      from = end;
    }
  }

 private:
  std::size_t end_of_part(std::string_view piece, std::size_t from) const;
  bool is_token(char32_t character) const;
  const std::vector<bool>& side_by_side() const;

  const Vocabulary& vocabulary_;
  std::vector<bool> is_matched_;
  mutable std::once_flag looked_through_{};
  /// By a hash of two characters; a collision only loses a cut.
  mutable std::vector<bool> side_by_side_{};
};

}  // namespace orrery

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// Longest text that is tokenized at once, in bytes.
inline constexpr std::size_t max_text_bytes = std::size_t{16} << 20;

/// Whether the tokens that a model expects around every text ([CLS], <s>, </s>) are added.
enum class Special { add, omit };

/// A token's id and the bytes [begin, end) of the text it stands for.
///
/// What the tokenizer puts in, [CLS] or a space before the first word, stands for none: begin == end.
struct TokenSpan {
  TokenSpan(std::int32_t token, std::size_t first, std::size_t behind)
      : id(token),
        begin(static_cast<std::uint32_t>(first)),
        end(static_cast<std::uint32_t>(behind)) {}

  std::int32_t id{};
  std::uint32_t begin{}, end{};
};

struct Token {
  std::int32_t id{};
  std::string piece{};  ///< as the vocabulary writes it: "Ġthe", "▁the", "##ing", "<0x0A>"
  std::size_t begin{}, end{};
};

/// Turns texts into the ids that a model was trained with. Calls may come from several threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// Throws DataError: not UTF-8, longer than max_text_bytes, a regular expression of the tokenizer
  /// that takes too long on the text, or a character that its vocabulary has no token for.
  virtual std::vector<TokenSpan> spans(std::string_view text,
                                       Special special = Special::add) const = 0;

  /// A token as the vocabulary writes it. Throws UsageError: no such id.
  virtual std::string piece(std::int32_t id) const = 0;

  /// The bytes of a text that a token stands for: "Ġthe" is " the", "<0x0A>" is a line break.
  /// A byte-level token may hold a part of a character. Throws UsageError: no such id.
  virtual std::string bytes(std::int32_t id) const = 0;

  /// One more than the largest id.
  virtual std::size_t size() const = 0;

  /// The ids of spans(text, special).
  std::vector<std::int32_t> encode(std::string_view text, Special special = Special::add) const;

  /// spans(text, special) with their pieces.
  std::vector<Token> tokens(std::string_view text, Special special = Special::add) const;
};

/// A token for people: valid UTF-8 without control characters, ␣ ↵ ⇥ for white space, and 0xE2 for
/// bytes that are a part of a character. Throws UsageError: no such id.
std::string label(const Tokenizer& tokenizer, std::int32_t id);

/// Throws DataError: not UTF-8 (with the offset of the first wrong byte), or longer than most_bytes.
void require_text(std::string_view text, std::size_t most_bytes = max_text_bytes);

}  // namespace orrery

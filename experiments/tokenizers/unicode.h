#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/tokenizers/aligned_text.h"

namespace orrery {

// What characters are to Hugging Face's tokenizers, whose parts know different versions of Unicode:
// BERT's categories stop at 8.0 and normal forms and accents at 9.0, so that a character that came
// later is neither punctuation nor an accent there; regular expressions, digits, white space and lower
// case know 16.0. Ours are ICU's, which here knows 15.0: what Unicode has assigned since is unassigned.

/// General category P, or ASCII punctuation, as BertPreTokenizer and Punctuation have it.
bool is_punctuation(char32_t character);

/// Control, format or private, as BertNormalizer's clean_text has it; tab and line breaks are white
/// space there, and unassigned characters stay.
bool is_control(char32_t character);

/// General category Mn, as BertNormalizer's strip_accents has it.
bool is_nonspacing_mark(char32_t character);

/// General category M, as StripAccents has it.
bool is_mark(char32_t character);

/// General category N.
bool is_numeric(char32_t character);

/// Unicode's White_Space.
bool is_white_space(char32_t character);

/// Letter, mark, decimal digit, connector or joiner: \w of the regular expressions around added tokens.
bool is_word_character(char32_t character);

/// The CJK ideographs that BERT takes for words, U+2B820 … U+2B91F not among them.
bool is_chinese(char32_t character);

/// Lower case without regard to neighbours. U+0130 becomes i and U+0307, every other one character.
/// @return the second character, or 0, behind the first
std::pair<char32_t, char32_t> lower_case(char32_t character);

/// The UTF-16 of a valid UTF-8 text: ICU's matchers and iterators read that.
std::u16string utf16_of(std::string_view utf8);

/// Appends the UTF-8 of a valid UTF-16 text.
void append_utf8(std::u16string_view utf16, std::string& to);

/// Turns places in a text's UTF-16, in rising order, into places in its UTF-8.
class Utf8Places {
 public:
  explicit Utf8Places(std::string_view utf8) : utf8_(utf8) {}

  std::size_t of(std::size_t utf16_place);

 private:
  std::string_view utf8_;
  std::size_t at_{0}, utf16_at_{0};
};

/// GPT-2's pattern of words, which ByteLevel has of its own.
inline constexpr std::string_view gpt2_words =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Each byte as the visible character that GPT-2 writes for it: A is A, a space is Ġ, 0x00 is Ā.
AlignedText byte_level(const AlignedText& text);

/// The same of one byte.
const std::string& byte_character(unsigned char byte);

/// The bytes that such characters stand for. Nothing when one is not among the 256.
std::optional<std::string> bytes_of_byte_level(std::string_view piece);

/// How a vocabulary writes bytes of texts.
enum class Writing {
  byte_level,  ///< GPT-2's visible characters for bytes
  metaspace,   ///< ▁ for a space, <0x0A> for a byte
  word_piece,  ///< ## before what continues a word
  word_start,  ///< ▁ before what begins a word
};

/// The bytes of a text that a piece stands for.
std::string text_of_piece(std::string_view piece, Writing writing);

}  // namespace orrery

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/tokenizers/aligned_text.h"
#include "experiments/tokenizers/charsmap.h"
#include "experiments/tokenizers/regex.h"

namespace orrery {

/// What a tokenizer makes of a text before it splits it, one of Hugging Face's normalizers.
using Normalizer = std::function<AlignedText(AlignedText)>;

enum class NormalForm { nfc, nfd, nfkc, nfkd };

struct BertOptions {
  bool clean_text{true};            ///< no control characters, and every white space a space
  bool handle_chinese_chars{true};  ///< spaces around ideographs
  bool strip_accents{true};
  bool lowercase{true};
};

Normalizer in_sequence(std::vector<Normalizer> all);
/// In Unicode 9.0, the version of Hugging Face's tables: characters that were assigned later stay as they
/// are, and combine with nothing.
Normalizer normal_form(NormalForm form);
Normalizer lowercase();
Normalizer strip_accents();
Normalizer bert_normalizer(const BertOptions& options);
/// Every match of the pattern becomes `content`.
Normalizer replace(Regex pattern, std::string content);
/// `text` before a text that is not empty.
Normalizer prepended(std::string text);
/// No white space at the ends.
Normalizer strip(bool left, bool right);
Normalizer precompiled(Charsmap map);
Normalizer byte_level_normalizer();
/// SentencePiece's clean-up: no control characters, and other white space a space.
Normalizer nmt();

struct SentencePieceOptions {
  bool add_space_prefix{false};
  bool remove_extra_whitespaces{false};  ///< none at the ends, and one for a run
};

/// What SentencePiece does to a text before a Unigram model: replaces the longest entries of its map of
/// characters, and writes ▁ for spaces.
Normalizer sentencepiece_normalizer(std::optional<Charsmap> map, SentencePieceOptions options);

/// What becomes of the places that a pattern matches, in "the-final--countdown" with "-":
///
///     removed               the final countdown
///     isolated              the - final - - countdown
///     merged_with_previous  the- final- - countdown
///     merged_with_next      the -final - -countdown
///     contiguous            the - final -- countdown
enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };

/// Takes the pieces of a text one after another, so that they are never held together.
using PieceSink = std::function<void(AlignedText)>;

/// Hands out the pieces that a piece falls into: one of Hugging Face's pre-tokenizers. No token
/// reaches beyond a piece.
using PreTokenizer = std::function<void(AlignedText, const PieceSink&)>;

struct MetaspaceOptions {
  enum class PrependScheme { first, always, never };

  std::string replacement{"▁"};
  PrependScheme prepend_scheme{PrependScheme::always};
  bool split{true};
};

PreTokenizer in_sequence(std::vector<PreTokenizer> all);
PreTokenizer split_by(Regex pattern, SplitBehavior behavior, bool invert);
/// Splits at each character that is one.
PreTokenizer split_at(bool (*is_one)(char32_t), SplitBehavior behavior);
/// BERT's words: at white space, which is removed, and around punctuation.
PreTokenizer bert_pre_tokenizer();
/// GPT-2's: its own words, where asked for, and visible characters for bytes.
PreTokenizer byte_level_pre_tokenizer(bool add_prefix_space, bool use_regex);
/// SentencePiece's: a visible character for each space.
PreTokenizer metaspace(const MetaspaceOptions& options);

}  // namespace orrery

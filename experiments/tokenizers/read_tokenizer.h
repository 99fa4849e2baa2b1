#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "experiments/tokenizers/added_beside.h"
#include "experiments/tokenizers/tokenizer.h"

namespace orrery {

/// The tokenizer of a file, or of a model's folder: the first of tokenizer.json, tokenizer.model,
/// spiece.model, vocab.json with merges.txt, vocab.txt, and the only *.gguf.
///
/// As AutoTokenizer does, tokens are added that added_tokens_decoder of tokenizer_config.json has,
/// or where it has none added_tokens.json, and the special ones that the configuration names.
///
/// A tokenizer.model adds <s> and </s> as tokenizer_config.json beside it says, and neither where there
/// is none.
///
/// Throws IoError: nothing there, or it cannot be read. Throws DataError: of another form, damaged, or of
/// a kind that is not read, which is named; a folder with several GGUFs.
std::unique_ptr<Tokenizer> read_tokenizer(const std::filesystem::path& path);

/// The tokenizer of a tokenizer.json, as Hugging Face's tokenizers 0.23 encodes one text with it.
/// Truncation, padding and the decoder change no id of a text and are left out.
///
/// Throws DataError, naming what is wrong: no JSON, a component or a key that is not known, a regular
/// expression that is not read, an added token whose id is not the one that its place gives it.
///
/// Characters that Unicode has assigned since 15.0, which ICU 72 does not know, may be split
/// differently: unicode.h.
std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view json, std::string_view name,
                                                const AddedBeside& beside = {});

/// The tokenizer of a GGUF's metadata: tokenizer.ggml.model gpt2 (merges, split by the expressions of
/// .pre), llama (SentencePiece's byte-pair encoding), bert (WordPiece) and t5 (Unigram).
///
/// gpt2, llama and t5 as llama.cpp encodes with special tokens read in the text; bert as BERT itself
/// does, with words of more than 100 characters unknown and Unicode's tables of unicode.h.
/// Of tokens that overlap in the text the leftmost counts, as in tokenizer.json, where llama.cpp takes
/// the longest.
///
/// Throws DataError: no tokenizer, a model or .pre that is not known, a list that is missing or too
/// short, a score that is not finite, a token to add that is none.
std::unique_ptr<Tokenizer> parse_gguf_vocabulary(std::string_view bytes, std::string_view name);

/// Whether a model expects its first and last token around a text. A tokenizer.model does not say so.
struct SentenceEnds {
  bool add_bos{false};
  bool add_eos{false};
};

/// Longest text that libsentencepiece is given: it takes time with the square of a run of characters that
/// it has no token for, 8 s for this many bytes of them.
inline constexpr std::size_t max_sentencepiece_bytes = std::size_t{1} << 20;

/// The tokenizer of a tokenizer.model, by libsentencepiece. Control tokens such as <s> that stand in
/// the text are text, but for those of `beside`. With any, the text falls into pieces at them, and
/// the first of these alone gets the space that begins a text, with `legacy` each, as in
/// Transformers 5.
/// Throws DataError: a file that is damaged where the library trusts it, or that the library refuses,
/// exceptions of its own included; a first or last token to add that the model does not have. Its calls throw DataError: a text longer than max_sentencepiece_bytes.
std::unique_ptr<Tokenizer> parse_sentencepiece(std::string_view proto, std::string_view name,
                                               const SentenceEnds& ends,
                                               const AddedBeside& beside = {}, bool legacy = false);

}  // namespace orrery

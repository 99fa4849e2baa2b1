#pragma once

#include <string_view>

#include "experiments/tokenizers/component.h"
#include "experiments/tokenizers/pipeline.h"

namespace orrery {

// The stages of tokenizer.json. Each throws DataError, naming the file and the component: a type or a
// key that is not known, a value of another type, or what the stage itself refuses.

/// Sequence, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, BertNormalizer, Replace, Prepend,
/// Precompiled, ByteLevel and Nmt; none for null.
Normalizer read_normalizer(const SortedJson& json, std::string_view file);

/// Sequence, ByteLevel, Split, Digits, Punctuation, BertPreTokenizer, Whitespace, WhitespaceSplit,
/// CharDelimiterSplit and Metaspace; none for null.
PreTokenizer read_pre_tokenizer(const SortedJson& json, std::string_view file);

/// BPE, WordPiece and Unigram. Dropout is refused: it draws at random.
std::unique_ptr<Model> read_model(const SortedJson& json, std::string_view file);

/// Sequence, TemplateProcessing (of single texts), BertProcessing, RobertaProcessing and ByteLevel.
Template read_template(const SortedJson& json, std::string_view file);

/// Throws DataError: more than 64 components in one another or in a row.
void require_few_stages(const SortedJson& json, std::string_view where, std::string_view file);

/// {"String": …} or {"Regex": …}.
Regex read_pattern(const SortedJson& json, const Component& of);

}  // namespace orrery

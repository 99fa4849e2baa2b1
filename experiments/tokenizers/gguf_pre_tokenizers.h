#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace orrery {

/// What tokenizer.ggml.pre of a GGUF stands for: regular expressions that split a text one after
/// another, everything that they match and what lies between being pieces, and llama.cpp's defaults.
struct GgufPreTokenizer {
  std::string_view name{};                      ///< a value of it
  std::vector<std::string_view> expressions{};  ///< in the syntax of tokenizer.json
  bool ignore_merges{false};
  bool add_bos{false};  ///< unless the file says otherwise
};

/// All that are known, by the names that llama.cpp's converter gives them (commit 0c1e570):
/// assets/families/gguf_pre_tokenizers.json. Expressions are those of the models' own tokenizer.json
/// files, which llama.cpp writes without look-ahead, case and marks where its own matcher lacks them.
std::span<const GgufPreTokenizer> gguf_pre_tokenizers();

/// The one of that name. Throws DataError: none.
const GgufPreTokenizer& gguf_pre_tokenizer(std::string_view pre, std::string_view file);

}  // namespace orrery

#pragma once

#include <filesystem>
#include <memory>

#include "experiments/tokenizers/tokenizer.h"

namespace orrery {

/// The tokenizer of a file, or of a model's folder: the first of tokenizer.json, tokenizer.model,
/// spiece.model, vocab.json with merges.txt, vocab.txt, and the only *.gguf.
///
/// A tokenizer.model adds <s> and </s> as tokenizer_config.json beside it says, and neither where there
/// is none.
///
/// Throws IoError: nothing there, or it cannot be read. Throws DataError: of another form, damaged, or of
/// a kind that is not read, which is named; a folder with several GGUFs.
std::unique_ptr<Tokenizer> read_tokenizer(const std::filesystem::path& path);

}  // namespace orrery

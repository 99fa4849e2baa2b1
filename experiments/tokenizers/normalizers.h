#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "experiments/tokenizers/aligned_text.h"
#include "experiments/tokenizers/charsmap.h"
#include "experiments/tokenizers/normal_form.h"
#include "experiments/tokenizers/regex.h"

namespace orrery {

/// What a tokenizer makes of a text before it splits it, one of Hugging Face's normalizers.
using Normalizer = std::function<AlignedText(AlignedText)>;

struct BertOptions {
  bool clean_text{true};            ///< no control characters, and every white space a space
  bool handle_chinese_chars{true};  ///< spaces around ideographs
  bool strip_accents{true};
  bool lowercase{true};
};

Normalizer in_sequence(std::vector<Normalizer> all);
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

}  // namespace orrery

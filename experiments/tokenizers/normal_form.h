#pragma once

#include "experiments/tokenizers/aligned_text.h"

namespace orrery {

enum class NormalForm { nfc, nfd, nfkc, nfkd };

/// A text in a normal form of Unicode 9.0, the version of Hugging Face's tables: characters that were
/// assigned later stay as they are, and combine with nothing.
AlignedText in_normal_form(const AlignedText& text, NormalForm form);

}  // namespace orrery

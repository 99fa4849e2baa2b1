#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiments/tokenizers/added_tokens.h"
#include "experiments/tokenizers/model.h"
#include "experiments/tokenizers/pre_tokenizers.h"
#include "experiments/tokenizers/tokenizer.h"
#include "experiments/tokenizers/writing.h"

namespace orrery {

/// A part of a template: the text, or tokens that are added to it.
struct TemplatePart {
  bool is_text{true};
  std::vector<std::int32_t> ids{};
};
using Template = std::vector<TemplatePart>;

/// The tokens before a text, the text, and the tokens behind it.
Template template_around(std::vector<std::int32_t> before, std::vector<std::int32_t> behind);

/// The stages of a tokenizer. A text goes through them in this order.
struct TokenizerStages {
  std::vector<AddedToken> added{};
  Normalizer normalizer{};       ///< none when empty
  PreTokenizer pre_tokenizer{};  ///< none when empty
  std::unique_ptr<Model> model{};
  Template around{TemplatePart{}};
  Writing writing{Writing::byte_level};
};

/// A tokenizer of these stages. Needs a model.
std::unique_ptr<Tokenizer> pipeline_tokenizer(TokenizerStages pipeline);

}  // namespace orrery

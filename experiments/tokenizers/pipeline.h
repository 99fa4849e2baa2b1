#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "experiments/tokenizers/models.h"
#include "experiments/tokenizers/stages.h"
#include "experiments/tokenizers/tokenizer.h"
#include "experiments/tokenizers/unicode.h"

namespace orrery {

/// A token that is found in the text before anything splits it, such as <|im_start|>.
struct AddedToken {
  std::int32_t id{};
  std::string content{};
  bool single_word{};       ///< not within a word
  bool lstrip{}, rstrip{};  ///< it takes the white space before or after it along
  bool normalized{};        ///< found in the normalised text, normalised itself
};

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

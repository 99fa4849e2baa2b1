#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/params.h"
#include "experiments/model/inputs.h"
#include "experiments/tokenizers/tokenizer.h"

namespace orrery {

/// A text as a model reads it.
struct ModelText {
  std::string name{};  ///< "where_tokens_are.txt, part 2"
  std::vector<std::int32_t> tokens{};
};

/// The parameters text and tokens.
std::vector<ParamSpec> source_params();
/// Those, length, which is 0 by default and then stands for `usual` or less, and parts.
std::vector<ParamSpec> text_params(std::int64_t usual, std::int64_t parts);

/// The texts that those parameters name: a text that the model's own tokenizer reads, or ids
/// [N] or [texts, N]; of each, `parts` pieces of at most `most` tokens that follow each other, one
/// without that parameter.
///
/// @param inputs  what load_inputs has read of them
/// Throws UsageError: both are given, or tokens that are no ids; a text of fewer than two tokens
/// for each part. Throws as read_tokenizer does.
std::vector<ModelText> model_texts(const std::filesystem::path& model, const ParamSet& params,
                                   const Inputs& inputs, std::int64_t most);

/// The texts that source_params() name, as a whole. Throws as model_texts does.
std::vector<ModelText> whole_texts(const std::filesystem::path& model, const ParamSet& params,
                                   const Inputs& inputs);

/// A text beside the others, KEY and KEY_tokens: a file, or ids [N] or [texts, N].
std::vector<ParamSpec> other_text_params(const char* key, const char* description);
/// The texts of those two parameters, cut to `most` tokens; none where both are empty.
std::vector<ModelText> other_texts(const std::filesystem::path& model, const std::string& key,
                                   const Inputs& inputs, std::int64_t most);

/// The parts of a sequence.
std::vector<ModelText> parts_of(const ModelText& text, std::size_t length, std::size_t parts);

/// The token that a model's tokenizer puts before every text, <s> or [CLS]; −1 without one.
std::int32_t leading_token(const std::filesystem::path& model);
std::int32_t leading_token(const Tokenizer* tokenizer);

/// The tokens of words, without what stands around a text. Throws UsageError for none, and as
/// read_tokenizer does.
std::vector<std::int32_t> ids_of_words(const std::filesystem::path& model,
                                       const std::string& words);

/// The model's tokenizer; null where it has none that can be read.
std::unique_ptr<Tokenizer> tokenizer_of(const std::filesystem::path& model);

/// How a model's pieces read; "5" for the id 5 without a tokenizer.
std::vector<std::string> labels_of(const Tokenizer* tokenizer,
                                   const std::vector<std::int32_t>& ids);
std::vector<std::string> labels_of(const std::filesystem::path& model,
                                   const std::vector<std::int32_t>& ids);

/// Mean losses of the predicted tokens of texts by their frequencies, in nats: a model that has
/// learned anything loses less.
struct FrequencyLoss {
  /// Of each text by the frequencies of all of them, which no model can know.
  std::vector<double> of_same{};
  /// Mean over the texts, of each by the others, whose N tokens are of T kinds out of V: n/(N + T) for a token that
  /// they have n times, T/((N + T)(V − T)) for one that they do not have (I. H. Witten and T. C. Bell,
  /// IEEE Trans. Inf. Theory 37, 1991, method C).
  double of_others{};
};

/// @param vocabulary  V
FrequencyLoss frequency_loss(const std::vector<ModelText>& texts, int vocabulary);

}  // namespace orrery

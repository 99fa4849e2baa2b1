#include "experiments/heads/model_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <variant>

#include "core/errors.h"
#include "core/param_specs.h"
#include "experiments/checkpoints/pass_inputs.h"
#include "experiments/statistics/welch.h"
#include "experiments/tokenizers/read_tokenizer.h"

namespace orrery {
namespace {

constexpr std::size_t fewest_tokens = 2;

std::vector<ModelText> given_tokens(const Tensor& tensor) {
  const std::vector<std::int32_t> ids = ids_in(tensor, "tokens");
  if (tensor.shape.empty() || tensor.shape.size() > 2)
    throw UsageError("tokens=" + tensor.name, "must be [N], or [texts, N]", "reshape it first");
  const std::size_t length = tensor.shape.back();
  std::vector<ModelText> texts;
  for (std::size_t first = 0; first < ids.size(); first += length) {
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
    const std::string name =
        ids.size() == length ? tensor.name : fmt::format("{}, text {}", tensor.name, texts.size());
    texts.push_back({name, {begin, begin + static_cast<std::ptrdiff_t>(length)}});
  }
  return texts;
}

ParamSpec file_param(std::string key, std::string description, std::string usual,
                     std::string type) {
  return {.key = std::move(key),
          .description = std::move(description),
          .kind = ParamKind::file,
          .default_value = std::move(usual),
          .file_types = {std::move(type)}};
}

ModelText read_text(const std::filesystem::path& model, const Text& text) {
  return {text.name, read_tokenizer(model)->encode(text.utf8)};
}

}  // namespace

std::vector<ParamSpec> source_params() {
  return {
      file_param("text", "A text that the model's own tokenizer reads.",
                 "bundled:where_tokens_are.txt", "*"),
      file_param("tokens", "Ids of the tokens in place of a text, [N] or [texts, N].", "", "npy")};
}

std::vector<ParamSpec> text_params(std::int64_t usual, std::int64_t parts) {
  std::vector<ParamSpec> specs = source_params();
  specs.push_back(
      count_param({"length", "$N$", "tokens"},
                  fmt::format("At most so many tokens of a part; 0: {}, or of a text what "
                              "the model's file names where that is less.",
                              usual),
                  0, 0, 1 << 20));
  specs.push_back(
      count_param("parts", "Pieces of the text, which follow each other.", parts, 1, 4096));
  return specs;
}

std::vector<ModelText> parts_of(const ModelText& text, std::size_t length, std::size_t parts) {
  const std::size_t of_part = std::min<std::size_t>(length, text.tokens.size() / parts);
  if (of_part < fewest_tokens)
    throw UsageError(fmt::format("{}: {} tokens in {} parts", text.name, text.tokens.size(), parts),
                     fmt::format("a part has {} or more", fewest_tokens),
                     parts > 1 ? "give a longer text, or fewer with parts=" : "give a longer text");
  std::vector<ModelText> out;
  for (std::size_t p = 0; p < parts; ++p) {
    const auto begin = text.tokens.begin() + static_cast<std::ptrdiff_t>(p * of_part);
    out.push_back({parts == 1 ? text.name : fmt::format("{}, part {}", text.name, p),
                   {begin, begin + static_cast<std::ptrdiff_t>(of_part)}});
  }
  return out;
}

std::vector<ModelText> whole_texts(const std::filesystem::path& model, const ParamSet& params,
                                   const Inputs& inputs) {
  const auto tokens = inputs.find("tokens");
  const bool has_tokens = tokens != inputs.end();
  if (has_tokens && !params.is_default("text"))
    throw UsageError("text= and tokens=", "one of the two is read",
                     "give text=FILE, or tokens=FILE");
  if (has_tokens) return given_tokens(std::get<Tensor>(tokens->second));
  return {read_text(model, std::get<Text>(inputs.at("text")))};
}

std::vector<ModelText> model_texts(const std::filesystem::path& model, const ParamSet& params,
                                   const Inputs& inputs, std::int64_t most) {
  const std::int64_t parts = params.has("parts") ? params.integer("parts") : 1;
  std::vector<ModelText> texts;
  for (const ModelText& text : whole_texts(model, params, inputs))
    for (ModelText& part :
         parts_of(text, static_cast<std::size_t>(most), static_cast<std::size_t>(parts)))
      texts.push_back(std::move(part));
  return texts;
}

std::vector<ParamSpec> other_text_params(const char* key, const char* description) {
  return {file_param(key, description, "", "*"),
          file_param(fmt::format("{}_tokens", key), "Ids of its tokens, [N] or [texts, N].", "",
                     "npy")};
}

std::vector<ModelText> other_texts(const std::filesystem::path& model, const std::string& key,
                                   const Inputs& inputs, std::int64_t most) {
  std::vector<ModelText> texts;
  if (const auto tokens = inputs.find(key + "_tokens"); tokens != inputs.end())
    texts = given_tokens(std::get<Tensor>(tokens->second));
  if (const auto text = inputs.find(key); text != inputs.end())
    texts.push_back(read_text(model, std::get<Text>(text->second)));
  for (ModelText& text : texts)
    if (static_cast<std::int64_t>(text.tokens.size()) > most)
      text.tokens.resize(static_cast<std::size_t>(most));
  return texts;
}

std::int32_t leading_token(const std::filesystem::path& model) {
  return leading_token(tokenizer_of(model).get());
}

std::int32_t leading_token(const Tokenizer* tokenizer) {
  if (!tokenizer) return -1;
  const std::vector<std::int32_t> with = tokenizer->encode("a", Special::add),
                                  without = tokenizer->encode("a", Special::omit);
  return with.empty() || (!without.empty() && with.front() == without.front()) ? -1 : with.front();
}

std::vector<std::int32_t> ids_of_words(const std::filesystem::path& model,
                                       const std::string& words) {
  std::vector<std::int32_t> ids = read_tokenizer(model)->encode(words, Special::omit);
  if (ids.empty())
    throw UsageError("\"" + words + "\"", "has no tokens", "give words that the tokenizer reads");
  return ids;
}

std::unique_ptr<Tokenizer> tokenizer_of(const std::filesystem::path& model) {
  try {
    return read_tokenizer(model);
  } catch (const Error&) {  // ids are all that there is to show
    return nullptr;
  }
}

std::vector<std::string> labels_of(const std::filesystem::path& model,
                                   const std::vector<std::int32_t>& ids) {
  return labels_of(tokenizer_of(model).get(), ids);
}

std::vector<std::string> labels_of(const Tokenizer* tokenizer,
                                   const std::vector<std::int32_t>& ids) {
  std::vector<std::string> labels;
  for (const std::int32_t id : ids) {
    const bool known = tokenizer && static_cast<std::size_t>(id) < tokenizer->size();
    labels.push_back(known ? label(*tokenizer, id) : fmt::format("{}", id));
  }
  return labels;
}

namespace {

/// How often tokens are predicted.
using Counts = std::map<std::int32_t, double>;

Counts counts_of(const ModelText& text) {
  Counts counts;
  for (std::size_t i = 1; i < text.tokens.size(); ++i) ++counts[text.tokens[i]];
  return counts;
}

double sum_of(const Counts& counts) {
  double sum = 0;
  for (const auto& [token, count] : counts) sum += count;
  return sum;
}

/// Mean loss of `text` by the frequencies of `others`.
double loss_by(const Counts& others, const Counts& text, double vocabulary) {
  const double n = sum_of(others), kinds = static_cast<double>(others.size());
  const double unseen = kinds < vocabulary ? kinds / ((n + kinds) * (vocabulary - kinds)) : 0;
  double sum = 0;
  for (const auto& [token, count] : text) {
    const auto found = others.find(token);
    sum -= count * std::log(found == others.end() ? unseen : found->second / (n + kinds));
  }
  return sum / sum_of(text);
}

}  // namespace

FrequencyLoss frequency_loss(const std::vector<ModelText>& texts, int vocabulary) {
  Counts all;
  std::vector<Counts> counts;
  for (const ModelText& text : texts) {
    counts.push_back(counts_of(text));
    for (const auto& [token, count] : counts.back()) all[token] += count;
  }
  FrequencyLoss loss;
  const double n = sum_of(all);
  for (const Counts& own : counts) {
    double sum = 0;
    for (const auto& [token, count] : own) sum -= count * std::log(all[token] / n);
    loss.of_same.push_back(sum / sum_of(own));
  }
  std::vector<double> by_others;
  for (const Counts& own : counts) {
    Counts others = all;
    for (const auto& [token, count] : own)
      if ((others[token] -= count) == 0) others.erase(token);
    by_others.push_back(loss_by(others, own, vocabulary));
  }
  loss.of_others = sample_mean(by_others);
  return loss;
}

}  // namespace orrery

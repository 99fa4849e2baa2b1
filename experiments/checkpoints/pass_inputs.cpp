#include "experiments/checkpoints/pass_inputs.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/errors.h"
#include "experiments/data/tensor_map.h"
#include "experiments/tokenizers/read_tokenizer.h"

namespace orrery {
namespace {

std::vector<std::int32_t> ids_of(Inputs& inputs, const char* key) {
  const std::optional<Tensor> tensor = take_tensor(inputs, key);
  if (!tensor) return {};
  if (tensor->shape.size() != 1)
    throw UsageError(fmt::format("{}={}", key, tensor->name), "must be [N], one number per token",
                     "flatten it first");
  return ids_in(*tensor, key);
}

std::vector<std::int32_t> tokens_of(const std::filesystem::path& model, const ParamSet& params,
                                    Inputs& inputs, std::int64_t longest) {
  std::vector<std::int32_t> tokens = ids_of(inputs, "tokens");
  // The text that is read by default gives way to tokens.
  const bool has_text =
      inputs.count("text") == 1 && !(params.is_default("text") && !tokens.empty());
  if (tokens.empty() == !has_text)
    throw UsageError(has_text ? "text= and tokens=" : "neither text= nor tokens=",
                     "a pass reads one of the two", "give text=FILE, or tokens=FILE.npy");
  auto most = static_cast<std::size_t>(params.integer("length"));
  if (has_text) {
    tokens = read_tokenizer(model)->encode(std::get<Text>(inputs.at("text")).utf8);
    if (most == 0) most = static_cast<std::size_t>(longest);
  }
  if (most > 0 && tokens.size() > most) tokens.resize(most);
  return tokens;
}

}  // namespace

std::vector<std::int32_t> ids_in(const Tensor& tensor, const std::string& key) {
  std::vector<std::int32_t> ids;
  for (const double value : tensor.values) {
    if (value != std::floor(value) || value < 0 || value > 2147483647.0)
      throw DataError(fmt::format("{}: {} at [{}]", key, value, ids.size()), "is no id of a token",
                      "give whole numbers from 0 on");
    ids.push_back(static_cast<std::int32_t>(value));
  }
  return ids;
}

PassInputs pass_inputs(const std::filesystem::path& model, const ParamSet& params, Inputs inputs,
                       std::int64_t longest) {
  return {.tokens = tokens_of(model, params, inputs, longest),
          .segments = ids_of(inputs, "segments"),
          .decoder_tokens = ids_of(inputs, "decoder_tokens")};
}

}  // namespace orrery

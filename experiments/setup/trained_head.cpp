#include "experiments/setup/trained_head.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/encodings/rope.h"
#include "core/errors.h"
#include "experiments/checkpoints/checkpoint.h"
#include "experiments/files/assets.h"
#include "experiments/files/file.h"
#include "experiments/setup/common_params.h"
#include "experiments/tokenizers/read_tokenizer.h"

namespace orrery {
namespace {

std::filesystem::path model_folder() { return asset_path("models/" + std::string(trained_model)); }

/// Rows of one head as the columns of a projection.
template <class T>
Matrix<T> projection_of(const Matrix<T>& rows, Index head, Index width) {
  return rows.middleRows(head * width, width).transpose();
}

/// The ids of the first bytes of a text, each a token.
std::vector<std::int32_t> ids_of(const Tokenizer& tokenizer, std::string_view text,
                                 std::size_t max_tokens) {
  // A tokenizer reads whole characters.
  std::size_t end = std::min<std::size_t>(max_tokens, text.size());
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) ++end;
  std::vector<std::int32_t> ids = tokenizer.encode(text.substr(0, end));
  ids.resize(std::min<std::size_t>(ids.size(), max_tokens));
  return ids;
}

/// Tokens that stand for another byte than the text has.
std::size_t unknown_among(const Tokenizer& tokenizer, const std::vector<std::int32_t>& ids,
                          std::string_view text) {
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < ids.size(); ++i)
    unknown += tokenizer.bytes(ids[i]) == text.substr(i, 1) ? 0U : 1U;
  return unknown;
}

}  // namespace

ParamSpec contents_param(const char* by_default) {
  return choice_param(
      "contents", "Where queries and keys come from.", by_default,
      {{"random", "random vectors; where tokens are words, the same for equal ones"},
       {"trained",
        "a head of a small model that has learned to say the next byte of a text "
        "with RoPE; other encodings act on what it learned with that"}});
}

ParamSpec of_random_contents(ParamSpec spec) {
  return read_while("contents", {"random"}, std::move(spec));
}

std::string beyond_trained(std::int64_t tokens) {
  if (tokens <= trained_tokens) return {};
  return fmt::format(", beyond the {} that the model learned from", trained_tokens);
}

bool has_trained_contents(const ParamSet& params) {
  return params.has("contents") && params.is_used("contents") &&
         params.text("contents") == "trained";
}

ParamSpec trained_layer_param(const std::string& selector) {
  return read_while(selector, {"trained"},
                    count_param({"trained_layer", "$l$"},
                                "The layer of the trained model whose head is meant, counted from "
                                "0.",
                                trained_layers - 1, 0, trained_layers - 1));
}

void check_trained_head(std::int64_t head) {
  if (head < trained_heads) return;
  throw UsageError(fmt::format("head={} with contents=trained", head),
                   fmt::format("the model has heads 0 to {}", trained_heads - 1),
                   fmt::format("try head={}", trained_heads - 1));
}

template <class T>
TrainedHead<T> trained_head(std::string_view text, std::size_t max_tokens, std::int64_t layer,
                            std::int64_t head) {
  const auto checkpoint = Checkpoint::open(model_folder());
  const Stack& stack = checkpoint.stack();
  const AttentionDesign& attention = stack.design.attention;
  check_trained_head(head);
  const auto tokenizer = read_tokenizer(model_folder());
  const std::vector<std::int32_t> ids = ids_of(*tokenizer, text, max_tokens);
  TrainedHead<T> out;
  out.unknown = unknown_among(*tokenizer, ids, text);

  TransformerDesign front = stack.design;
  front.layers.resize(static_cast<std::size_t>(layer));
  front.final_norm = false;
  const auto weights = weight_source<T>(checkpoint, stack);
  const Matrix<T> stream = forward<T>(front, *weights, {.ids = ids});
  const auto of_layer = weights->layer(static_cast<int>(layer));
  out.x = normalised<T>(stack.design.norm, of_layer->before_attention, stream);
  const RopePairing pairing = stack.layers.at(static_cast<std::size_t>(layer)).rope.pairing;
  const AttentionWeights<T>& w = of_layer->attention;
  const auto interleaved = [&](const Matrix<T>& W) {
    const Matrix<T> rows = repaired_rows<T>(W, attention.heads, pairing, RopePairing::interleaved);
    return projection_of<T>(rows, head, attention.d_head);
  };
  out.projections.W_q = interleaved(w.q.W);
  out.projections.W_k = interleaved(w.k.W);
  out.projections.W_v = projection_of<T>(w.v.W, head, attention.d_value);
  return out;
}

template <class T>
TrainedHead<T> trained_head_of_example(const ParamSet& params, std::int64_t tokens) {
  constexpr std::uintmax_t most_bytes = 1 << 20;
  const std::string text = read_file(asset_path("texts/the_orrery.txt"), most_bytes);
  return trained_head<T>(text, static_cast<std::size_t>(tokens), params.integer("trained_layer"),
                         params.integer("head"));
}

template TrainedHead<float> trained_head(std::string_view, std::size_t, std::int64_t, std::int64_t);
template TrainedHead<double> trained_head(std::string_view, std::size_t, std::int64_t,
                                          std::int64_t);
template TrainedHead<float> trained_head_of_example(const ParamSet&, std::int64_t);
template TrainedHead<double> trained_head_of_example(const ParamSet&, std::int64_t);

}  // namespace orrery

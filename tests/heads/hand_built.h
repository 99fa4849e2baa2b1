#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "experiments/data/npy.h"
#include "experiments/data/safetensors.h"
#include "tests/support/temp_folder.h"

namespace orrery::test {

/// A Llama of two layers with two heads each, made by hand so that each head does one thing:
///   0.0 looks at the token before, by RoPE's pair 0 alone; writes what it is into the stream
///   0.1 looks at tokens like its own, by slow pairs; writes nothing
///   1.0 looks at tokens that came after one like its own: induction; writes what they are
///   1.1 looks at all tokens alike, and writes nothing
/// The vocabulary's logits are what 1.0 has written: a text that repeats is predicted from its
/// second round on, and without 1.0 nothing is.
///
/// The stream holds [1 | what the token is | what the token before is | what is predicted].
class HandBuilt {
 public:
  static constexpr std::size_t vocabulary = 12, width = 1 + 3 * vocabulary, d_head = 128, heads = 2;

  /// Token 0 comes first, once: before it there is no other.
  static std::vector<std::int32_t> text() { return {0, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5}; }

  /// @param certainty  of its predictions, right or wrong: with the usual one those of a first round cost
  ///                   more than the frequencies of tokens would
  explicit HandBuilt(const TempFolder& folder, float certainty = 40)
      : path_(folder.path() / "hand_built") {
    std::filesystem::create_directory(path_);
    folder.file("hand_built/config.json", config());
    embedding(certainty);
    for (const int layer : {0, 1}) layer_of_zeros(layer);
    previous_head();
    duplicate_head();
    induction_head();
    std::vector<const Array*> pointers;
    for (const Array& array : arrays_) pointers.push_back(&array);
    folder.file("hand_built/model.safetensors", safetensors_bytes(pointers));
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  static constexpr std::size_t token = 1, before = 1 + vocabulary, predicted = 1 + 2 * vocabulary;
  static constexpr double sharp = 20;  ///< of q and k: other keys get weights below 1e-15
  static constexpr std::size_t half = d_head / 2;
  static constexpr std::size_t slow = half - vocabulary;  ///< the first pair that stands still

  static std::string config() {
    return R"({"model_type": "llama", "hidden_size": 37, "num_hidden_layers": 2, "head_dim": 128,
 "num_attention_heads": 2, "num_key_value_heads": 2, "intermediate_size": 2, "vocab_size": 12,
 "rope_theta": 1e12, "rms_norm_eps": 1e-12, "tie_word_embeddings": false,
 "max_position_embeddings": 64, "hidden_act": "silu"})";
  }

  std::vector<float>& add(const std::string& name, std::vector<std::size_t> shape, float value) {
    std::size_t numbers = 1;
    for (const std::size_t extent : shape) numbers *= extent;
    std::vector<std::string> axes(shape.size(), "channel");
    arrays_.push_back({.name = name,
                       .shape = std::move(shape),
                       .axes = std::move(axes),
                       .values = std::vector<float>(numbers, value)});
    return std::get<std::vector<float>>(arrays_.back().values);
  }

  /// W of a layer: the output `out` gains `factor` times the input `in`.
  void wire(int layer, const char* matrix, std::size_t out, std::size_t in, double factor) {
    const std::string name =
        "model.layers." + std::to_string(layer) + ".self_attn." + matrix + "_proj.weight";
    for (Array& array : arrays_)
      if (array.name == name)
        std::get<std::vector<float>>(array.values)[out * array.shape[1] + in] =
            static_cast<float>(factor);
  }

  void embedding(float certainty) {
    std::vector<float>& rows = add("model.embed_tokens.weight", {vocabulary, width}, 0);
    for (std::size_t t = 0; t < vocabulary; ++t) rows[t * width] = rows[t * width + token + t] = 1;
    add("model.norm.weight", {width}, 1);
    std::vector<float>& head = add("lm_head.weight", {vocabulary, width}, 0);
    for (std::size_t t = 0; t < vocabulary; ++t) head[t * width + predicted + t] = certainty;
  }

  void layer_of_zeros(int layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"})
      add(prefix + norm + ".weight", {width}, 1);
    for (const char* matrix : {"q", "k", "v"})
      add(prefix + "self_attn." + matrix + "_proj.weight", {heads * d_head, width}, 0);
    add(prefix + "self_attn.o_proj.weight", {width, heads * d_head}, 0);
    for (const char* matrix : {"gate", "up"})
      add(prefix + "mlp." + matrix + "_proj.weight", {2, width}, 0);
    add(prefix + "mlp.down_proj.weight", {width, 2}, 0);
  }

  /// q = s (cos 1, −sin 1), k = s (1, 0) in pair 0, which turns by 1 rad per token: the logit is
  /// s² cos(m − n − 1).
  void previous_head() {
    wire(0, "q", 0, 0, sharp * std::cos(1.0));
    wire(0, "q", half, 0, -sharp * std::sin(1.0));
    wire(0, "k", 0, 0, sharp);
    for (std::size_t t = 0; t < vocabulary; ++t) {
      wire(0, "v", t, token + t, 1);
      wire(0, "o", before + t, t, 1);
    }
  }

  // The last pairs stand still: their frequencies are below 2e-10 rad per token.
  void duplicate_head() {
    for (std::size_t t = 0; t < vocabulary; ++t)
      for (const char* matrix : {"q", "k"}) wire(0, matrix, d_head + slow + t, token + t, sharp);
  }

  void induction_head() {
    for (std::size_t t = 0; t < vocabulary; ++t) {
      wire(1, "q", slow + t, token + t, sharp);
      wire(1, "k", slow + t, before + t, sharp);
      wire(1, "v", t, token + t, 1);
      wire(1, "o", predicted + t, t, 1);
    }
  }

  std::filesystem::path path_;
  std::vector<Array> arrays_{};
};

/// A file of a text's ids, as `tokens` reads it.
inline std::string ids_file(const TempFolder& folder, const std::vector<std::int32_t>& text) {
  const Array ids{.name = "ids",
                  .shape = {text.size()},
                  .values = std::vector<double>(text.begin(), text.end())};
  return folder.file("ids.npy", npy_bytes(ids)).string();
}

}  // namespace orrery::test

#include "experiments/checkpoints/family.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "experiments/model_files/config_values.h"
#include "experiments/model_files/model_tables.h"

namespace orrery {
namespace {

constexpr std::string_view families_file = "checkpoints.json";

const TableFields<TensorNames>& name_fields() {
  using T = TensorNames;
  static const TableFields<T> fields{
      {"layout", table_value(&T::layout, "separate stacked grouped")},
      {"transposed", table_value(&T::transposed, "none layers queries_keys_values")},
      {"prefixes", table_value(&T::prefixes)},
      {"tokens", table_value(&T::tokens)},
      {"token_parts", table_value(&T::token_parts)},
      {"part_projections", table_value(&T::part_projections)},
      {"positions", table_value(&T::positions)},
      {"segments", table_value(&T::segments)},
      {"embedding_norm", table_value(&T::embedding_norm)},
      {"projection", table_value(&T::projection)},
      {"layer", table_value(&T::layer)},
      {"qkv", table_value(&T::qkv)},
      {"q", table_value(&T::q)},
      {"k", table_value(&T::k)},
      {"v", table_value(&T::v)},
      {"o", table_value(&T::o)},
      {"q_bias", table_value(&T::q_bias)},
      {"v_bias", table_value(&T::v_bias)},
      {"q_norm", table_value(&T::q_norm)},
      {"k_norm", table_value(&T::k_norm)},
      {"before_attention", table_value(&T::before_attention)},
      {"after_attention", table_value(&T::after_attention)},
      {"before_feed_forward", table_value(&T::before_feed_forward)},
      {"after_feed_forward", table_value(&T::after_feed_forward)},
      {"gate_up", table_value(&T::gate_up)},
      {"gate", table_value(&T::gate)},
      {"up", table_value(&T::up)},
      {"down", table_value(&T::down)},
      {"final_norm", table_value(&T::final_norm)},
      {"vocabulary", table_value(&T::vocabulary)},
      {"vocabulary_bias", table_value(&T::vocabulary_bias)},
      {"transform", table_value(&T::transform)},
      {"transform_norm", table_value(&T::transform_norm)},
      {"relative_table", table_value(&T::relative_table)},
      {"relative_norm", table_value(&T::relative_norm)},
      {"layer_table", table_value(&T::layer_table)},
      {"rotations", table_value(&T::rotations)},
      {"relative_query", table_value(&T::relative_query)},
      {"relative_key", table_value(&T::relative_key)},
      {"shared_content_bias", table_value(&T::shared_content_bias)},
      {"shared_position_bias", table_value(&T::shared_position_bias)},
      {"content_bias", table_value(&T::content_bias)},
      {"position_bias", table_value(&T::position_bias)},
      {"segment_bias", table_value(&T::segment_bias)},
      {"segment_table", table_value(&T::segment_table)},
      {"convolution", table_value(&T::convolution)},
      {"convolution_norm", table_value(&T::convolution_norm)},
      {"before_memory", table_value(&T::before_memory)},
      {"memory_q", table_value(&T::memory_q)},
      {"memory_k", table_value(&T::memory_k)},
      {"memory_v", table_value(&T::memory_v)},
      {"memory_o", table_value(&T::memory_o)},
  };
  return fields;
}

OptionalTensors read_presence(const Json& object) {
  using T = OptionalTensors;
  static const std::map<std::string_view, Presence T::*> members{
      {"attention_bias", &T::attention_bias},
      {"output_bias", &T::output_bias},
      {"inner_bias", &T::inner_bias},
      {"norm_bias", &T::norm_bias},
      {"projection_bias", &T::projection_bias},
      {"transform_bias", &T::transform_bias},
      {"head_bias", &T::head_bias},
      {"query_bias", &T::query_bias},
      {"key_bias", &T::key_bias},
      {"positions", &T::positions},
      {"segments", &T::segments},
  };
  TableFields<T> fields;
  for (const auto& [key, member] : members)
    fields[key] = table_value(member, "as_stored needed none");
  return table_row(families_file, object, fields);
}

/// Names by their key in the table. Those of a key "like" stand where these say nothing else.
const TensorNames& names_called(const std::string& key) {
  static const std::map<std::string, TensorNames> all = [] {
    std::map<std::string, TensorNames> read;
    for (const auto& [name, object] : model_table(families_file).at("names").items()) {
      TableFields<TensorNames> fields = name_fields();
      fields["like"] = [](TensorNames&, const Json&) {};
      read[name] = table_row(families_file, object, fields,
                             object.contains("like") ? read.at(object.at("like")) : TensorNames{});
    }
    return read;
  }();
  return all.at(key);
}

const TableFields<Family>& family_fields() {
  using F = Family;
  static const TableFields<F> fields{
      {"name", table_value(&F::name)},
      {"types", table_value(&F::types)},
      {"architectures", table_value(&F::architectures)},
      {"norm", table_value(&F::norm, "none layer rms")},
      {"epsilon_key", table_value(&F::epsilon_key)},
      {"epsilon", table_value(&F::epsilon)},
      {"adds_one", table_value(&F::adds_one)},
      {"place", table_value(&F::place, "before after inside around through")},
      {"order", table_value(&F::order, "sequential parallel parallel_shared")},
      {"embedding_norm",
       table_value(&F::embedding_norm, "none before_projection behind_projection")},
      {"final_norm", table_value(&F::final_norm)},
      {"activation_key", table_value(&F::activation_key)},
      {"activation", table_value(&F::activation,
                                 "relu squared_relu gelu gelu_tanh gelu_tanh_rounded gelu_quick "
                                 "tanh silu")},
      {"gated", table_value(&F::gated)},
      {"qk_norm", table_value(&F::qk_norm, "none head layer")},
      {"attention_softcap", table_value(&F::attention_softcap)},
      {"logit_softcap", table_value(&F::logit_softcap)},
      {"own_keys", table_value(&F::own_keys,
                               "none t5 falcon neox bloom modernbert gemma gemma3 deberta "
                               "deberta_v2 xlnet transformer_xl")},
      {"scales_embedding", table_value(&F::scales_embedding)},
      {"norms_embedding_alone", table_value(&F::norms_embedding_alone)},
      {"tied", table_value(&F::tied)},
      {"head_transform", table_value(&F::head_transform, "none as_feed_forward gelu")},
      {"counts_behind_pad", table_value(&F::counts_behind_pad)},
      {"has",
       [](F& family, const Json& key) {
         family.has = read_presence(model_table(families_file).at("has").at(key));
       }},
      {"attention_bias_key", table_value(&F::attention_bias_key)},
      {"inner_bias_key", table_value(&F::inner_bias_key)},
      {"inner_key", table_value(&F::inner_key)},
      {"names", [](F& family, const Json& key) { family.names = &names_called(key); }},
      {"decoder", [](F& family, const Json& key) { family.decoder = &names_called(key); }},
  };
  return fields;
}

// ACT2FN of Transformers, activations.py.
constexpr std::pair<std::string_view, Activation> activation_names[] = {
    {"gelu", Activation::gelu},
    {"gelu_new", Activation::gelu_tanh},
    {"gelu_pytorch_tanh", Activation::gelu_tanh},
    {"gelu_fast", Activation::gelu_tanh},
    {"gelu_python", Activation::gelu},
    {"quick_gelu", Activation::gelu_quick},
    {"relu", Activation::relu},
    {"relu2", Activation::squared_relu},
    {"silu", Activation::silu},
    {"swish", Activation::silu},
    {"tanh", Activation::tanh},
};

const Family* find(std::string_view Family::*list, std::string_view word) {
  for (const Family& family : families())
    if (lists_word(family.*list, word)) return &family;
  return nullptr;
}

}  // namespace

std::span<const Family> families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> read;
    for (const Json& object : model_table(families_file).at("families"))
      read.push_back(table_row(families_file, object, family_fields()));
    return read;
  }();
  return all;
}

const Family* find_family_of_type(std::string_view model_type) {
  return find(&Family::types, model_type);
}

const Family* find_family_of_architecture(std::string_view architecture) {
  return find(&Family::architectures, architecture);
}

std::optional<Activation> activation_called(std::string_view name) {
  for (const auto& [known, activation] : activation_names)
    if (known == name) return activation;
  return std::nullopt;
}

const TensorNames& gguf_names(const Family& family) {
  return names_called(family.decoder ? "gguf_encoder" : "gguf");
}

const TensorNames* gguf_decoder_names(const Family& family) {
  return family.decoder ? &names_called("gguf_decoder") : nullptr;
}

}  // namespace orrery

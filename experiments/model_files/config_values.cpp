#include "experiments/model_files/config_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/errors.h"
#include "experiments/model_files/words.h"
#include "experiments/text/nesting.h"

namespace orrery {
namespace {

/// The text with Python's Infinity, -Infinity and NaN as null.
std::string without_python_numbers(std::string_view text) {
  constexpr std::array<std::string_view, 3> names{"-Infinity", "Infinity", "NaN"};
  std::string out;
  out.reserve(text.size());
  bool in_text = false;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t skipped = 0;
    if (!in_text)
      for (const std::string_view name : names)
        if (skipped == 0 && text.substr(i, name.size()) == name) skipped = name.size();
    if (skipped > 0) {
      out += "null";
      i += skipped;
      continue;
    }
    if (in_text && text[i] == '\\' && i + 1 < text.size())
      out += text[i++];
    else if (text[i] == '"')
      in_text = !in_text;
    out += text[i++];
  }
  return out;
}

[[noreturn]] void refuse_config(std::string_view name, std::string_view what) {
  throw DataError(name, fmt::format("is not a configuration ({})", what),
                  "give a model's config.json as it was downloaded");
}

struct OtherNames {
  std::string_view key;
  std::array<std::string_view, 9> names;
};

// attribute_map of Transformers' configuration classes, all classes together.
constexpr OtherNames other_names[] = {
    {"num_hidden_layers",
     {"n_layer", "n_layers", "num_layers", "encoder_layers", "num_encoder_layers", "decoder_layers",
      "decoder_num_hidden_layers", "encoder_num_hidden_layers"}},
    {"hidden_size", {"n_embd", "d_model", "dim", "emb_dim"}},
    {"num_attention_heads",
     {"n_head", "n_heads", "num_heads", "encoder_attention_heads", "num_encoder_attention_heads",
      "attention_heads", "decoder_attention_heads", "encoder_num_attention_heads",
      "decoder_num_attention_heads"}},
    {"head_dim", {"d_kv", "attention_head_dim", "kv_channels", "d_head"}},
    {"max_position_embeddings", {"n_positions", "max_seq_len", "model_max_length", "n_ctx"}},
    {"layer_types", {"layers_block_type"}},
    {"sliding_window", {"sliding_window_size", "attention_window_size"}},
};

Json defaults_of(const ModelType* type) {
  if (!type) return Json::object();
  Json json = type->defaults ? *type->defaults : Json::object();
  const auto put = [&](const char* key, int value) {
    if (value > 0) json[key] = value;
  };
  put("num_hidden_layers", type->sizes.layers);
  put("hidden_size", type->sizes.hidden);
  put("num_attention_heads", type->sizes.heads);
  put("head_dim", type->sizes.head_dim);
  put("max_position_embeddings", type->sizes.context);
  return json;
}

const Json* entry_in(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

const Json* unless_null(const Json* value) { return value && !value->is_null() ? value : nullptr; }

// Keys of training, generation and bookkeeping, of which no pass reads any.
constexpr std::string_view idle_keys =
    "model_type architectures auto_map orrery dtype torch_dtype transformers_version use_cache "
    "is_encoder_decoder add_cross_attention cross_attention_hidden_size gradient_checkpointing "
    "chunk_size_feed_forward return_dict torchscript pruned_heads tie_encoder_decoder "
    "tokenizer_class prefix problem_type task_specific_params finetuning_task id2label label2id "
    "num_labels bos_token_id eos_token_id pad_token_id sep_token_id cls_token_id mask_token_id "
    "unk_token_id decoder_start_token_id forced_bos_token_id forced_eos_token_id suppress_tokens "
    "begin_suppress_tokens bad_words_ids max_length min_length max_new_tokens do_sample "
    "early_stopping num_beams num_beam_groups diversity_penalty temperature top_k top_p typical_p "
    "repetition_penalty length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size "
    "num_return_sequences exponential_decay_length_penalty remove_invalid_values use_bfloat16 "
    "tf_legacy_loss initializer_factor init init_std proj_init_std n_inner_layers "
    "deterministic_flash_attn sparse_prediction sparse_pred_ignore_index reference_compile "
    "repad_logits_with_grad router_aux_loss_coef use_mems_eval use_mems_train reuse_len bi_data "
    "start_n_top end_n_top sample_softmax model_max_length max_window_layers "
    "reorder_and_upcast_attn hidden_dropout n_ctx vocab_list";
// And such as are read where another key or type asks for them, or say again what tensors say.
constexpr std::string_view conditional_keys =
    "global_attn_every_n_layers no_rope_layer_interval use_sliding_window multi_query "
    "parallel_attn num_kv_heads rope_parameters same_length mem_len max_relative_positions "
    "original_max_position_embeddings pretraining_tp dense_act_fn is_gated_act is_decoder "
    "num_decoder_layers adaptive cutoffs div_val tie_projs untie_r";
constexpr std::string_view idle_parts[] = {"dropout",    "pdrop",       "dropatt", "initializer_",
                                           "init_range", "classifier_", "pooler_", "summary_",
                                           "output_",    "_token_index"};

/// Whether a pass may depend on a key.
bool may_matter(std::string_view key) {
  const auto in_key = [&](std::string_view part) {
    return key.find(part) != std::string_view::npos;
  };
  return !key.starts_with('_') && !lists_word(idle_keys, key) &&
         !lists_word(conditional_keys, key) &&
         std::none_of(std::begin(idle_parts), std::end(idle_parts), in_key);
}

}  // namespace

Json parse_config(std::string_view text, std::string_view name) {
  if (first_deep_place_in_json(text)) refuse_config(name, "it " + too_deep());
  // The parser takes a NUL for the end of the text.
  if (text.find('\0') != std::string_view::npos) refuse_config(name, "it holds a NUL");
  try {
    Json json = Json::parse(without_python_numbers(text));
    if (!json.is_object()) refuse_config(name, "it is no JSON object");
    return json;
  } catch (const Json::parse_error& error) {
    refuse_config(name, fmt::format("no JSON at byte {}", error.byte));
  } catch (const Json::exception& error) {
    refuse_config(name, error.what());
  }
}

ConfigValues::ConfigValues(Json values, const ModelType* type, std::string file, std::string prefix)
    : values_(std::make_shared<const Json>(std::move(values))),
      defaults_(std::make_shared<const Json>(defaults_of(type))),
      type_(type),
      file_(std::move(file)),
      prefix_(std::move(prefix)) {}

const Json* ConfigValues::stored(std::string_view key) const {
  const Json* own = own_ ? entry_in(*own_, key) : nullptr;
  return own ? own : entry_in(*values_, key);
}

bool ConfigValues::has_default(std::string_view key) const { return defaults_->contains(key); }

bool ConfigValues::is_unread(std::string_view key) const {
  return type_ && lists_word(type_->unread, key);
}

std::string ConfigValues::spelling_of(std::string_view key) const {
  // A decoder's sizes do not stand in for those of the encoder that is shown.
  const bool encoder = type_ && type_->bidirectional && !has_causal_class();
  if (!stored(key) || (is_unread(key) && has_default(key)))
    for (const OtherNames& other : other_names)
      if (other.key == key)
        for (const std::string_view name : other.names)
          if (!name.empty() && stored(name) && !(encoder && name.starts_with("decoder_")))
            return std::string(name);
  return std::string(key);
}

const Json* ConfigValues::find_in_file(std::string_view key) const {
  return unless_null(stored(asked_spelling(key)));
}

std::string ConfigValues::asked_spelling(std::string_view key) const {
  return *asked_->insert(spelling_of(key)).first;
}

bool ConfigValues::is_given(std::string_view key) const {
  return stored(asked_spelling(key)) != nullptr;
}

std::vector<std::string> ConfigValues::unread(const std::set<std::string>& others) const {
  std::vector<std::string> keys;
  for (const auto& [key, value] : values_->items())
    if (!value.is_null() && !asked_->contains(key) && !others.contains(key) && may_matter(key))
      keys.push_back(key);
  return keys;
}

const Json* ConfigValues::find(std::string_view key) const {
  const std::string spelling = asked_spelling(key);
  const Json* usual = unless_null(entry_in(*defaults_, key));
  if (is_unread(key) && (spelling == key || !has_default(key))) return usual;
  const Json* given = stored(spelling);
  // Classes put their own dictionary where a file has null for it.
  if (!given || (key == "rope_parameters" && given->is_null())) return usual;
  return unless_null(given);
}

std::string ConfigValues::key_name(std::string_view key) const {
  const std::string spelling = spelling_of(key);
  return fmt::format("{}: {}{}{}", file_, prefix_,
                     own_ && own_->contains(spelling) ? own_prefix_ : "", spelling);
}

std::string ConfigValues::reason(std::string_view key) const {
  if (stored(spelling_of(key))) return key_name(key);
  return fmt::format("default of {}", type_ ? type_->name : "an unknown type");
}

std::string ConfigValues::code() const {
  return fmt::format("code of {} in Transformers", type_ ? type_->name : "an unknown type");
}

std::string ConfigValues::not_read(std::string_view key) const {
  return fmt::format("{} is not read by the {}", key_name(key), code());
}

void ConfigValues::refuse(std::string_view key, std::string_view expected) const {
  throw DataError(key_name(key), fmt::format("is not {}", expected),
                  type_ ? "correct it, or take the file from the model's page again"
                        : "files of its model type are not read where keys mean something else: "
                          "give those of another text model");
}

ConfigValues ConfigValues::of_layer(int layer) const {
  ConfigValues all = *this;
  const Json* given = find_in_file("per_layer_config");
  if (!given || !given->is_object()) return all;
  for (const auto& [number, values] : given->items()) {
    const bool is_number = !number.empty() && number.size() <= 6 &&
                           number.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number || !values.is_object() || std::stoi(number) != layer) continue;
    all.own_ = &values;
    all.own_prefix_ = fmt::format("per_layer_config.{}.", number);
  }
  return all;
}

std::string class_in(const Json& values) {
  const Json* names = entry_in(values, "architectures");
  const bool named = names && names->is_array() && !names->empty() && names->front().is_string();
  return named ? names->front().get<std::string>() : "";
}

std::string ConfigValues::class_name() const { return class_in(*values_); }

bool ConfigValues::has_causal_class() const {
  return class_name().find("ForCausalLM") != std::string::npos;
}

std::optional<double> finite_number(const Json& value) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return std::nullopt;
  return value.get<double>();
}

Valued<double> ConfigValues::number(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return {};
  const std::optional<double> number = finite_number(*value);
  if (!number) refuse(key, "a finite number");
  return {number, reason(key)};
}

Valued<std::int64_t> ConfigValues::integer(std::string_view key, std::int64_t least,
                                           std::int64_t most) const {
  const Valued<double> number = this->number(key);
  if (!number.value) return {};
  const double value = *number.value;
  if (value != std::floor(value) || value < static_cast<double>(least) ||
      value > static_cast<double>(most))
    refuse(key, fmt::format("a whole number from {} to {}", least, most));
  return {static_cast<std::int64_t>(value), number.reason};
}

bool ConfigValues::flag(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return false;
  if (value->is_number_integer() && value->get<std::int64_t>() == 0) return false;
  if (value->is_number_integer() && value->get<std::int64_t>() == 1) return true;
  if (!value->is_boolean()) refuse(key, "true or false");
  return value->get<bool>();
}

std::string ConfigValues::text(std::string_view key) const {
  const Json* value = find(key);
  if (!value) return {};
  if (!value->is_string()) refuse(key, "a text");
  return value->get<std::string>();
}

const Json* ConfigValues::object(std::string_view key) const {
  const Json* value = find(key);
  if (value && !value->is_object()) refuse(key, "an object");
  return value;
}

const Json* ConfigValues::list(std::string_view key) const {
  const Json* value = find(key);
  if (value && !value->is_array()) refuse(key, "a list");
  return value;
}

const ModelType& type_of(const ConfigValues& config) {
  static constexpr ModelType unknown{};
  return config.type() ? *config.type() : unknown;
}

}  // namespace orrery

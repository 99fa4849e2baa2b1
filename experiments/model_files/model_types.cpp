#include "experiments/model_files/model_types.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "experiments/model_files/model_tables.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

constexpr std::string_view types_file = "model_types.json";

const TableFields<ModelType>& type_fields() {
  using T = ModelType;
  static const TableFields<T> fields{
      {"name", table_value(&T::name)},
      {"encoding", table_value(&T::encoding)},
      {"sizes",
       [](T& type, const nlohmann::ordered_json& sizes) {
         type.sizes = {.layers = sizes.at(0),
                       .hidden = sizes.at(1),
                       .heads = sizes.at(2),
                       .head_dim = sizes.at(3),
                       .context = sizes.at(4)};
       }},
      {"interleaved", table_value(&T::interleaved)},
      {"layers",
       table_value(&T::layers,
                   "one_type listed nth_is_full nth_is_full_after_dense nth_and_last_are_full "
                   "first_and_nth_are_full multiples_are_full counted_from_last all_sliding "
                   "after_max_window_layers max_window_layers_alone odd_below_max_window_layers "
                   "sliding_without_rope chunked_where_rope nth_is_full_rest_linear "
                   "nth_or_last_rest_linear first_of_two_is_full block_types "
                   "ends_and_second_of_n_are_full linear_between convolutions_between")},
      {"period", table_value(&T::period)},
      {"period_key", table_value(&T::period_key)},
      {"window", table_value(&T::window,
                             "by_type both_ways_below every_layer with_flag zero_without_flag "
                             "window_size each_side half_local")},
      {"nope", table_value(&T::nope,
                           "never on_full on_full_with_windows on_full_unless_dense no_rope_layers "
                           "layer_rope_theta zero_layer_rope_theta null_rope_theta "
                           "position_embedding_type")},
      {"keys", table_value(&T::keys,
                           "standard dual_gemma dual_bert dual_olmo nested_only neox phi3 "
                           "rotary_dim gptj compressed")},
      {"scale", table_value(&T::scale,
                            "head_dim inverse_head_dim half_head_dim query_pre_attn_scalar "
                            "attention_multiplier one")},
      {"temperature", table_value(&T::temperature, "none llama4 beta scalable learned")},
      {"sections", table_value(&T::sections, "none chunked in_turns")},
      {"latent", table_value(&T::latent)},
      {"bidirectional", table_value(&T::bidirectional)},
      {"clockwise", table_value(&T::clockwise)},
      {"norm_after_rotation", table_value(&T::norm_after_rotation)},
      {"last_is_full", table_value(&T::last_is_full)},
      {"counted_by_list", table_value(&T::counted_by_list)},
      {"two_per_block", table_value(&T::two_per_block)},
      {"frequencies_by_head_dim", table_value(&T::frequencies_by_head_dim)},
      {"unscaled_part", table_value(&T::unscaled_part)},
      {"indexer", table_value(&T::indexer)},
      {"indexer_turns_last", table_value(&T::indexer_turns_last)},
      {"defaults",
       [](T& type, const nlohmann::ordered_json& defaults) { type.defaults = &defaults; }},
      {"unread", table_value(&T::unread)},
  };
  return fields;
}

const nlohmann::ordered_json& text_types() { return model_table(types_file).at("text_types"); }

/// In lower case, without strokes and points.
std::string bare(std::string_view name) {
  std::string out(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-' || c == '.'; });
  return lower_ascii(out);
}

}  // namespace

std::span<const ModelType> model_types() {
  static const std::vector<ModelType> all = table_rows(types_file, "types", type_fields());
  return all;
}

const ModelType* find_model_type(std::string_view name) {
  for (const ModelType& type : model_types())
    if (type.name == name) return &type;
  return nullptr;
}

std::optional<bool> unlisted_type_reads_part(std::string_view name) {
  for (const auto& [list, reads] : {std::pair{"turn_a_part", true}, {"turn_all", false}})
    for (const nlohmann::ordered_json& type : model_table(types_file).at(list))
      if (type == name) return reads;
  return std::nullopt;
}

std::string_view text_type_of(std::string_view name) {
  const auto known = text_types().find(name);
  return known == text_types().end() ? name : known->get_ref<const std::string&>();
}

std::string stem_of_class(std::string_view name) {
  for (const char* ending : {"ForCausalLM", "ForConditionalGeneration", "ForMaskedLM", "LMHead",
                             "ForSequence", "ForToken", "ForQuestion", "ForPreTraining", "ForCTC",
                             "ForMultiple", "With", "DoubleHeads", "EncoderModel", "Model"})
    name = name.substr(0, name.find(ending));
  return bare(name);
}

bool is_class_of(std::string_view name, std::string_view type) {
  if (type.empty()) return false;
  const std::string stem = stem_of_class(name), own = bare(type);
  if (stem.starts_with(own) || own.starts_with(stem)) return true;
  for (const auto& [other, text] : text_types().items())
    if (text == type && stem.starts_with(bare(other))) return true;
  return false;
}

std::string_view type_of_class(std::string_view name) {
  const std::string stem = stem_of_class(name);
  for (const auto& [other, text] : text_types().items())
    if (bare(other) == stem) return text.get_ref<const std::string&>();
  for (const ModelType& type : model_types())
    if (bare(type.name) == stem) return type.name;
  return "";
}

}  // namespace orrery

#include "experiments/model_files/config_plan.h"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

using WindowRule = ModelType::WindowRule;

constexpr std::int64_t most_in_list = 1 << 16;

/// The entry of a list per layer; null where there is no such list. Throws DataError when it is
/// shorter than the model.
const Json* entry(const ConfigValues& config, const char* key, const LayerPlan& layer) {
  const Json* list = config.list(key);
  if (!list || list->empty()) return nullptr;
  const auto at = static_cast<std::size_t>(layer.layer);
  if (at >= list->size()) config.refuse(key, "a list with an entry per layer");
  return &(*list)[at];
}

void put(const ConfigValues& config, const char* key, std::string type, LayerPlan& layer) {
  layer.type = std::move(type);
  layer.reasons["type"] = config.reason(key);
}

const char* attention_or_linear(bool attention) {
  return attention ? "full_attention" : "linear_attention";
}

/// Lists of the layers that have attention.
bool read_indices(const ConfigValues& config, LayerPlan& layer) {
  for (const char* key : {"attn_layer_indices", "full_attn_idxs"})
    if (const Json* list = config.list(key)) {
      const bool listed = std::find(list->begin(), list->end(), Json(layer.layer)) != list->end();
      put(config, key, attention_or_linear(listed), layer);
      return true;
    }
  if (const Json* list = config.list("local_layer_ids")) {
    const bool listed = std::find(list->begin(), list->end(), Json(layer.layer)) != list->end();
    put(config, "local_layer_ids", listed ? "sliding_attention" : "full_attention", layer);
    return true;
  }
  return false;
}

bool read_period(const ConfigValues& config, LayerPlan& layer) {
  const auto period = config.integer("attn_layer_period", 1, most_in_list);
  const auto offset = config.integer("attn_layer_offset", 0, most_in_list);
  if (!period.value || !offset.value) return false;
  put(config, "attn_layer_period",
      attention_or_linear(layer.layer % *period.value == *offset.value), layer);
  return true;
}

/// Nemotron-H: a letter per layer.
const char* type_of_letter(char letter) {
  switch (letter) {
    case '*':
      return "full_attention";
    case 'E':
      return "moe";
    case '-':
      return "mlp";
    default:
      return "linear_attention";
  }
}

bool read_pattern(const ConfigValues& config, LayerPlan& layer) {
  const std::string pattern = config.text("hybrid_override_pattern");
  if (pattern.empty()) return false;
  const auto at = static_cast<std::size_t>(layer.layer);
  if (at >= pattern.size()) config.refuse("hybrid_override_pattern", "a letter per layer");
  put(config, "hybrid_override_pattern", type_of_letter(pattern[at]), layer);
  return true;
}

/// GPT-Neo: lists of names, each with how often it is repeated: [[["global", "local"], 12]].
const Json* repeated_entry(const ConfigValues& config, const char* key, const LayerPlan& layer) {
  const Json* runs = config.list(key);
  if (!runs) return nullptr;
  auto at = static_cast<std::size_t>(layer.layer);
  for (const Json& run : *runs) {
    const bool valid = run.is_array() && run.size() == 2 && run[0].is_array() &&
                       run[1].is_number_unsigned() && run[1] <= most_in_list;
    if (!valid) config.refuse(key, "a list of names and how often each list is repeated");
    const std::size_t length = run[0].size() * run[1].get<std::size_t>();
    if (at < length) return &run[0][at % run[0].size()];
    at -= length;
  }
  config.refuse(key, "a list with an entry per layer");
}

bool read_local(const ConfigValues& config, LayerPlan& layer) {
  if (!config.type() || config.type()->window != WindowRule::window_size) return false;
  const char* key = config.has("attention_layers") ? "attention_layers" : "attention_types";
  const Json* name = config.has("attention_layers") ? entry(config, key, layer)
                                                    : repeated_entry(config, key, layer);
  if (!name) return false;
  put(config, key, *name == "local" ? "sliding_attention" : "full_attention", layer);
  return true;
}

}  // namespace

bool read_hybrid_type(const ConfigValues& config, LayerPlan& layer) {
  if (read_indices(config, layer) || read_period(config, layer) || read_pattern(config, layer) ||
      read_local(config, layer))
    return true;
  if (const Json* kind = entry(config, "attn_type_list", layer)) {
    put(config, "attn_type_list", attention_or_linear(*kind == 1), layer);
    return true;
  }
  const Json* ratio = entry(config, "compress_ratios", layer);
  if (!ratio) return false;
  const char* compressed =
      *ratio == 4 ? "compressed_sparse_attention" : "heavily_compressed_attention";
  put(config, "compress_ratios", *ratio == 0 ? "sliding_attention" : compressed, layer);
  return true;
}

}  // namespace orrery

#include "experiments/plans/hybrid_layers.h"

#include <algorithm>
#include <utility>

namespace orrery::plans {
namespace {

constexpr std::int64_t most = 1 << 16;

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
  const auto period = config.integer("attn_layer_period", 1, most);
  const auto offset = config.integer("attn_layer_offset", 0, most);
  if (!period.value || !offset.value) return false;
  put(config, "attn_layer_period",
      attention_or_linear(layer.layer % *period.value == *offset.value), layer);
  return true;
}

/// Nemotron-H: a letter per layer, * for attention.
bool read_pattern(const ConfigValues& config, LayerPlan& layer) {
  const std::string pattern = config.text("hybrid_override_pattern");
  if (pattern.empty()) return false;
  const auto at = static_cast<std::size_t>(layer.layer);
  if (at >= pattern.size()) config.refuse("hybrid_override_pattern", "a letter per layer");
  put(config, "hybrid_override_pattern", attention_or_linear(pattern[at] == '*'), layer);
  return true;
}

}  // namespace

bool read_hybrid_type(const ConfigValues& config, LayerPlan& layer) {
  if (read_indices(config, layer) || read_period(config, layer) || read_pattern(config, layer))
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

}  // namespace orrery::plans

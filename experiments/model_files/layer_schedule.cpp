#include "experiments/model_files/config_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace orrery {
namespace {

using LayerTypes = ModelType::LayerTypes;
using WindowRule = ModelType::WindowRule;
using NopeRule = ModelType::NopeRule;

int period_of(const ConfigValues& config) {
  const ModelType& type = type_of(config);
  if (type.period_key.empty()) return type.period;
  const Valued<std::int64_t> given = config.integer(type.period_key, 1, most_layers);
  return static_cast<int>(given.value.value_or(type.period));
}

/// Where a model with no_rope_layers has RoPE: the list says 1, its name notwithstanding.
bool has_rope(const ConfigValues& config, int layer, std::string& reason) {
  if (const Json* list = config.list("no_rope_layers"); list && !list->empty()) {
    const auto at = static_cast<std::size_t>(layer);
    if (at >= list->size()) config.refuse("no_rope_layers", "a list with a number per layer");
    reason = fmt::format("{}[{}], where 1 means RoPE", config.reason("no_rope_layers"), layer);
    return (*list)[at] != 0 && (*list)[at] != false;
  }
  const Valued<std::int64_t> step = config.integer("no_rope_layer_interval", 1, most_layers);
  const auto n = static_cast<int>(step.value.value_or(4));
  reason = step.value ? step.reason
                      : fmt::format("default of {}: every fourth layer", type_of(config).name);
  return (layer + 1) % n != 0;
}

/// Whether windows are a matter of the flag use_sliding_window in models of this type.
bool needs_flag(const ModelType& type) {
  return type.layers == LayerTypes::after_max_window_layers ||
         type.layers == LayerTypes::odd_below_max_window_layers ||
         type.window == WindowRule::with_flag;
}

const char* full_or_sliding(bool full) { return full ? "full_attention" : "sliding_attention"; }

bool windows_from(const ConfigValues& config, int layer) {
  if (needs_flag(type_of(config)) && !config.flag("use_sliding_window")) return false;
  const Valued<std::int64_t> first = config.integer("max_window_layers", 0, most_layers);
  return config.has("sliding_window") && first.value && layer >= *first.value;
}

std::string block_type(const ConfigValues& config, int layer) {
  const Json* blocks = config.list("block_types");
  static constexpr std::array usual{"recurrent", "recurrent", "attention"};
  std::string block = usual[static_cast<std::size_t>(layer) % usual.size()];
  if (blocks && !blocks->empty()) {
    const Json& own = (*blocks)[static_cast<std::size_t>(layer) % blocks->size()];
    if (own.is_string()) block = own.get<std::string>();
  }
  return block == "attention" ? "sliding_attention" : "linear_attention";
}

/// Cohere's mixtures of experts begin with dense layers, which have a period of their own.
bool nth_after_dense(const ConfigValues& config, int i, int n) {
  const auto dense = config.integer("first_k_dense_replace", 0, most_layers).value.value_or(0);
  if (i >= dense) return (i - static_cast<int>(dense) + 1) % n == 0;
  const auto period = config.integer("prefix_dense_sliding_window_pattern", 1, most_layers);
  return (i + 1) % period.value.value_or(1) == 0;
}

std::string type_by_rule(const ConfigValues& config, int i, int count) {
  const int n = std::max<int>(1, period_of(config));
  const bool nth = (i + 1) % n == 0;
  std::string unused;
  switch (type_of(config).layers) {
    case LayerTypes::one_type:
    case LayerTypes::listed:
      return "full_attention";
    case LayerTypes::nth_is_full:
      return full_or_sliding(nth || (type_of(config).nope == NopeRule::on_full_with_windows &&
                                     !config.has("sliding_window")));
    case LayerTypes::nth_is_full_after_dense:
      return full_or_sliding(nth_after_dense(config, i, n));
    case LayerTypes::nth_and_last_are_full:
      return full_or_sliding(nth || i == count - 1);
    case LayerTypes::first_and_nth_are_full:
      return full_or_sliding(nth || i == 0);
    case LayerTypes::multiples_are_full:
      return full_or_sliding(i % n == 0);
    case LayerTypes::counted_from_last:
      return full_or_sliding((count - 1 - i) % n == 0);
    case LayerTypes::all_sliding:
      return full_or_sliding(!config.has("sliding_window"));
    case LayerTypes::after_max_window_layers:
    case LayerTypes::max_window_layers_alone:
      return full_or_sliding(!windows_from(config, i));
    case LayerTypes::odd_below_max_window_layers:
      return full_or_sliding(i % 2 != 0 || !config.flag("use_sliding_window") ||
                             i >= config.integer("max_window_layers", 0, most_layers).value);
    case LayerTypes::sliding_without_rope:
      return full_or_sliding(has_rope(config, i, unused) || !config.flag("use_sliding_window") ||
                             !config.has("sliding_window"));
    case LayerTypes::chunked_where_rope:
      return has_rope(config, i, unused) ? "chunked_attention" : "full_attention";
    case LayerTypes::nth_is_full_rest_linear:
      return nth ? "full_attention" : "linear_attention";
    case LayerTypes::nth_or_last_rest_linear:
      return nth || (count < n && i == count - 1) ? "full_attention" : "linear_attention";
    case LayerTypes::first_of_two_is_full:
      return i % 2 == 0 ? "full_attention" : "linear_attention";
    case LayerTypes::block_types:
      return block_type(config, i);
    case LayerTypes::ends_and_second_of_n_are_full:
      return full_or_sliding(i < 2 || i % n == 1 || i == count - 1);
    case LayerTypes::linear_between:
      if (i % 5 == 0 || i % 5 == 2) return "linear_attention";
      return full_or_sliding(i % 5 == 3);
    case LayerTypes::convolutions_between:
      if (i % 4 == 2) return "full_attention";
      return i % 4 == 0 && i > 0 ? "sliding_attention" : "conv";
  }
  return "full_attention";
}

/// Reads no layer_types: whatever a file says there, its layers are alike.
bool is_of_one_type(const ConfigValues& config) {
  return config.type() && config.type()->layers == LayerTypes::one_type;
}

void read_type(const ConfigValues& config, int count, LayerPlan& layer) {
  const Json* list = is_of_one_type(config) ? nullptr : config.list("layer_types");
  const auto at = static_cast<std::size_t>(layer.layer);
  if (list && at < list->size()) {
    if (!(*list)[at].is_string() || (*list)[at].get_ref<const std::string&>().size() > 64)
      config.refuse("layer_types", "a list of short names");
    layer.type = (*list)[at].get<std::string>();
    layer.reasons["type"] = config.reason("layer_types");
    if (type_of(config).last_is_full && layer.layer == count - 1 &&
        layer.type != "full_attention") {
      layer.type = "full_attention";
      layer.reasons["type"] = config.code() + ": the last layer is full_attention";
    }
    return;
  }
  if (list) config.refuse("layer_types", fmt::format("a list of {} names, one per layer", count));
  if (read_hybrid_type(config, layer)) return;
  layer.type = type_by_rule(config, layer.layer, count);
  const LayerTypes rule = type_of(config).layers;
  layer.reasons["type"] = rule == LayerTypes::one_type || rule == LayerTypes::listed
                              ? "no layer_types: all alike"
                              : fmt::format("no layer_types: rule of {}", type_of(config).name);
  if (is_of_one_type(config) && config.find_in_file("layer_types"))
    layer.reasons["type"] = layer.reasons["layer_types"] = config.not_read("layer_types");
}

bool is_attention(const std::string& type) {
  constexpr std::array<std::string_view, 10> others{
      "linear_attention", "conv", "convolution", "mamba",      "mamba2",
      "recurrent",        "moe",  "mlp",         "short_conv", "ssm"};
  return std::find(others.begin(), others.end(), type) == others.end();
}

bool is_dense(const ConfigValues& config, int layer) {
  const Json* types = config.list("mlp_layer_types");
  if (!types) return layer < config.integer("first_k_dense_replace", 0, most_layers).value;
  const auto at = static_cast<std::size_t>(layer);
  if (at >= types->size()) config.refuse("mlp_layer_types", "a list with a name per layer");
  return (*types)[at] == "dense";
}

/// Where the list has 0. By default every fourth layer from the last, of which no list is needed.
bool has_zero_base(const ConfigValues& config, int layer, int count, std::string& reason) {
  const Json* bases = config.list("layer_rope_theta");
  if (!bases) {
    reason = "no layer_rope_theta: every fourth layer from the last has no RoPE";
    return type_of(config).nope == NopeRule::zero_layer_rope_theta && (count - 1 - layer) % 4 == 0;
  }
  const auto at = static_cast<std::size_t>(layer);
  if (at >= bases->size()) config.refuse("layer_rope_theta", "a list with a number per layer");
  reason = fmt::format("{}[{}] is 0", config.reason("layer_rope_theta"), at);
  return (*bases)[at].is_number() && (*bases)[at] == 0;
}

/// OLMo Hybrid, whose code looks for rope_theta in the outer dictionary.
bool has_no_base(const ConfigValues& config) {
  const Json* source = config.object("rope_scaling");
  if (!source || source->empty()) source = config.object("rope_parameters");
  if (source) {
    for (const Json& value : *source)
      if (value.is_object()) return true;
    if (const auto base = source->find("rope_theta"); base != source->end()) return base->is_null();
  }
  return !config.has("rope_theta");
}

bool is_without_positions(const ConfigValues& config, const LayerPlan& layer, int count,
                          std::string& reason) {
  const bool full = layer.type == "full_attention";
  // Keys that say it whatever the type.
  if (const Json* uses = config.find("use_mem_rope"); uses && *uses == false) {
    reason = config.reason("use_mem_rope");
    return true;
  }
  if (!config.type() && config.has("no_rope_layers") && !has_rope(config, layer.layer, reason))
    return true;
  if (!config.type() && has_zero_base(config, layer.layer, count, reason)) return true;
  reason = config.code() + ": no RoPE in full_attention";
  switch (type_of(config).nope) {
    case NopeRule::never:
      return false;
    case NopeRule::on_full:
      return full;
    case NopeRule::on_full_with_windows:
      return full && config.has("sliding_window");
    case NopeRule::on_full_unless_dense:
      reason += ", but in dense layers";
      return full && !(config.number("prefix_dense_sliding_window_pattern").value == 1 &&
                       is_dense(config, layer.layer));
    case NopeRule::no_rope_layers:
      return !has_rope(config, layer.layer, reason);
    case NopeRule::null_rope_theta:
      reason = "rope_theta is null, or there is none beside nested dictionaries";
      return has_no_base(config);
    case NopeRule::position_embedding_type:
      reason = "position_embedding_type is not rope";
      return config.text("position_embedding_type") != "rope";
    case NopeRule::layer_rope_theta:
    case NopeRule::zero_layer_rope_theta:
      break;
  }
  return has_zero_base(config, layer.layer, count, reason);
}

/// In keys as LayerPlan counts them.
Valued<std::int64_t> window_of(const ConfigValues& config, const LayerPlan& layer) {
  if (layer.type == "chunked_attention") {
    Valued<std::int64_t> chunk = config.integer("attention_chunk_size", 1, most_tokens);
    chunk.reason += ": blocks of keys, none before the query's own";
    return chunk;
  }
  const WindowRule rule = type_of(config).window;
  if (rule == WindowRule::zero_without_flag && !config.flag("use_sliding_window"))
    return {0, config.code() + ": 0 without use_sliding_window, which hides every key"};
  Valued<std::int64_t> window = config.integer(
      rule == WindowRule::window_size ? "window_size" : "sliding_window", 0, most_tokens);
  if (rule == WindowRule::half_local) {
    if (!window.value) {
      window = config.integer("local_attention", 2, most_tokens);
      if (window.value) *window.value /= 2;
      window.reason += ", half of it";
    }
  } else if (window.value && !layer.causal && rule != WindowRule::each_side) {
    *window.value = *window.value / 2 + 1;
    window.reason += ", half of it and 1";
  }
  // Other masks that look both ways have |m − n| ≤ their number; causal ones m − n less than it.
  if (window.value && !layer.causal && rule != WindowRule::both_ways_below) {
    ++*window.value;
    window.reason += " to each side, and the query's own key";
  }
  return window;
}

/// Why a sliding_window in the file has no effect on a layer; empty where it has, or there is none.
std::string window_not_read(const ConfigValues& config) {
  if (!config.type() || !config.find_in_file("sliding_window")) return "";
  const ModelType& type = *config.type();
  if (type.window == WindowRule::by_type &&
      (type.layers == LayerTypes::one_type || config.is_unread("sliding_window")))
    return config.not_read("sliding_window");
  if (needs_flag(type) && type.window != WindowRule::zero_without_flag &&
      !config.flag("use_sliding_window"))
    return fmt::format("{} is not read without use_sliding_window",
                       config.key_name("sliding_window"));
  return "";
}

void read_window(const ConfigValues& config, LayerPlan& layer) {
  const ModelType& type = type_of(config);
  if (std::string reason = window_not_read(config); !reason.empty()) {
    layer.reasons["window"] = std::move(reason);
    return;
  }
  const bool every = type.window == WindowRule::every_layer ||
                     (type.window == WindowRule::with_flag && config.flag("use_sliding_window"));
  const bool chunked = layer.type == "chunked_attention";
  if (!every && !chunked && layer.type.find("sliding") == std::string::npos) return;
  Valued<std::int64_t> window = window_of(config, layer);
  if (!window.value) return;
  layer.window = window.value;
  layer.window_in_blocks = chunked;
  layer.reasons["window"] = std::move(window.reason);
}

/// A flag, or the word "all", in Gemma's files; "vision" leaves text causal.
bool bidirectional(const ConfigValues& config) {
  const Json* value = config.find("use_bidirectional_attention");
  return value && (*value == true || *value == "all");
}

/// Of an unknown type by its keys: is_causal, an encoder beside a decoder, or a class that fills in
/// masked tokens.
bool looks_causal(const ConfigValues& config) {
  for (const char* key : {"is_causal", "causal"})
    if (config.is_given(key)) return config.flag(key);
  if (config.has("encoder_layers") || config.has("num_encoder_layers"))
    return has_decoder_alone(config);
  return config.class_name().find("ForMaskedLM") == std::string::npos;
}

/// Classes of BERT's kind have a causal mask as decoders.
bool causal(const ConfigValues& config) {
  const ModelType& type = type_of(config);
  if (!config.type() && !looks_causal(config)) return false;
  if (type.bidirectional && has_decoder_alone(config)) return true;
  const bool may_decode = type.encoding == "bert" || type.encoding == "roformer";
  const char* key = config.is_unread("is_decoder") ? "causal" : "is_decoder";
  if (may_decode && config.flag(key)) return true;
  return !type.bidirectional && !bidirectional(config);
}

/// Entries of layer_types, or letters of the pattern that stands in for it.
std::size_t listed_layers(const ConfigValues& config) {
  const Json* list = config.list("layer_types");
  return list ? list->size() : config.text("hybrid_override_pattern").size();
}

/// HRM runs its stacks in turns; a file that counts the layers of a stack alone leaves that out.
std::size_t passes(const ConfigValues& config) {
  if (!config.has_default("H_cycles") || config.has("num_layers_per_stack")) return 1;
  const auto high = config.integer("H_cycles", 1, most_layers).value.value_or(1),
             low = config.integer("L_cycles", 0, most_layers).value.value_or(0);
  return static_cast<std::size_t>(high * (low + 1));
}

std::size_t layer_count(const ConfigValues& config, std::vector<std::string>& assumed) {
  const ModelType& type = type_of(config);
  if (type.counted_by_list) {
    const std::size_t listed = listed_layers(config);
    if (listed < 1 || listed > most_layers) config.refuse("layer_types", "a list of layers");
    if (const Json* given = config.find_in_file("num_hidden_layers"); given && *given != listed)
      assume(assumed, config.not_read("num_hidden_layers") + ": layer_types or its pattern counts");
    return listed;
  }
  Valued<std::int64_t> count = config.integer(
      has_decoder_alone(config) ? "decoder_layers" : "num_hidden_layers", 1, most_layers);
  // Towers of images count blocks so; elsewhere the word may mean something else.
  if (!count.value && !config.type() && config.has("patch_size"))
    count = config.integer("depth", 1, most_layers);
  if (!count.value) config.refuse("num_hidden_layers", "given, so the layers cannot be counted");
  const bool blocks = type.two_per_block && config.find_in_file("num_layers") != nullptr;
  const std::size_t layers = static_cast<std::size_t>(*count.value) * passes(config);
  if (layers > most_layers) config.refuse("H_cycles", "a number of passes over so many layers");
  return layers * (blocks ? 2 : 1);
}

}  // namespace

std::vector<LayerPlan> layer_schedule(const ConfigValues& config,
                                      std::vector<std::string>& assumed) {
  std::vector<LayerPlan> layers(layer_count(config, assumed));
  for (std::size_t i = 0; i < layers.size(); ++i) {
    LayerPlan& layer = layers[i];
    layer.layer = static_cast<int>(i);
    read_type(config, static_cast<int>(layers.size()), layer);
    layer.causal = causal(config);
    const ConfigValues own = config.of_layer(layer.layer);
    std::string reason;
    if (!is_attention(layer.type)) {
      put_encoding(layer, "not_attention", layer.reasons["type"]);
      continue;
    }
    if (is_without_positions(config, layer, static_cast<int>(layers.size()), reason))
      put_encoding(layer, "none", reason);
    read_window(own, layer);
  }
  if (!config.type() && config.has("sliding_window") && !config.has("layer_types"))
    assume(assumed, "sliding_window is given, and no key says on which layers: none is shown");
  return layers;
}

}  // namespace orrery

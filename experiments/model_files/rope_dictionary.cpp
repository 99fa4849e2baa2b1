#include "experiments/model_files/rope_dictionary.h"

#include <fmt/format.h>

#include <algorithm>

namespace orrery {
namespace {

void put_all(RopeDictionary& into, const Json& from, const std::string& reason) {
  for (const auto& [key, value] : from.items()) {
    if (value.is_object()) continue;
    into.values[key] = value;
    into.reasons[key] = fmt::format("{}.{}", reason, key);
  }
}

void put(RopeDictionary& into, const std::string& key, const Json* value,
         const std::string& reason) {
  if (!value || into.find(key)) return;
  into.values[key] = *value;
  into.reasons[key] = reason;
}

bool has_dictionaries(const Json& object) {
  return std::any_of(object.begin(), object.end(),
                     [](const Json& value) { return value.is_object(); });
}

/// The dictionary of the type, or all of a flat one. False when a nested one has none of the type.
bool put_of_type(RopeDictionary& into, const Json& object, std::string_view type,
                 const std::string& reason) {
  into.is_nested = has_dictionaries(object);
  if (const auto outer = object.find("truncate"); outer != object.end() && *outer == false)
    into.outer_truncate = false;
  if (!into.is_nested) {
    put_all(into, object, reason);
    return true;
  }
  const auto found = object.find(type);
  if (found == object.end()) return false;
  into.is_null = found->is_null();
  if (found->is_object()) put_all(into, *found, fmt::format("{}.{}", reason, type));
  return true;
}

const Json* scaling_of(const ConfigValues& config) {
  const Json* scaling = config.object("rope_scaling");
  return scaling && !scaling->empty() ? scaling : nullptr;
}

/// Files of models that always had two bases: each type has a dictionary, and older keys fill it.
RopeDictionary dual(const ConfigValues& config, std::string_view type) {
  RopeDictionary dictionary;
  const RopeKeys keys = config.type()->keys;
  const bool full = type == "full_attention";
  const Json* parameters = config.object("rope_parameters");
  if (parameters && has_dictionaries(*parameters))
    put_of_type(dictionary, *parameters, type, config.reason("rope_parameters"));
  else  // where `type` of rope_scaling, an older name, changes nothing
    put_all(dictionary, {{"rope_type", "default"}}, config.code());
  dictionary.is_null = false;
  if (const Json* scaling = scaling_of(config); scaling && (full || keys == RopeKeys::dual_bert))
    put_all(dictionary, *scaling, config.reason("rope_scaling"));
  const std::string bert = full ? "global_rope_theta" : "local_rope_theta";
  const std::string gemma = full ? "rope_theta" : "rope_local_base_freq";
  std::string base = keys == RopeKeys::dual_bert ? bert : gemma;
  if (keys == RopeKeys::dual_olmo) base = "rope_theta";
  if (keys == RopeKeys::dual_olmo && !full) {
    const Json usual = 500000.0;
    put(dictionary, "rope_theta", &usual, "default of olmo3, whose rope_theta is of full layers");
  }
  put(dictionary, "rope_theta", config.find(base), config.reason(base));
  dictionary.is_nested = true;
  return dictionary;
}

/// The part of the head that turns, of older files in channels.
void put_compressed_part(RopeDictionary& dictionary, const ConfigValues& config) {
  constexpr const char* part = "partial_rotary_factor";
  if (const Json* own = config.find_in_file(part))
    return put(dictionary, part, own, config.reason(part));
  const Valued<double> channels = config.number("qk_rope_head_dim"),
                       head = config.number("head_dim");
  if (!channels.value || !head.value || !(*head.value > 0)) return;
  const Json share = *channels.value / *head.value;
  put(dictionary, part, &share, channels.reason);
}

/// DeepSeek-V4: sliding layers have the dictionary main, those that compress have compress. A flat
/// dictionary is that of compress, and main is unscaled.
RopeDictionary compressed(const ConfigValues& config, std::string_view type) {
  RopeDictionary dictionary;
  const bool compresses = type != "sliding_attention";
  const Json* parameters = scaling_of(config);
  const std::string key = parameters ? "rope_scaling" : "rope_parameters";
  if (!parameters) parameters = config.find_in_file("rope_parameters");
  if (parameters && !parameters->is_object()) config.refuse(key, "an object or null");
  if (parameters && has_dictionaries(*parameters)) {
    put_of_type(dictionary, *parameters, compresses ? "compress" : "main", config.reason(key));
    return dictionary;
  }
  if (parameters && compresses) {
    put_all(dictionary, *parameters, config.reason(key));
    for (const char* outer : {"rope_theta", "partial_rotary_factor"})
      dictionary.values.erase(outer);
    const Json one = 1.0;
    put(dictionary, "attention_factor", &one,
        "code of deepseek_v4: cos and sin are not multiplied");
  }
  const std::string base = compresses ? "compress_rope_theta" : "rope_theta";
  put(dictionary, "rope_theta", config.find(base), config.reason(base));
  put_compressed_part(dictionary, config);
  dictionary.is_nested = true;
  return dictionary;
}

}  // namespace

const Json* RopeDictionary::find(std::string_view key) const {
  const auto found = values.find(key);
  return found == values.end() || found->is_null() ? nullptr : &*found;
}

Valued<double> RopeDictionary::number(std::string_view key, const ConfigValues& config) const {
  const Json* value = find(key);
  if (!value) return {};
  const std::optional<double> number = finite_number(*value);
  if (!number) config.refuse(fmt::format("rope_parameters.{}", key), "a finite number");
  return {number, reasons.find(key)->second};
}

RopeDictionary rope_dictionary(const ConfigValues& config, std::string_view layer_type) {
  const RopeKeys keys = config.type() ? config.type()->keys : RopeKeys::standard;
  if (keys == RopeKeys::dual_gemma || keys == RopeKeys::dual_bert || keys == RopeKeys::dual_olmo)
    return dual(config, layer_type);
  if (keys == RopeKeys::compressed) return compressed(config, layer_type);
  RopeDictionary dictionary;
  if (keys == RopeKeys::gptj) return dictionary;  // its tables have no settings
  const Json* scaling = keys == RopeKeys::nested_only ? nullptr : scaling_of(config);
  const std::string key = scaling ? "rope_scaling" : "rope_parameters";
  const Json* source = scaling ? scaling : config.object("rope_parameters");
  const bool one_type = config.type() && config.type()->layers == LayerTypes::one_type;
  if (source && one_type)
    put_all(dictionary, *source, config.reason(key));  // and no dictionary within it
  else if (source)
    put_of_type(dictionary, *source, layer_type, config.reason(key));
  return dictionary;
}

}  // namespace orrery

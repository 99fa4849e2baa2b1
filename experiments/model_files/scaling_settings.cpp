#include "experiments/model_files/config_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/encodings/rope_settings.h"
#include "experiments/model_files/rotation.h"

namespace orrery {
namespace {

using LayerTypes = ModelType::LayerTypes;
using RopeKeys = ModelType::RopeKeys;

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

constexpr std::array<std::pair<std::string_view, std::string_view>, 15> kinds{{
    {"default", "none"},
    {"none", "none"},
    {"mrope", "none"},
    {"axial", "none"},
    {"linear", "linear"},
    {"dynamic", "dynamic_ntk"},
    {"ntk_alpha", "ntk"},
    {"xdrope", "dynamic_ntk"},
    {"yarn", "yarn"},
    {"deepseek_yarn", "yarn"},
    {"telechat3-yarn", "yarn"},
    {"longrope", "longrope"},
    {"su", "longrope"},
    {"llama3", "llama3"},
    {"proportional", "proportional"},
}};

constexpr double telechat_slope = 0.07;  // in place of YaRN's 0.1
constexpr std::size_t most_pairs = 4096;

/// The scaling of one layer, while it is read.
class Reader {
 public:
  Reader(const ConfigValues& config, const RopeDictionary& dictionary, LayerPlan& layer,
         std::vector<std::string>& assumed)
      : config_(config), dictionary_(dictionary), layer_(layer), assumed_(assumed) {}

  void put(const std::string& key, ParamValue value, std::string reason) {
    put_param(layer_, key, std::move(value), std::move(reason));
  }

  /// A number where the dictionary has one.
  void copy(const char* from, const char* to, bool zero_means_default = false) {
    const Valued<double> value = dictionary_.number(from, config_);
    if (value.value && !(zero_means_default && *value.value == 0))
      put(to, *value.value, value.reason);
  }

  /// A file's 0 makes cos and sin vanish, where that of rope.attention_factor is its default.
  void attention_factor() {
    const Valued<double> value = dictionary_.number("attention_factor", config_);
    if (!value.value) return;
    if (*value.value != 0) return put("rope.attention_factor", *value.value, value.reason);
    layer_.attention_factor = 0;
    layer_.reasons["rope.attention_factor"] = value.reason;
  }

  Valued<double> original_length() const {
    const char* key = "original_max_position_embeddings";
    Valued<double> outer = config_.number(key);
    if (!dictionary_.is_nested && outer.value) return outer;
    Valued<double> own = dictionary_.number(key, config_);
    if (own.value) return own;
    return config_.number("max_position_embeddings");
  }

  void put_original_length(Valued<double> length) {
    if (!length.value) {
      assume(assumed_, "no key says the length of training: 4096 tokens are assumed");
      length = {4096.0, "assumed"};
    }
    if (!(*length.value >= 2 && *length.value <= static_cast<double>(most_tokens)))
      config_.refuse("original_max_position_embeddings", "a length of 2 tokens to 2^40");
    put("rope.original_length", static_cast<std::int64_t>(std::llround(*length.value)),
        length.reason);
  }

  /// The factor, or the ratio of the lengths, as yarn and longrope have it.
  void put_factor(bool ratio_allowed) {
    Valued<double> factor = dictionary_.number("factor", config_);
    if (!factor.value && ratio_allowed) {
      const Valued<double> longest = config_.number("max_position_embeddings");
      const Valued<double> length = original_length();
      if (longest.value && length.value && *length.value > 0)
        factor = {*longest.value / *length.value, "max_position_embeddings over the original"};
    }
    if (!factor.value) {
      assume(assumed_, fmt::format("rope_type of layer {} needs a factor, and no key has one: 1 is "
                                   "assumed",
                                   layer_.layer));
      factor = {1.0, "assumed"};
    }
    put("rope.factor", *factor.value, factor.reason);
  }

  void yarn(const std::string& type) {
    put_factor(true);
    put_original_length(original_length());
    copy("beta_fast", "rope.beta_fast", true);
    copy("beta_slow", "rope.beta_slow", true);
    copy("mscale", "rope.mscale");
    copy("mscale_all_dim", "rope.mscale_all_dim");
    attention_factor();
    if (type == "telechat3-yarn" && !layer_.rope.scaling.attention_factor)
      put("rope.attention_factor", telechat_slope * std::log(layer_.rope.scaling.factor) + 1,
          "0.07 ln s + 1 of telechat3-yarn");
    truncate();
    if (layer_.rope.scaling.factor < 1) yarn_below_one();
  }

  /// A context that shrinks: θ' = θ((1 − γ)/s + γ) with s < 1, as factors by which θ is divided.
  /// γ is that of 1/s, whose frequencies θ((1 − γ)s + γ) name it.
  void yarn_below_one() {
    const double s = layer_.rope.scaling.factor;
    if (!(s > 0)) config_.refuse("rope_parameters.factor", "above 0");
    const std::string reason = layer_.reasons["rope.factor"] + ", below 1: yarn's ramp as factors";
    put("rope.factor", 1 / s, reason);
    LayerPlan inverse = layer_;
    complete_rope(inverse);
    const std::vector<double> theta = unscaled_frequencies(inverse);
    std::vector<double> factors;
    for (std::size_t t = 0; t < theta.size(); ++t) {
      const double divided = (1 - inverse.inv_freq[t] / theta[t]) / (1 - s);  // 1 − γ
      factors.push_back(1 / (divided / s + 1 - divided));
    }
    put_factors(layer_, std::move(factors), reason);
  }

  void truncate() {
    const Json* own = dictionary_.find("truncate");
    const bool asked = !own || *own != false;
    if (dictionary_.is_nested && asked != dictionary_.outer_truncate)
      assume(assumed_,
             "truncate within a nested dictionary is not read by Transformers 5.23, and "
             "not here: its code looks for it in the outer one");
    const bool used = dictionary_.is_nested ? dictionary_.outer_truncate : asked;
    if (!used)
      put("rope.truncate", false,
          dictionary_.is_nested ? config_.key_name("rope_parameters.truncate")
                                : dictionary_.reasons.find("truncate")->second);
  }

  std::vector<double> numbers(const char* key) {
    const Json* list = dictionary_.find(key);
    if (!list) return {};
    if (!list->is_array() || list->size() > most_pairs)
      config_.refuse(key, "a list of at most 4096 numbers");
    std::vector<double> values;
    for (const Json& item : *list) {
      const std::optional<double> number = finite_number(item);
      if (!number) config_.refuse(key, "a list of finite numbers");
      values.push_back(*number);
    }
    layer_.reasons[key] = dictionary_.reasons.find(key)->second;
    return values;
  }

  void longrope(const ReadOptions& options) {
    put_factor(true);
    // LongRoPE below 1 has no attention factor, which is what a factor of 1 means.
    if (layer_.rope.scaling.factor < 1) put("rope.factor", 1.0, layer_.reasons["rope.factor"]);
    put_original_length(original_length());
    attention_factor();
    layer_.rope.scaling.factors = numbers("short_factor");
    layer_.rope.scaling.long_factors = numbers("long_factor");
    put_length(options);
    if (config_.type() && config_.type()->name == "phimoe") phimoe();
  }

  /// Its class turns by the short factors at every length; cos and sin alone change with it.
  void phimoe() {
    const bool longer = layer_.rope.scaling.length > layer_.rope.scaling.original_length;
    const Valued<double> m = dictionary_.number(longer ? "long_mscale" : "short_mscale", config_);
    if (m.value) put("rope.attention_factor", *m.value, m.reason);
    layer_.rope.scaling.long_factors = layer_.rope.scaling.factors;
    layer_.reasons["long_factor"] = config_.code() + ": the short factors";
    assume(assumed_,
           fmt::format("the {} turns by short_factor at every length and multiplies cos and sin by "
                       "short_mscale or long_mscale: its file means long_factor beyond {} tokens",
                       config_.code(), layer_.rope.scaling.original_length));
  }

  void put_length(const ReadOptions& options) {
    const auto original = static_cast<std::int64_t>(layer_.rope.scaling.original_length);
    if (options.length > 0) return put("rope.length", options.length, "the length asked for");
    put("rope.length", original, "the length of training; --length chooses another");
    assume(assumed_, fmt::format("frequencies of layers with rope.scaling={} depend on the length "
                                 "of the sequence: those up to {} tokens are shown",
                                 name(layer_.rope.scaling.kind), original));
  }

  void dynamic(const ReadOptions& options) {
    put_factor(false);
    put_original_length(config_.number("max_position_embeddings"));
    put_length(options);
  }

  void llama3() {
    put_factor(false);
    put_original_length(original_length());
    copy("low_freq_factor", "rope.low_freq_factor");
    copy("high_freq_factor", "rope.high_freq_factor");
    step_where_equal();
  }

  /// Llama 4 has both factors 1: a step, and not a ramp, at the length of training.
  void step_where_equal() {
    const Valued<double> low = dictionary_.number("low_freq_factor", config_);
    const Valued<double> high = dictionary_.number("high_freq_factor", config_);
    if (!low.value || !high.value || *low.value != *high.value) return;
    constexpr double narrowest = 1 + 1e-9;  // no wavelength lies within a ramp so narrow
    put("rope.high_freq_factor", *high.value * narrowest,
        high.reason + ", equal to low_freq_factor: a step");
  }

  void ntk() {
    const Valued<double> alpha = dictionary_.number("alpha", config_);
    put("rope.factor", alpha.value.value_or(1.0), alpha.value ? alpha.reason : "assumed");
  }

 private:
  const ConfigValues& config_;
  const RopeDictionary& dictionary_;
  LayerPlan& layer_;
  std::vector<std::string>& assumed_;
};

std::string type_text(const RopeDictionary& dictionary) {
  for (const char* key : {"rope_type", "type"})
    if (const Json* value = dictionary.find(key); value && value->is_string())
      return value->get<std::string>();
  return "default";
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
  const RopeKeys keys = type_of(config).keys;
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

std::string scaling_kind(const ConfigValues& config, const RopeDictionary& dictionary,
                         std::vector<std::string>& assumed) {
  const std::string type = type_text(dictionary);
  const bool phi3 = config.type() && config.type()->keys == RopeKeys::phi3;
  if (phi3 && type == "yarn") return "longrope";
  if ((type == "dynamic" || type == "xdrope") && dictionary.find("alpha")) return "ntk";
  for (const auto& [name, kind] : kinds)
    if (name == type) return std::string(kind);
  assume(assumed, fmt::format("rope_type \"{}\" is unknown: frequencies are shown unscaled", type));
  return "none";
}

void read_scaling(const ConfigValues& config, const RopeDictionary& dictionary,
                  const std::string& kind, const ReadOptions& options, LayerPlan& layer,
                  std::vector<std::string>& assumed) {
  if (kind == "none") return;
  Reader reader(config, dictionary, layer, assumed);
  const std::string type_key = dictionary.find("rope_type") ? "rope_type" : "type";
  const std::string reason = dictionary.reasons.find(type_key)->second;
  if (kind == "proportional") {
    reader.put("rope.partial", std::string("proportional"), reason);
    if (!dictionary.find("factor")) return;
    reader.put("rope.scaling", std::string("linear"), reason);
    return reader.put_factor(false);
  }
  reader.put("rope.scaling", kind, reason);
  if (kind == "linear") reader.put_factor(false);
  if (kind == "dynamic_ntk") reader.dynamic(options);
  if (kind == "ntk") reader.ntk();
  if (kind == "yarn") reader.yarn(type_text(dictionary));
  if (kind == "longrope") reader.longrope(options);
  if (kind == "llama3") reader.llama3();
}

}  // namespace orrery

#include "experiments/model_files/config_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/errors.h"

namespace orrery::model_files {
namespace {

struct OtherNames {
  std::string_view key;
  std::array<std::string_view, 7> names;
};

// attribute_map of Transformers' configuration classes, all classes together.
constexpr OtherNames other_names[] = {
    {"num_hidden_layers",
     {"n_layer", "n_layers", "num_layers", "encoder_layers", "decoder_layers",
      "decoder_num_hidden_layers"}},
    {"hidden_size", {"n_embd", "d_model", "dim"}},
    {"num_attention_heads",
     {"n_head", "n_heads", "num_heads", "encoder_attention_heads", "attention_heads",
      "decoder_num_attention_heads"}},
    {"head_dim", {"d_kv", "kv_channels", "attention_head_dim", "d_head"}},
    {"max_position_embeddings", {"n_positions", "max_seq_len", "model_max_length", "n_ctx"}},
    {"layer_types", {"layers_block_type"}},
    {"sliding_window", {"sliding_window_size", "attention_window_size"}},
};

Json defaults_of(const ModelType* type) {
  if (!type) return Json::object();
  Json json = type->defaults.empty() ? Json::object() : Json::parse(type->defaults);
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

const Json* value_in(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

ConfigValues::ConfigValues(Json values, const ModelType* type, std::string file, std::string prefix)
    : values_(std::move(values)),
      defaults_(defaults_of(type)),
      type_(type),
      file_(std::move(file)),
      prefix_(std::move(prefix)) {}

bool ConfigValues::has_default(std::string_view key) const { return defaults_.contains(key); }

bool ConfigValues::is_unread(std::string_view key) const {
  if (!type_) return false;
  for (std::string_view rest = type_->unread; !rest.empty();) {
    const std::size_t end = std::min<std::size_t>(rest.find(' '), rest.size());
    if (rest.substr(0, end) == key) return true;
    rest.remove_prefix(std::min<std::size_t>(end + 1, rest.size()));
  }
  return false;
}

std::string ConfigValues::spelling_of(std::string_view key) const {
  if (!values_.contains(key) || (is_unread(key) && has_default(key)))
    for (const OtherNames& other : other_names)
      if (other.key == key)
        for (const std::string_view name : other.names)
          if (!name.empty() && values_.contains(name)) return std::string(name);
  return std::string(key);
}

const Json* ConfigValues::find_in_file(std::string_view key) const {
  return value_in(values_, spelling_of(key));
}

const Json* ConfigValues::find(std::string_view key) const {
  const std::string spelling = spelling_of(key);
  if (is_unread(key) && (spelling == key || !has_default(key))) return value_in(defaults_, key);
  // Classes put their own dictionary where a file has null for it.
  if (key == "rope_parameters" && !value_in(values_, spelling)) return value_in(defaults_, key);
  return values_.contains(spelling) ? value_in(values_, spelling) : value_in(defaults_, key);
}

std::string ConfigValues::key_name(std::string_view key) const {
  return fmt::format("{}: {}{}", file_, prefix_, spelling_of(key));
}

std::string ConfigValues::reason(std::string_view key) const {
  if (values_.contains(spelling_of(key))) return key_name(key);
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
                  "correct it, or take the file from the model's page again");
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
  if (value->is_number()) return *value != 0;
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

}  // namespace orrery::model_files

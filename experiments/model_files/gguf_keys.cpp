#include "experiments/model_files/gguf_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "experiments/model_files/config_plan.h"
#include "experiments/model_files/words.h"
#include "experiments/text/printable.h"

namespace orrery {

GgufKeys::GgufKeys(const GgufFile& file, std::string architecture, std::string_view name)
    : file_(file), architecture_(std::move(architecture)), name_(name) {}

std::string GgufKeys::full(const std::string& key) const { return architecture_ + "." + key; }

const GgufValue* GgufKeys::find(const std::string& key) const {
  asked_.insert(full(key));
  const auto found = file_.values.find(full(key));
  return found == file_.values.end() ? nullptr : &found->second;
}

void GgufKeys::refuse(const std::string& key, std::string_view expected) const {
  throw DataError(fmt::format("{}: {}", name_, printable(full(key))),
                  fmt::format("is not {}", expected), "convert the model again");
}

Valued<double> GgufKeys::number(const std::string& key, std::size_t layer) const {
  const GgufValue* value = find(key);
  if (!value) return {};
  std::optional<double> number;
  if (const auto* whole = std::get_if<std::int64_t>(value)) number = static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(value)) number = *real;
  if (const auto* list = std::get_if<std::vector<double>>(value))
    if (layer < list->size()) number = (*list)[layer];
  if (!number || !std::isfinite(*number)) refuse(key, "a finite number");
  return {number, full(key)};
}

Valued<std::int64_t> GgufKeys::integer(const std::string& key, std::int64_t least,
                                       std::int64_t most, std::size_t layer) const {
  const Valued<double> value = number(key, layer);
  if (!value.value) return {};
  if (*value.value != std::floor(*value.value) || *value.value < static_cast<double>(least) ||
      *value.value > static_cast<double>(most))
    refuse(key, fmt::format("a whole number from {} to {}", least, most));
  return {static_cast<std::int64_t>(*value.value), value.reason};
}

std::string GgufKeys::text(const std::string& key) const {
  const GgufValue* value = find(key);
  const auto* text = value ? std::get_if<std::string>(value) : nullptr;
  return text ? *text : "";
}

std::optional<bool> GgufKeys::flag(const std::string& key) const {
  const GgufValue* value = find(key);
  if (!value) return std::nullopt;
  if (const auto* flag = std::get_if<bool>(value)) return *flag;
  if (const auto* whole = std::get_if<std::int64_t>(value)) return *whole != 0;
  refuse(key, "true or false");
}

const std::vector<double>* GgufKeys::list(const std::string& key) const {
  const GgufValue* value = find(key);
  return value ? std::get_if<std::vector<double>>(value) : nullptr;
}

bool GgufKeys::has_tensor(const std::string& name) const {
  return file_.tensors.find(name) != file_.tensors.end();
}

std::vector<std::string> GgufKeys::unread() const {
  constexpr std::string_view beside =
      "head_count_kv value_length value_length_mla value_length_swa value_length_mla_swa "
      "layer_norm_epsilon layer_norm_rms_epsilon group_norm_epsilon group_norm_groups q_lora_rank "
      "kv_lora_rank clamp_kqv shared_kv_layers";
  std::vector<std::string> keys;
  for (const auto& [key, value] : file_.values) {
    const bool of_attention = key.starts_with(full("attention."));
    if ((!of_attention && !key.starts_with(full("rope."))) || asked_.contains(key)) continue;
    const std::string last = key.substr(full("attention.").size());
    if (!of_attention || (!lists_word(beside, last) && !last.starts_with("indexer.")))
      keys.push_back(key);
  }
  return keys;
}

std::vector<double> GgufKeys::tensor(const std::string& name, int layer,
                                     std::string& reason) const {
  for (const std::string& full : {fmt::format("blk.{}.{}", layer, name), name}) {
    const auto found = file_.tensors.find(full);
    if (found == file_.tensors.end()) continue;
    reason = "tensor " + full;
    const std::vector<std::uint64_t>& shape = found->second.shape;
    if (shape.empty() || shape.front() > static_cast<std::uint64_t>(most_channels) ||
        std::any_of(shape.begin() + 1, shape.end(), [](std::uint64_t d) { return d != 1; }))
      throw DataError(fmt::format("{}: {}", name_, full), "is no list of one factor per pair",
                      "convert the model again");
    return gguf_numbers(found->second, fmt::format("{}: {}", name_, full));
  }
  return {};
}

}  // namespace orrery

#include "experiments/model_files/gguf_model.h"

#include <fmt/format.h>

#include <optional>

#include "experiments/model_files/config_plan.h"

namespace orrery {
namespace {

using Architecture = GgufArchitecture;
using Windows = Architecture::Windows;
using Nope = Architecture::Nope;

constexpr const char* window_key = "attention.sliding_window";
constexpr const char* pattern_key = "attention.sliding_window_pattern";

/// What a list says of a layer: beyond its end 0.
bool listed(const std::vector<double>& list, int layer) {
  const auto at = static_cast<std::size_t>(layer);
  return at < list.size() && list[at] != 0;
}

struct Window {
  std::int64_t tokens{};
  std::string reason{};
};

/// The window of the layers that slide; none: no layer does.
std::optional<Window> window_of(const GgufModel& model) {
  const Architecture& architecture = model.architecture;
  const auto key = model.keys.integer(window_key, 0, most_tokens);
  const std::int64_t given = key.value.value_or(0);
  if (architecture.windows == Windows::never) return std::nullopt;
  if (architecture.windows == Windows::if_given && given == 0) return std::nullopt;
  if (architecture.windows == Windows::unless_zero && key.value && given == 0) return std::nullopt;
  if (architecture.windows == Windows::of_64_layers && model.layers != 64) return std::nullopt;
  if (given > 0 && architecture.key_sets_window) return Window{given, key.reason};
  if (architecture.window == 0) return std::nullopt;
  return Window{architecture.window,
                key.value ? fmt::format("{}, whatever {} says", code_reason(model), key.reason)
                          : code_reason(model)};
}

std::string no_window_reason(const GgufModel& model) {
  if (!model.keys.find(window_key)) return fmt::format("no {}", window_key);
  const auto key = model.keys.integer(window_key, 0, most_tokens);
  if (*key.value == 0) return fmt::format("{} is 0", key.reason);
  return fmt::format("{}, which makes no use of {} here", code_reason(model), key.reason);
}

bool slides(const GgufModel& model, int layer, std::string& reason) {
  const Architecture& architecture = model.architecture;
  reason = code_reason(model);
  if (architecture.pattern == Architecture::Pattern::unread) return true;
  if (const auto* list = model.keys.list(pattern_key); list && !list->empty()) {
    reason = model.keys.full(pattern_key);
    return listed(*list, layer);
  }
  Valued<std::int64_t> given{};
  if (architecture.pattern == Architecture::Pattern::optional)
    given = model.keys.integer(pattern_key, 0, most_layers);
  else
    assume(model.assumed,
           fmt::format("no list {}, without which llama.cpp reads no {}: {} is assumed",
                       model.keys.full(pattern_key), architecture.name,
                       architecture.period > 0
                           ? fmt::format("every {}th layer without a window", architecture.period)
                           : "a window in every layer"));
  if (given.value) reason = given.reason;
  const std::int64_t period = given.value.value_or(architecture.period);
  if (period <= 0) return true;
  return architecture.full_first ? layer % period != 0 : (layer + 1) % period != 0;
}

bool has_kv_heads(const GgufModel& model, const LayerPlan& layer) {
  return layer_integer(model, "attention.head_count_kv", layer).value.value_or(1) > 0;
}

bool is_between_full(const GgufModel& model, const LayerPlan& layer, std::string& reason) {
  const char* list_key = "attention.recurrent_layers";
  const char* interval_key = "full_attention_interval";
  if (const auto* list = model.keys.list(list_key); list && !list->empty()) {
    reason = model.keys.full(list_key);
    return listed(*list, layer.layer);
  }
  const auto given = model.keys.integer(interval_key, 1, most_layers);
  reason = given.value ? given.reason : code_reason(model);
  return (layer.layer + 1) % given.value.value_or(model.architecture.interval) != 0;
}

}  // namespace

void read_gguf_window(const GgufModel& model, LayerPlan& layer) {
  const std::optional<Window> window = window_of(model);
  layer.type = "full_attention";
  layer.reasons["type"] = no_window_reason(model);
  if (!window) return;
  if (!slides(model, layer.layer, layer.reasons["type"])) return;
  const bool blocks = model.architecture.shape == Architecture::Shape::blocks;
  layer.type = blocks ? "chunked_attention" : "sliding_attention";
  const bool both_sides = model.architecture.shape == Architecture::Shape::both_sides;
  layer.window = both_sides ? window->tokens / 2 + 1 : window->tokens;
  layer.window_in_blocks = blocks;
  layer.reasons["window"] = window->reason;
  if (blocks) layer.reasons["window"] += ": blocks of keys, none before the query's own";
  if (both_sides) layer.reasons["window"] += ": half of it to each side, and the query's own";
}

bool has_no_attention(const GgufModel& model, const LayerPlan& layer, std::string& reason) {
  if (const auto heads = layer_integer(model, "attention.head_count", layer);
      heads.value && *heads.value == 0) {
    reason = heads.reason + " is 0";
    return true;
  }
  if (model.architecture.recurrent == Architecture::Recurrent::between_full)
    return is_between_full(model, layer, reason);
  if (model.architecture.recurrent == Architecture::Recurrent::never) return false;
  if (const auto width = layer_integer(model, "feed_forward_length", layer);
      model.architecture.recurrent == Architecture::Recurrent::or_with_feed_forward &&
      width.value.value_or(0) > 0) {
    reason = width.reason + " is not 0";
    return true;
  }
  reason = model.keys.full("attention.head_count_kv") + " is 0";
  return !has_kv_heads(model, layer);
}

bool has_no_positions(const GgufModel& model, const LayerPlan& layer, std::string& reason) {
  const bool full = layer.type == "full_attention";
  const bool windows = window_of(model).has_value();
  const auto because = [&](const char* rule) {
    reason = fmt::format("{}: {}", code_reason(model), rule);
  };
  switch (model.architecture.nope) {
    case Nope::never:
      return false;
    case Nope::every_fourth_with_windows:
      if (!windows) return false;
      [[fallthrough]];
    case Nope::every_fourth:
      because("every fourth layer has no RoPE");
      return (layer.layer + 1) % 4 == 0;
    case Nope::first_of_four:
      because("layers 0, 4, 8, … have no RoPE where others slide");
      return windows && layer.layer % 4 == 0;
    case Nope::full:
      because("layers without a window have no RoPE");
      return full;
    case Nope::full_with_windows:
      because("layers without a window have no RoPE where others have one");
      return full && windows;
    case Nope::full_after_dense:
      because("layers without a window have no RoPE after the first dense ones");
      return full &&
             layer.layer >=
                 model.keys.integer("leading_dense_block_count", 0, most_layers).value.value_or(0);
    case Nope::listed: {
      const auto* list = model.keys.list("attention.rope_pattern");
      reason = model.keys.full("attention.rope_pattern");
      return list && !list->empty() && !listed(*list, layer.layer);
    }
    case Nope::switched:
      reason = model.keys.full("rope.scaling.finetuned") + " switches RoPE off";
      return model.keys.flag("rope.scaling.finetuned") == false;
  }
  return false;
}

}  // namespace orrery

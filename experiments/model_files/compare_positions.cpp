#include "experiments/model_files/compare_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "experiments/model_files/positions_text.h"

namespace orrery {
namespace {

bool same(double a, double b) {
  if (a == b) return true;
  return std::abs(a - b) <= same_number * (std::abs(a) + std::abs(b)) / 2;  // false for a NaN
}

/// The differences of two plans, while they are collected.
class Collector {
 public:
  explicit Collector(PositionComparison& into) : into_(into) {}

  void differ(int layer, const std::string& field, std::string a, std::string b) {
    for (PositionComparison::Difference& known : into_.differences)
      if (known.field == field && known.a == a && known.b == b) {
        known.layers.push_back(layer);
        return;
      }
    into_.differences.push_back({field, std::move(a), std::move(b), {layer}});
  }

  void texts(int layer, const std::string& field, std::string_view a, std::string_view b) {
    if (a != b) differ(layer, field, std::string(a), std::string(b));
  }

  void numbers(int layer, const std::string& field, Index a, Index b) {
    numbers(layer, field, static_cast<double>(a), static_cast<double>(b));
  }
  void numbers(int layer, const std::string& field, double a, double b) {
    if (!same(a, b)) differ(layer, field, shown_number(a), shown_number(b));
  }

  void note(std::string sentence) {
    if (std::find(into_.notes.begin(), into_.notes.end(), sentence) == into_.notes.end())
      into_.notes.push_back(std::move(sentence));
  }

 private:
  PositionComparison& into_;
};

void compare_frequencies(const LayerPlan& a, const LayerPlan& b, Collector& found) {
  if (a.inv_freq.size() != b.inv_freq.size())
    return found.differ(a.layer, "frequencies", fmt::format("{} pairs", a.inv_freq.size()),
                        fmt::format("{} pairs", b.inv_freq.size()));
  std::size_t count = 0, first = 0, largest = 0;
  const auto error = [&](std::size_t t) {
    return std::abs(std::log(a.inv_freq[t] / b.inv_freq[t]));
  };
  for (std::size_t t = 0; t < a.inv_freq.size(); ++t) {
    if (same(a.inv_freq[t], b.inv_freq[t])) continue;
    if (count++ == 0) first = largest = t;
    if (!(error(t) <= error(largest))) largest = t;
  }
  if (count == 0) return;
  const auto side = [&](const LayerPlan& layer) {
    return fmt::format("pair {} at {}", largest, shown_number(layer.inv_freq[largest]));
  };
  found.differ(
      a.layer,
      fmt::format("frequencies ({} of {} pairs, from pair {} on)", count, a.inv_freq.size(), first),
      side(a), side(b));
}

void compare_rope(const LayerPlan& a, const LayerPlan& b, Collector& found) {
  const bool explained = a.rows_reordered != b.rows_reordered && a.rope.pairing != b.rope.pairing;
  if (explained)
    found.note(
        "pairs (2t, 2t+1) of one file are pairs (t, t + r/2) of the other: rows of W_q and W_k "
        "are reordered along, and scores are equal");
  else
    found.texts(a.layer, "pairing", name(a.rope.pairing), name(b.rope.pairing));
  found.numbers(a.layer, "rotated channels", a.rope.rotary_dims, b.rope.rotary_dims);
  found.numbers(a.layer, "first rotated channel", a.rope.begin, b.rope.begin);
  found.texts(a.layer, "direction", a.rope.clockwise ? "clockwise" : "counter-clockwise",
              b.rope.clockwise ? "clockwise" : "counter-clockwise");
  found.numbers(a.layer, "base", a.rope.base, b.rope.base);
  compare_frequencies(a, b, found);
  found.numbers(a.layer, "attention factor", a.attention_factor, b.attention_factor);
  const auto sections = [](const LayerPlan& l) {
    if (l.rope.sections.empty()) return std::string("one axis");
    return fmt::format("{}{}", fmt::join(l.rope.sections, ", "),
                       l.rope.design == AxisDesign::interleaved ? " in turns" : "");
  };
  found.texts(a.layer, "pairs per axis", sections(a), sections(b));
  // Files that say nothing about an indexer, as GGUFs, differ in nothing.
  if (a.indexer && b.indexer)
    found.texts(a.layer, "pairing of the indexer", name(a.indexer->pairing),
                name(b.indexer->pairing));
}

/// What leaves the weights as they are: with a causal mask each form of ALiBi adds the same to a
/// row but for one number, and 8 is the usual largest bias.
bool is_without_effect(const LayerPlan& layer, const PlannedSetting& setting) {
  if (layer.encoding != "alibi") return false;
  if (setting.first == "alibi.form") return layer.causal;
  return setting.first == "alibi.bias_max" && setting.second == ParamValue(8.0);
}

std::string params_text(const LayerPlan& layer) {
  std::string text;
  for (const PlannedSetting& setting : layer.params) {
    const auto& [key, value] = setting;
    if (is_without_effect(layer, setting)) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", key, to_text(value));
  }
  return text;
}

void compare_layer(const LayerPlan& a, const LayerPlan& b, Collector& found) {
  if (a.encoding != b.encoding) return found.differ(a.layer, "encoding", a.encoding, b.encoding);
  if (a.encoding == "not_attention") return;
  found.numbers(a.layer, "channels of a head", a.rope.d_head, b.rope.d_head);
  if (a.encoding == "rope")
    compare_rope(a, b, found);
  else
    found.texts(a.layer, "parameters", params_text(a), params_text(b));
  found.numbers(a.layer, "softmax scale", a.softmax_scale, b.softmax_scale);
  found.texts(a.layer, "window", window_text(a), window_text(b));
  found.texts(a.layer, "mask", a.causal ? "causal" : "none", b.causal ? "causal" : "none");
  found.texts(a.layer, "factor by position", temperature_text(a), temperature_text(b));
}

}  // namespace

PositionComparison compare_positions(const PositionPlan& a, const PositionPlan& b) {
  PositionComparison comparison;
  Collector found(comparison);
  const std::size_t both = std::min<std::size_t>(a.layers.size(), b.layers.size());
  for (std::size_t i = 0; i < both; ++i) compare_layer(a.layers[i], b.layers[i], found);
  if (a.layers.size() != b.layers.size())
    comparison.differences.push_back({"number of layers",
                                      fmt::format("{}", a.layers.size()),
                                      fmt::format("{}", b.layers.size()),
                                      {}});
  // Only a file that names a second stack can differ in it.
  if (a.other.empty() || b.other.empty()) return comparison;
  const PositionPlan of_a{.layers = a.other}, of_b{.layers = b.other};
  for (PositionComparison::Difference& one : compare_positions(of_a, of_b).differences) {
    one.field = fmt::format("{}: {}", other_stack(a), one.field);
    comparison.differences.push_back(std::move(one));
  }
  return comparison;
}

}  // namespace orrery

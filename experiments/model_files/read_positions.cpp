#include "experiments/model_files/read_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/model_files/config_values.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/model_files/positions_text.h"
#include "experiments/model_files/read_config.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

fs::path file_in(const fs::path& folder) {
  for (const char* name : {"config.json", "params.json", "mlc-chat-config.json"})
    if (std::error_code error; fs::is_regular_file(folder / name, error)) return folder / name;
  if (std::optional<fs::path> gguf = only_gguf_in(folder)) return *std::move(gguf);
  throw IoError(folder.string(), "holds neither config.json, params.json nor a .gguf file",
                "give the folder of a model, or one of its files");
}

/// Names of models on a hub, such as gpt2, are no files.
void require_no_hub_name(const fs::path& path) {
  std::error_code error;
  const std::string kind = path.extension().string();
  if (fs::exists(path, error) || kind == ".json" || kind == ".gguf") return;
  std::string cached = path.lexically_normal().string();
  for (std::size_t slash; (slash = cached.find('/')) != std::string::npos;)
    cached.replace(slash, 1, "--");
  throw IoError(
      path.string(), "is neither a file nor a folder here, and models are not looked up by name",
      fmt::format("give the model's config.json, saved from its page or where Transformers "
                  "keeps it: ~/.cache/huggingface/hub/models--{}/snapshots/*",
                  cached));
}

constexpr int most_entries_of_folder = 100'000;

}  // namespace

PositionPlan read_positions(const fs::path& path, const ReadOptions& options) {
  require_no_hub_name(path);
  std::error_code error;
  const fs::path file = fs::is_directory(path, error) ? file_in(path) : path;
  const std::string name = file.string();
  const MappedFile mapped(file, name);
  if (is_gguf(mapped.bytes())) {
    PositionPlan plan = read_gguf(mapped.bytes(), name, options);
    mapped.require_whole();
    return plan;
  }
  PositionPlan plan =
      read_config(read_file(file, max_config_bytes, name), file.filename().string(), options);
  plan.source = name;
  return plan;
}

const LayerPlan& layer_of(const PositionPlan& plan, int layer) {
  for (const LayerPlan& candidate : plan.layers)
    if (candidate.layer == layer) return candidate;
  throw UsageError(fmt::format("layer {}", layer),
                   fmt::format("{} has {} layers", plan.source, plan.layers.size()),
                   "give the number of one, counted from 0");
}

bool is_later_part(std::string_view name) {
  return name.find("-of-") != std::string_view::npos &&
         name.find("-00001-of-") == std::string_view::npos;
}

std::vector<fs::path> ggufs_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  int entries = 0;
  for (fs::directory_iterator at(folder, error), end;
       !error && at != end && ++entries < most_entries_of_folder; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(".gguf") && !is_later_part(name)) found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<fs::path> only_gguf_in(const fs::path& folder) {
  const std::vector<fs::path> ggufs = ggufs_in(folder);
  if (ggufs.empty()) return std::nullopt;
  if (ggufs.size() == 1) return ggufs.front();
  throw DataError(folder.string(), fmt::format("holds {} .gguf files", ggufs.size()),
                  fmt::format("give one of them, {}", ggufs.front().string()));
}

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

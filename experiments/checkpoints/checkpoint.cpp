#include "experiments/checkpoints/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/checkpoints/decode_rows.h"
#include "experiments/checkpoints/keys.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/files/presence.h"
#include "experiments/model_files/config_values.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/model_files/gguf_keys.h"
#include "experiments/model_files/read_positions.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

const Family& family_of(const PositionPlan& plan, bool gguf) {
  const Family* family =
      gguf ? find_family_of_architecture(plan.model_type) : find_family_of_type(plan.model_type);
  if (family) return *family;
  throw DataError(
      fmt::format("{}: {} \"{}\"", plan.source, gguf ? "general.architecture" : "model_type",
                  plan.model_type),
      "is of no family that runs",
      "see orrery list families; orrery run model_layers shows its layers all the same");
}

void require_all_read(const Checkpoint& checkpoint, const std::vector<const Places*>& places) {
  const std::vector<std::string> unread = unread_tensors(checkpoint.store(), places);
  if (unread.empty()) return;
  throw DataError(fmt::format("{}: tensor {}", checkpoint.store().name(), unread.front()),
                  fmt::format("is no part of the family {} with these settings, nor are {} more",
                              checkpoint.family().name, unread.size() - 1),
                  "take a model of a family that orrery list families lists");
}

/// Layers of T5's decoder, of which no file says more than that they are like the encoder's.
std::vector<LayerPlan> decoder_layers(const LayerPlan& like, std::size_t count) {
  std::vector<LayerPlan> layers(count, like);
  for (std::size_t l = 0; l < count; ++l) {
    layers[l].layer = static_cast<int>(l);
    layers[l].causal = true;
    put_param(layers[l], "t5.bidirectional", false, "layers of the decoder");
  }
  return layers;
}

/// Of half a unit in the last place of the numbers that a file holds, below 1.
double rounding_of(const PlacedTensor& placed) {
  if (placed.tensor->type == StoredType::bf16) return 0x1p-8;
  return placed.tensor->type == StoredType::f16 ? 0x1p-11 : 1e-6;
}

/// Throws DataError: the file's sines and cosines are not those of the plan, by which passes turn.
void require_own_rotations(const TensorStore& store, const PlacedTensor& placed,
                           const LayerPlan& layer) {
  if (!placed) return;
  const Matrix<double> table = decoded<double>(placed);
  const auto pairs = static_cast<Index>(layer.inv_freq.size());
  const double allowed = rounding_of(placed);
  for (Index p = 0; p < table.rows(); ++p)
    for (Index t = 0; t < pairs; ++t) {
      const double angle = static_cast<double>(p) * layer.inv_freq[static_cast<std::size_t>(t)];
      if (std::abs(table(p, t) - std::sin(angle)) <= allowed &&
          std::abs(table(p, t + pairs) - std::cos(angle)) <= allowed)
        continue;
      throw DataError(
          store.label(placed.name),
          fmt::format(
              "has the sine {} and the cosine {} for pair {} at position {}, where {:.6g} and "
              "{:.6g} are those of the family",
              table(p, t), table(p, t + pairs), t, p, std::sin(angle), std::cos(angle)),
          "a table of its own is not run; take the model as it was published");
    }
}

Stack stack_of(const TensorStore& store, const TensorNames& names, ModelKeys keys,
               std::vector<LayerPlan> layers) {
  Places places = find_places(store, names, layers, keys);
  require_own_rotations(store, places.rotations, layers.front());
  Stack stack{.design = std::move(keys.design),
              .places = std::move(places),
              .layers = std::move(layers),
              .pad = keys.pad,
              .longest = keys.positions};
  // BERT with positions by distance keeps a table that its code does not add.
  if (stack.layers.front().encoding == "shaw") stack.places.positions = {};
  return stack;
}

/// The stacks of a model whose tensors are open: one, or an encoder and its decoder.
struct StackReader {
  const TensorStore& store;
  const Family& family;
  const PositionPlan& plan;

  std::vector<Stack> of_config(const ConfigValues& config,
                               std::vector<std::string>& assumed) const {
    const ModelKeys keys = model_keys(family, config, plan);
    for (const std::string& sentence : keys.assumed) assume(assumed, sentence);
    if (const std::vector<std::string> unread = config.unread(plan.keys_read); !unread.empty())
      assume(assumed, fmt::format("{}: {} not read, and may change what the model computes",
                                  config.key_name(fmt::format("{}", fmt::join(unread, ", "))),
                                  unread.size() == 1 ? "is" : "are"));
    return with_decoder(*family.names, keys, family.decoder, config);
  }

  /// @param tokens  of its tokenizer; 0 without one
  std::vector<Stack> of_gguf(const GgufKeys& file, std::size_t tokens) const {
    ModelKeys keys = model_keys(family, file, plan);
    if (tokens > 0) keys.vocabulary = static_cast<Index>(tokens);
    return with_decoder(gguf_names(family), keys, gguf_decoder_names(family), file);
  }

  template <class File>
  std::vector<Stack> with_decoder(const TensorNames& names, const ModelKeys& keys,
                                  const TensorNames* decoder_names, const File& file) const {
    std::vector<Stack> stacks;
    stacks.push_back(stack_of(store, names, keys, plan.layers));
    if (!decoder_names ||
        !TensorFinder(store, *decoder_names).find(decoder_names->final_norm, ".weight"))
      return stacks;
    ModelKeys decoder = decoder_keys(file, keys);
    const std::size_t count = decoder.design.layers.size();
    stacks.push_back(stack_of(store, *decoder_names, std::move(decoder),
                              decoder_layers(plan.layers.front(), count)));
    return stacks;
  }
};

fs::path config_of(const fs::path& path) {
  std::error_code error;
  return (fs::is_directory(path, error) ? path : path.parent_path()) / "config.json";
}

/// Of a model that would not run with its weights either, that is said first.
TensorStore open_weights(const fs::path& path, const ReadOptions& options) try {
  return TensorStore::open(path);
} catch (const DataError&) {
  if (const fs::path config = config_of(path); is_file_at(config))
    family_of(read_positions(config, options), false);
  throw;
}

}  // namespace

Checkpoint Checkpoint::open(const fs::path& path, const ReadOptions& options) {
  TensorStore store = open_weights(path, options);
  const bool gguf = store.is_gguf();
  const fs::path facts = gguf ? fs::path(store.name()) : config_of(path);
  Checkpoint checkpoint(std::move(store), read_positions(facts, options));
  checkpoint.family_ = &family_of(checkpoint.plan_, gguf);
  const StackReader reader{checkpoint.store_, *checkpoint.family_, checkpoint.plan_};
  if (gguf) {
    const MappedFile mapped(facts);
    const GgufFile file = parse_gguf(mapped.bytes(), checkpoint.store_.name());
    const GgufKeys keys(file, checkpoint.plan_.model_type, checkpoint.store_.name());
    const std::size_t tokens =
        gguf_list(mapped.bytes(), "tokenizer.ggml.tokens", keys.name()).texts.size();
    checkpoint.stacks_ = reader.of_gguf(keys, tokens);
  } else {
    const ConfigValues config =
        text_config(read_file(facts, max_config_bytes, facts.string()), facts.string());
    checkpoint.stacks_ = reader.of_config(config, checkpoint.plan_.assumed);
  }
  std::vector<const Places*> places;
  for (const Stack& stack : checkpoint.stacks_) places.push_back(&stack.places);
  require_all_read(checkpoint, places);
  return checkpoint;
}

}  // namespace orrery

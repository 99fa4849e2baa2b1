#include "experiments/checkpoints/checkpoint.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "core/errors.h"
#include "experiments/checkpoints/keys.h"
#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"
#include "experiments/model_files/gguf_file.h"
#include "experiments/model_files/gguf_keys.h"
#include "experiments/model_files/read_positions.h"
#include "experiments/model_files/text_config.h"

namespace orrery::checkpoints {
namespace {

namespace fs = std::filesystem;
using model_files::ConfigValues;
using model_files::GgufFile;
using model_files::GgufKeys;
using model_files::LayerPlan;
using model_files::PositionPlan;

const Family& family_of(const PositionPlan& plan, bool gguf) {
  const Family* family =
      gguf ? find_family_of_architecture(plan.model_type) : find_family_of_type(plan.model_type);
  if (family) return *family;
  throw DataError(fmt::format("{}: {} \"{}\"", plan.source,
                              gguf ? "general.architecture" : "model_type", plan.model_type),
                  "is of no family that runs",
                  "see orrery families; orrery positions shows its layers all the same");
}

void require_all_read(const Checkpoint& checkpoint, const std::vector<const Places*>& places) {
  const std::vector<std::string> unread = unread_tensors(checkpoint.store(), places);
  if (unread.empty()) return;
  throw DataError(fmt::format("{}: tensor {}", checkpoint.store().name(), unread.front()),
                  fmt::format("is no part of the family {}, nor are {} more",
                              checkpoint.family().name, unread.size() - 1),
                  "take a model of a family that orrery families lists");
}

/// Layers of T5's decoder, of which no file says more than that they are like the encoder's.
std::vector<LayerPlan> decoder_layers(const LayerPlan& like, std::size_t count) {
  std::vector<LayerPlan> layers(count, like);
  for (std::size_t l = 0; l < count; ++l) {
    layers[l].layer = static_cast<int>(l);
    layers[l].causal = true;
    model_files::put_param(layers[l], "t5.bidirectional", false, "layers of the decoder");
  }
  return layers;
}

Stack stack_of(const TensorStore& store, const TensorNames& names, ModelKeys keys,
               std::vector<LayerPlan> layers) {
  Stack stack{.design = std::move(keys.design), .layers = std::move(layers)};
  stack.places = find_places(store, names, stack.design, keys.tied);
  // BERT with positions by distance keeps a table that its code does not add.
  if (stack.layers.front().encoding == "shaw") stack.places.positions = {};
  return stack;
}

/// The stacks of a model whose tensors are open: one, or an encoder and its decoder.
struct StackReader {
  const TensorStore& store;
  const Family& family;
  const PositionPlan& plan;

  std::vector<Stack> of_config(const ConfigValues& config) const {
    const ModelKeys keys = config_keys(family, config, plan);
    return with_decoder(*family.names, keys, family.decoder,
                        [&] { return decoder_keys(config, keys); });
  }

  std::vector<Stack> of_gguf(const GgufKeys& file) const {
    const ModelKeys keys = gguf_model_keys(family, file, plan);
    return with_decoder(gguf_names(family), keys, gguf_decoder_names(family),
                        [&] { return gguf_decoder_keys(file, keys); });
  }

  template <class KeysOfDecoder>
  std::vector<Stack> with_decoder(const TensorNames& names, const ModelKeys& keys,
                                  const TensorNames* decoder_names,
                                  const KeysOfDecoder& keys_of_decoder) const {
    std::vector<Stack> stacks;
    stacks.push_back(stack_of(store, names, keys, plan.layers));
    if (!decoder_names ||
        !TensorFinder(store, *decoder_names).find(decoder_names->final_norm, ".weight"))
      return stacks;
    ModelKeys decoder = keys_of_decoder();
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

}  // namespace

Checkpoint Checkpoint::open(const fs::path& path, const model_files::ReadOptions& options) {
  TensorStore store = TensorStore::open(path);
  const bool gguf = store.is_gguf();
  const fs::path facts = gguf ? fs::path(store.name()) : config_of(path);
  Checkpoint checkpoint(std::move(store), read_positions(facts, options));
  checkpoint.family_ = &family_of(checkpoint.plan_, gguf);
  const StackReader reader{checkpoint.store_, *checkpoint.family_, checkpoint.plan_};
  if (gguf) {
    const files::MappedFile mapped(facts);
    const GgufFile file = model_files::parse_gguf(mapped.bytes(), checkpoint.store_.name());
    const GgufKeys keys(file, checkpoint.plan_.model_type, checkpoint.store_.name());
    checkpoint.stacks_ = reader.of_gguf(keys);
  } else {
    const ConfigValues config = model_files::text_config(
        files::read_file(facts, model_files::max_config_bytes, facts.string()), facts.string());
    checkpoint.stacks_ = reader.of_config(config);
  }
  std::vector<const Places*> places;
  for (const Stack& stack : checkpoint.stacks_) places.push_back(&stack.places);
  require_all_read(checkpoint, places);
  return checkpoint;
}

}  // namespace orrery::checkpoints

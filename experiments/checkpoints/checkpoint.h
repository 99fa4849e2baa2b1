#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/transformer/forward.h"
#include "experiments/checkpoints/family.h"
#include "experiments/checkpoints/places.h"
#include "experiments/checkpoints/tensor_store.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// Layers that follow each other: a model, or one of the two of an encoder-decoder.
struct Stack {
  TransformerDesign design{};
  Places places{};
  std::vector<LayerPlan> layers{};
  /// Row pad + 1 of the table of positions is that of position 0, and tokens of this number have row pad.
  std::optional<std::int32_t> pad{};
  Index longest{};  ///< tokens of the longest sequences that its file names; 0 where it does not

  bool has_head() const { return static_cast<bool>(places.vocabulary.W); }
};

/// A model on the disk: its files' facts, and its weights where they lie.
class Checkpoint {
 public:
  /// Opens a folder with config.json and *.safetensors, or a GGUF; nothing but headers is read.
  /// @param options  the length of the sequence, by which some scalings of RoPE choose
  /// Throws DataError, naming the value: a model of no family, such as a mixture of experts; keys
  /// out of range; a tensor that is missing, of a wrong shape, or that no family has. Throws
  /// IoError: a file that is not there or cannot be read.
  static Checkpoint open(const std::filesystem::path& path, const ReadOptions& options = {});

  const Family& family() const { return *family_; }
  const PositionPlan& plan() const { return plan_; }
  const TensorStore& store() const { return store_; }
  /// The model; of an encoder-decoder its encoder.
  const Stack& stack() const { return stacks_.front(); }
  /// Null for a model that is no encoder-decoder.
  const Stack* decoder() const { return stacks_.size() > 1 ? &stacks_[1] : nullptr; }
  /// The stack that has the vocabulary's logits.
  const Stack& last_stack() const { return stacks_.back(); }

 private:
  Checkpoint(TensorStore store, PositionPlan plan)
      : store_(std::move(store)), plan_(std::move(plan)) {}

  TensorStore store_;
  PositionPlan plan_;
  const Family* family_{nullptr};
  std::vector<Stack> stacks_{};
};

/// Reads the weights of a stack, which must outlive it, a layer at a time. T is float or double.
/// @param threads  that decode
template <class T>
std::unique_ptr<WeightSource<T>> weight_source(const Checkpoint& checkpoint, const Stack& stack,
                                               int threads = 1);

/// Bytes of memory that a pass over so many tokens takes: a layer's weights, the residual stream
/// thrice, queries, keys, values and outputs of the heads, gate and up; keys and values of all
/// layers.
std::uint64_t pass_bytes(const Stack& stack, std::uint64_t tokens, std::size_t bytes_per_number);

}  // namespace orrery

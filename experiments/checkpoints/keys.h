#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/transformer/design.h"
#include "experiments/checkpoints/family.h"
#include "experiments/model_files/config_values.h"
#include "experiments/model_files/gguf_keys.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {

/// A model as its files describe it, before its tensors are looked at.
struct ModelKeys {
  TransformerDesign design{};  ///< with kv_heads 0 where the files do not say how many
  bool tied{};                 ///< the head has the tokens' vectors, unless the file has others
  Index d_model{};
  // Sizes of tensors; 0 where the files do not say.
  Index vocabulary{}, d_embedding{}, d_inner{};
  Index positions{}, segments{};  ///< rows of their tables
  Index convolution_taps{}, convolution_groups{1};
  std::optional<std::int32_t>
      pad{};                ///< row pad + 1 of the table of positions is that of position 0
  bool shares_attention{};  ///< W_qr and W_kr are W_q and W_k
  OptionalTensors has{};
  bool adds_output_biases{true};  ///< of W_o and W_down, which are there
  std::vector<std::string>
      assumed{};  ///< what the file means otherwise than the class, a sentence each
};

/// What a config.json says of a model of the family, beyond positions.
/// Throws DataError, naming the key: a value out of range or of another kind, and one for which the
/// family has no place: talking heads, a clamp of q, k and v.
ModelKeys model_keys(const Family& family, const ConfigValues& config, const PositionPlan& plan);
/// The same of a GGUF's metadata.
ModelKeys model_keys(const Family& family, const GgufKeys& keys, const PositionPlan& plan);
/// Those of an encoder-decoder's decoder.
ModelKeys decoder_keys(const ConfigValues& config, ModelKeys encoder);
ModelKeys decoder_keys(const GgufKeys& keys, ModelKeys encoder);

}  // namespace orrery

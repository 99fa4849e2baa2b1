#pragma once

#include <string_view>

#include "experiments/model/layers.h"

namespace orrery::plans {

/// What llama.cpp does for an architecture, where no key of a GGUF says it.
struct GgufArchitecture {
  enum class Pairs { none, norm, neox };  ///< norm: (2t, 2t+1); neox: (t, t + r/2)
  enum class Nope { never, every_fourth, on_full };

  std::string_view name{};
  Pairs pairs{Pairs::none};
  std::string_view encoding{"rope"};  ///< in the place of RoPE: "alibi", "t5", "learned", "none"
  int period{0};            ///< every n-th layer is full, the others slide; 0: all are full
  bool own_sliding_rope{};  ///< sliding layers have base 10000 and no scaling
  Nope nope{Nope::never};
  bool reordered{};  ///< the converter puts rows of W_q and W_k in the order of Meta
  bool latent{};     ///< q and k are [nope | rope]
  bool bidirectional{};
  bool sections_interleaved{};
};

/// Null for an unknown name.
const GgufArchitecture* find_gguf_architecture(std::string_view name);

}  // namespace orrery::plans

#pragma once

#include "core/encodings/rope.h"
#include "tests/support/golden.h"

namespace orrery::test {

/// The RoPE encoding of a case in golden/rotation.json, whose vectors have eight channels.
inline Rope<double> rope_of(const nlohmann::json& c) {
  const bool interleaved = c.at("pairing") == "interleaved";
  return Rope<double>({.d_head = 8,
                       .rotary_dims = c.at("rotary"),
                       .pairing = interleaved ? RopePairing::interleaved : RopePairing::half_split,
                       .base = c.at("base")});
}

}  // namespace orrery::test

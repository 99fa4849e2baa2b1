#pragma once

#include "core/encodings/rope.h"
#include "tests/support/golden.h"

namespace orrery::test {

/// The RoPE encoding of a case in golden/rotation.json, whose vectors have eight channels.
inline Rope<double> rope_of(const nlohmann::json& c) {
  const bool interleaved = c.at("pairing") == "interleaved";
  return Rope<double>({.d_head = 8,
                       .base = c.at("base"),
                       .pairing = interleaved ? RopePairing::interleaved : RopePairing::half_split,
                       .rotary_dims = c.at("rotary")});
}

}  // namespace orrery::test

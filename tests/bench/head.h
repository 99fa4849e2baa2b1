#pragma once

#include "core/attention/softmax_attention.h"
#include "core/random.h"

namespace orrery::bench {

inline constexpr Index head_channels = 64;

/// A head of N tokens with random contents: zeros would be faster than what users have.
struct Head {
  Matrix<float> q, k, v;
  Positions at;
  Mask causal;

  explicit Head(Index n) : at(consecutive_positions(n)), causal(Mask::causal(at, at)) {
    Random random(1, "benchmark");
    q = normal_matrix<float>(random, n, head_channels);
    k = normal_matrix<float>(random, n, head_channels);
    v = normal_matrix<float>(random, n, head_channels);
  }
  AttentionInputs<float> inputs() const { return {q, k, v, at, at}; }
};

/// Keeps the compiler from leaving out what nobody reads.
template <class T>
void use(const T& value) {
  __asm__ volatile("" ::"r"(&value) : "memory");
}

}  // namespace orrery::bench

#pragma once

#include <string_view>

#include "core/types.h"

namespace orrery {

/// The nonlinearity of a feed-forward layer. The three GELUs differ by up to 5e-4 near |x| = 2.
enum class Activation {
  relu,               ///< max(x, 0): Vaswani et al. 2017
  squared_relu,       ///< max(x, 0)²: So et al. 2021 (Primer)
  gelu,               ///< x Φ(x), Φ by the error function: BERT, RoFormer, GPT-NeoX
  gelu_tanh,          ///< x (1 + tanh(√(2/π)(x + 0.044715 x³)))/2: GPT-2, Gemma
  gelu_tanh_rounded,  ///< the same with 0.79788456 for √(2/π): Bloom
  gelu_quick,         ///< x σ(1.702 x): CLIP
  tanh,
  silu,  ///< x σ(x): Llama
};

/// y = f(x) of every number of x, in place.
///
/// Accuracy: computed in fp64 and rounded once: fp32 is off by at most 0.51 units in the last place.
/// Source: Hendrycks and Gimpel 2016 (GELU) §2; Ramachandran et al. 2017 (SiLU).
template <class T>
void activate(Activation f, MatrixOut<T> x);

/// The same, and slopes [as x] become f'(x), by which ∂loss by f(x) is multiplied to be that by x.
/// At the kink of ReLU f' is 0.
///
/// Accuracy: of f' in fp32: as of f, and 1e-9.
template <class T>
void activate(Activation f, MatrixOut<T> x, MatrixOut<T> slopes);

/// The name in configurations and tables: "gelu_tanh".
std::string_view activation_name(Activation f);

}  // namespace orrery

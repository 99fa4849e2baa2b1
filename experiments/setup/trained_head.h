#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/attention/head.h"
#include "core/params.h"

namespace orrery {

/// The model that comes with Orrery: it has learned to say the next byte of a text, with RoPE.
inline constexpr std::string_view trained_model = "bytes_rope";

/// Its sizes, and tokens of the sequences that it learned from.
inline constexpr std::int64_t trained_layers = 2, trained_heads = 4, trained_tokens = 64;
inline constexpr Index trained_d_model = 64, trained_d_head = 16;

/// "contents", of a text or of drawn tokens. @param by_default  "random" or "trained"
ParamSpec contents_param(const char* by_default);
/// ", beyond the 64 that the model learned from", of more tokens than these.
std::string beyond_trained(std::int64_t tokens);
/// A parameter of contents that are drawn at random.
ParamSpec of_random_contents(ParamSpec spec);
/// Whether queries and keys are those of the model that comes with Orrery.
bool has_trained_contents(const ParamSet& params);
/// "trained_layer", read while the parameter `selector` is "trained".
ParamSpec trained_layer_param(const std::string& selector);
/// Throws UsageError for a head that the model does not have.
void check_trained_head(std::int64_t head);

/// A head of that model, and what it reads of a text.
template <class T>
struct TrainedHead {
  /// What its layer's attention reads: the residual stream in front of it, behind its norm.
  /// [N, d_model]
  Matrix<T> x{};
  /// W_q and W_k have interleaved pairs of channels, as the paper and rope.pairing by default.
  Projections<T> projections{};
  std::size_t unknown{};  ///< tokens that it never learned from, and reads as spaces
};

/// Runs the layers in front of that head over the first bytes of a text, at positions 0, 1, 2, …
///
/// @param layer  below trained_layers
/// Throws UsageError for a head that the model does not have. Throws IoError where the model's
/// files are missing.
/// Cost: O(N²·d_model) time for each layer in front.
template <class T>
TrainedHead<T> trained_head(std::string_view text, std::size_t max_tokens, std::int64_t layer,
                            std::int64_t head);

/// That of "trained_layer" and "head" over the first `tokens` bytes of the text that comes with
/// Orrery, which the model did not learn from.
template <class T>
TrainedHead<T> trained_head_of_example(const ParamSet& params, std::int64_t tokens);

}  // namespace orrery

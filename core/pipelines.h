#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/precision.h"

namespace orrery {

/// One way of running attention from positions to the output: which arithmetic, and which stages
/// are rounded to which format.
struct Pipeline {
  std::string name{};                     ///< "eager_bf16"
  std::string statement{};                ///< what it models, in one line
  Precision arithmetic{Precision::fp64};  ///< fp64 or fp32: what computes between the roundings
  Precision format{Precision::fp64};      ///< errors are counted in units in its last place
  StageRounding rounding{};
};

/// exact, exact_fp32, eager_fp32, eager_bf16, eager_fp16, fused_bf16, fused_fp16.
///
/// eager_* follow LlamaRotaryEmbedding, apply_rotary_pos_emb and eager_attention_forward of
/// Hugging Face Transformers 5 (models/llama/modeling_llama.py): inv_freq and angle in fp32; cos
/// and sin computed in fp32 and cast; every product and sum of the rotation rounded; q kᵀ
/// accumulated in fp32 and rounded, times the scale and rounded; softmax in fp32 and cast; the
/// weighted sum accumulated in fp32 and rounded. fused_* rotate q and k in fp32 with one rounding,
/// and keep everything between them and the output in fp32.
///
/// Encodings other than RoPE follow the same rules: positions, distances and logarithms in fp32;
/// tables, projections, sums x + p and terms in the format. ALiBi's slopes are such a table, as in
/// Falcon; BLOOM keeps them in fp32.
///
/// Accuracy: compared with PyTorch over positions 0 … 131072 in
/// tests/golden/generate_pipelines.py. Not modelled are kernels that round the weights before the
/// weighted sum, and the order in which a matrix product sums: logits and outputs may differ by
/// one unit of the format. θ is PyTorch's bit by bit where PyTorch takes the C library's powf, but
/// for single widths and bases, and within 2 units in the last place where it takes a vectorised
/// one (AVX2, AVX-512). inverse_frequencies lists what is equal on every machine, d = 64 and 128
/// at 10000 among them. Where θ differs, an angle at position 131072 differs by up to 2^-7 rad, so
/// that cos, sin and rotated q and k are not PyTorch's.
const std::vector<Pipeline>& pipeline_catalogue();

/// Throws UsageError naming the nearest one.
const Pipeline& find_pipeline(std::string_view name);

}  // namespace orrery

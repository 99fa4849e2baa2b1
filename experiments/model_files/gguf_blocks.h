#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace orrery {

/// The types of tensors in GGUF files whose numbers are decoded.
enum class GgufType : std::uint32_t {
  f32 = 0,
  f16 = 1,
  q4_0 = 2,
  q4_1 = 3,
  q5_0 = 6,
  q5_1 = 7,
  q8_0 = 8,
  q2_k = 10,
  q3_k = 11,
  q4_k = 12,
  q5_k = 13,
  q6_k = 14,
  iq4_nl = 20,
  iq4_xs = 23,
  f64 = 28,
  bf16 = 30,
  mxfp4 = 39
};

/// How the numbers of a type lie in a file: blocks of so many numbers in so many bytes.
struct GgufBlock {
  std::uint32_t type{};
  std::string_view name{};  ///< "Q4_K"
  std::uint64_t numbers{};
  std::uint64_t bytes{};
  bool decoded{};  ///< whether the type is a GgufType; others have a size alone
};

/// Null for a number that is no type of llama.cpp.
const GgufBlock* find_gguf_block(std::uint32_t type);
const GgufBlock& gguf_block(GgufType type);

/// Decodes blocks to floats, in the operations and the order of gguf's reference decoder: the same
/// bits. Float64 is rounded to the nearest float.
///
/// @param bytes  count × gguf_block(type).bytes bytes
/// @param out  [count × gguf_block(type).numbers]
/// Cost: loops that the compiler vectorises for all types but MXFP4, IQ4_NL and IQ4_XS.
void decode_gguf_blocks(GgufType type, const char* bytes, std::size_t count, float* out);

}  // namespace orrery

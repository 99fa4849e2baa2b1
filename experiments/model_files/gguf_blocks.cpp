// The blocks of quantised tensors. A decoder multiplies, adds and rounds as ggml's does.
#include "experiments/model_files/gguf_blocks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>

#include "core/errors.h"

namespace orrery {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers of files are copied as they are");

using BlockByte = unsigned char;
using Codes = std::array<std::int8_t, 16>;

constexpr std::size_t half_block = 16;
constexpr std::size_t short_block = 32;
constexpr std::size_t long_block = 256;  // of the types whose names end in K
constexpr std::size_t long_groups = 8;   // of 32 numbers
constexpr std::size_t fine_groups = 16;  // of 16 numbers

template <class T>
T stored(const BlockByte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

/// IEEE 754 binary16, exactly; without branches, for loops.
float float_of_half(std::uint16_t half) {
  constexpr std::uint32_t exponents = 31U << 23U, rebias = 112U << 23U;
  const std::uint32_t sign = (half & 0x8000U) << 16U, rest = (half & 0x7FFFU) << 13U;
  // A subnormal half is the distance from 2^-14 of a float with the same fraction.
  const float subnormal = std::bit_cast<float>(rest + rebias + (1U << 23U)) - 0x1p-14F;
  const std::uint32_t normal = rest + rebias + (rest >= exponents ? rebias : 0);
  return std::bit_cast<float>(
      sign | (rest < (1U << 23U) ? std::bit_cast<std::uint32_t>(subnormal) : normal));
}

float half_at(const BlockByte* at) { return float_of_half(stored<std::uint16_t>(at)); }

unsigned low_nibble(unsigned byte) { return byte & 15U; }
unsigned high_nibble(unsigned byte) { return byte >> 4U; }

float as_float(unsigned code) { return static_cast<float>(static_cast<int>(code)); }
float as_float(unsigned code, int zero) {
  return static_cast<float>(static_cast<int>(code) - zero);
}

void decode_f16(const BlockByte* __restrict in, std::size_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = half_at(in + 2 * i);
}

void decode_f32(const BlockByte* in, std::size_t count, float* out) {
  std::memcpy(out, in, count * sizeof(float));
}

void decode_bf16(const BlockByte* __restrict in, std::size_t count, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] =
        std::bit_cast<float>(static_cast<std::uint32_t>(stored<std::uint16_t>(in + 2 * i)) << 16U);
}

void decode_f64(const BlockByte* in, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(stored<double>(in + 8 * i));
}

void q8_0(const BlockByte* __restrict in, float* __restrict out) {
  const float d = half_at(in);
  for (std::size_t i = 0; i < short_block; ++i)
    out[i] = d * static_cast<float>(static_cast<signed char>(in[2 + i]));
}

void q4_0(const BlockByte* __restrict in, float* __restrict out) {
  const float d = half_at(in);
  for (std::size_t i = 0; i < half_block; ++i) out[i] = d * as_float(low_nibble(in[2 + i]), 8);
  for (std::size_t i = 0; i < half_block; ++i)
    out[half_block + i] = d * as_float(high_nibble(in[2 + i]), 8);
}

void q4_1(const BlockByte* __restrict in, float* __restrict out) {
  const float d = half_at(in), minimum = half_at(in + 2);
  for (std::size_t i = 0; i < half_block; ++i)
    out[i] = d * as_float(low_nibble(in[4 + i])) + minimum;
  for (std::size_t i = 0; i < half_block; ++i)
    out[half_block + i] = d * as_float(high_nibble(in[4 + i])) + minimum;
}

/// The i-th number of a block of 5 bits: a nibble and a bit of 32.
unsigned five_bits(const BlockByte* nibbles, std::uint32_t fifth, std::size_t i) {
  const unsigned both = nibbles[i % half_block];
  return (i < half_block ? low_nibble(both) : high_nibble(both)) | (fifth >> i & 1U) << 4U;
}

void q5_0(const BlockByte* __restrict in, float* __restrict out) {
  const float d = half_at(in);
  const auto fifth = stored<std::uint32_t>(in + 2);
  for (std::size_t i = 0; i < short_block; ++i)
    out[i] = d * as_float(five_bits(in + 6, fifth, i), 16);
}

void q5_1(const BlockByte* __restrict in, float* __restrict out) {
  const float d = half_at(in), minimum = half_at(in + 2);
  const auto fifth = stored<std::uint32_t>(in + 4);
  for (std::size_t i = 0; i < short_block; ++i)
    out[i] = d * as_float(five_bits(in + 8, fifth, i)) + minimum;
}

/// The two bits of number i of a group of 16, which share bytes with those of other groups.
unsigned two_bits(const BlockByte* codes, std::size_t group, std::size_t i) {
  const std::size_t part = group / 8, shift = group % 8 / 2 * 2;
  return codes[part * 32 + group % 2 * 16 + i] >> shift & 3U;
}

void q2_k(const BlockByte* __restrict in, float* __restrict out) {
  const BlockByte* const codes = in + 16;
  const float d = half_at(in + 80), minimum = half_at(in + 82);
  for (std::size_t group = 0; group < fine_groups; ++group) {
    const float scale = d * as_float(low_nibble(in[group]));
    const float offset = minimum * as_float(high_nibble(in[group]));
    for (std::size_t i = 0; i < half_block; ++i)
      out[group * half_block + i] = scale * as_float(two_bits(codes, group, i)) - offset;
  }
}

/// The j-th of 16 scales of 6 bits in 12 bytes: 4 low bits in the first 8, 2 high ones in the rest.
unsigned six_bit_scale(const BlockByte* scales, std::size_t j) {
  const unsigned both = scales[j % 8];
  const unsigned top = scales[8 + j % 4] >> (j / 4 * 2) & 3U;
  return (j < 8 ? low_nibble(both) : high_nibble(both)) | top << 4U;
}

void q3_k(const BlockByte* __restrict in, float* __restrict out) {
  const BlockByte* const codes = in + 32;
  const BlockByte* const scales = in + 96;
  const float d = half_at(in + 108);
  for (std::size_t group = 0; group < fine_groups; ++group) {
    const float scale = d * as_float(six_bit_scale(scales, group), 32);
    for (std::size_t i = 0; i < half_block; ++i) {
      const unsigned third = in[group % 2 * 16 + i] >> (group / 2) & 1U;
      out[group * half_block + i] = scale * as_float(two_bits(codes, group, i) | third << 2U, 4);
    }
  }
}

struct ScaleAndMinimum {
  unsigned scale, minimum;
};

/// The j-th of eight pairs of 6 bits in 12 bytes.
ScaleAndMinimum scale_and_minimum(const BlockByte* b, std::size_t j) {
  if (j < 4) return {b[j] & 63U, b[j + 4] & 63U};
  const unsigned both = b[j + 4], scale_top = b[j - 4], minimum_top = b[j];
  return {low_nibble(both) | (scale_top >> 6U) << 4U, high_nibble(both) | (minimum_top >> 6U)
                                                                              << 4U};
}

/// A group's factor and offset in Q4_K and Q5_K.
struct GroupLine {
  float scale, offset;
};

GroupLine group_line(const BlockByte* block, std::size_t group) {
  const ScaleAndMinimum pair = scale_and_minimum(block + 4, group);
  return {half_at(block) * as_float(pair.scale), half_at(block + 2) * as_float(pair.minimum)};
}

void q4_k(const BlockByte* __restrict in, float* __restrict out) {
  for (std::size_t group = 0; group < long_groups; ++group) {
    const GroupLine line = group_line(in, group);
    const BlockByte* const nibbles = in + 16 + group / 2 * 32;
    const std::size_t shift = group % 2 * 4;
    for (std::size_t i = 0; i < short_block; ++i)
      out[group * short_block + i] = line.scale * as_float(nibbles[i] >> shift & 15U) - line.offset;
  }
}

void q5_k(const BlockByte* __restrict in, float* __restrict out) {
  for (std::size_t group = 0; group < long_groups; ++group) {
    const GroupLine line = group_line(in, group);
    const BlockByte* const nibbles = in + 48 + group / 2 * 32;
    const std::size_t shift = group % 2 * 4;
    for (std::size_t i = 0; i < short_block; ++i) {
      const unsigned code = (nibbles[i] >> shift & 15U) | (in[16 + i] >> group & 1U) << 4U;
      out[group * short_block + i] = line.scale * as_float(code) - line.offset;
    }
  }
}

void q6_k(const BlockByte* __restrict in, float* __restrict out) {
  const float d = half_at(in + 208);
  for (std::size_t group = 0; group < fine_groups; ++group) {
    const float scale = d * static_cast<float>(static_cast<signed char>(in[192 + group]));
    const std::size_t part = group / 8, quarter = group % 8 / 2, begin = group % 2 * half_block;
    const BlockByte* const nibbles = in + part * 64 + quarter % 2 * 32 + begin;
    const BlockByte* const tops = in + 128 + part * 32 + begin;
    for (std::size_t i = 0; i < half_block; ++i) {
      const unsigned code =
          (nibbles[i] >> (quarter / 2 * 4) & 15U) | (tops[i] >> (2 * quarter) & 3U) << 4U;
      out[group * half_block + i] = scale * as_float(code, 32);
    }
  }
}

void from_table(float d, const Codes& values, const BlockByte* __restrict codes,
                float* __restrict out) {
  for (std::size_t i = 0; i < half_block; ++i) {
    out[i] = d * static_cast<float>(values[low_nibble(codes[i])]);
    out[half_block + i] = d * static_cast<float>(values[high_nibble(codes[i])]);
  }
}

constexpr Codes iq4_values{-127, -104, -83, -65, -49, -35, -22, -10,
                           1,    13,   25,  38,  53,  69,  89,  113};

void iq4_nl(const BlockByte* in, float* out) { from_table(half_at(in), iq4_values, in + 2, out); }

/// Groups of 32, each with a scale of 6 bits: the lower four lie in nibbles, the upper two together.
void iq4_xs(const BlockByte* in, float* out) {
  const float d = half_at(in);
  const unsigned tops = in[2] | static_cast<unsigned>(in[3]) << 8U;
  for (std::size_t group = 0; group < long_groups; ++group) {
    const unsigned low = in[4 + group / 2] >> (group % 2 * 4) & 15U;
    const unsigned scale = low | (tops >> (2 * group) & 3U) << 4U;
    from_table(d * as_float(scale, 32), iq4_values, in + 8 + group * half_block,
               out + group * short_block);
  }
}

void mxfp4(const BlockByte* in, float* out) {
  // Twice the values of a 4-bit float, so that the exponent is one less.
  constexpr Codes values{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  const std::uint32_t exponent = in[0];
  const std::uint32_t bits = exponent < 2 ? 0x00200000U << exponent : (exponent - 1) << 23U;
  from_table(std::bit_cast<float>(bits), values, in + 1, out);
}

using Decode = void (*)(const BlockByte*, std::size_t, float*);

/// Block after block, with the decoder of one inlined.
template <void one(const BlockByte*, float*), std::size_t numbers, std::size_t bytes>
void decode_each_block(const BlockByte* in, std::size_t count, float* out) {
  for (std::size_t b = 0; b < count; ++b) one(in + b * bytes, out + b * numbers);
}

struct BlockKind {
  GgufBlock block;
  Decode decode;
};

template <void one(const BlockByte*, float*), std::size_t numbers, std::size_t bytes>
constexpr BlockKind quantised(GgufType type, std::string_view name) {
  return {{static_cast<std::uint32_t>(type), name, numbers, bytes, true},
          decode_each_block<one, numbers, bytes>};
}

constexpr BlockKind plain(GgufType type, std::string_view name, std::size_t bytes, Decode decode) {
  return {{static_cast<std::uint32_t>(type), name, 1, bytes, true}, decode};
}

constexpr BlockKind sized(std::uint32_t type, std::string_view name, std::size_t numbers,
                          std::size_t bytes) {
  return {{type, name, numbers, bytes, false}, nullptr};
}

// Every type that llama.cpp has or had in files.
constexpr BlockKind block_kinds[] = {
    plain(GgufType::f32, "F32", 4, decode_f32),
    plain(GgufType::f16, "F16", 2, decode_f16),
    quantised<q4_0, short_block, 18>(GgufType::q4_0, "Q4_0"),
    quantised<q4_1, short_block, 20>(GgufType::q4_1, "Q4_1"),
    quantised<q5_0, short_block, 22>(GgufType::q5_0, "Q5_0"),
    quantised<q5_1, short_block, 24>(GgufType::q5_1, "Q5_1"),
    quantised<q8_0, short_block, 34>(GgufType::q8_0, "Q8_0"),
    sized(9, "Q8_1", short_block, 36),
    quantised<q2_k, long_block, 84>(GgufType::q2_k, "Q2_K"),
    quantised<q3_k, long_block, 110>(GgufType::q3_k, "Q3_K"),
    quantised<q4_k, long_block, 144>(GgufType::q4_k, "Q4_K"),
    quantised<q5_k, long_block, 176>(GgufType::q5_k, "Q5_K"),
    quantised<q6_k, long_block, 210>(GgufType::q6_k, "Q6_K"),
    sized(15, "Q8_K", long_block, 292),
    sized(16, "IQ2_XXS", long_block, 66),
    sized(17, "IQ2_XS", long_block, 74),
    sized(18, "IQ3_XXS", long_block, 98),
    sized(19, "IQ1_S", long_block, 50),
    quantised<iq4_nl, short_block, 18>(GgufType::iq4_nl, "IQ4_NL"),
    sized(21, "IQ3_S", long_block, 110),
    sized(22, "IQ2_S", long_block, 82),
    quantised<iq4_xs, long_block, 136>(GgufType::iq4_xs, "IQ4_XS"),
    sized(24, "I8", 1, 1),
    sized(25, "I16", 1, 2),
    sized(26, "I32", 1, 4),
    sized(27, "I64", 1, 8),
    plain(GgufType::f64, "F64", 8, decode_f64),
    sized(29, "IQ1_M", long_block, 56),
    plain(GgufType::bf16, "BF16", 2, decode_bf16),
    sized(34, "TQ1_0", long_block, 54),
    sized(35, "TQ2_0", long_block, 66),
    quantised<mxfp4, short_block, 17>(GgufType::mxfp4, "MXFP4"),
    sized(40, "NVFP4", 64, 36),
    sized(41, "Q1_0", 128, 18),
};

const BlockKind* find_block_kind(std::uint32_t type) {
  const auto* const found =
      std::find_if(std::begin(block_kinds), std::end(block_kinds),
                   [&](const BlockKind& kind) { return kind.block.type == type; });
  return found == std::end(block_kinds) ? nullptr : found;
}

const BlockKind& block_kind(GgufType type) {
  const BlockKind* const kind = find_block_kind(static_cast<std::uint32_t>(type));
  check_invariant(kind != nullptr && kind->block.decoded, "every GgufType is decoded");
  return *kind;
}

}  // namespace

const GgufBlock* find_gguf_block(std::uint32_t type) {
  const BlockKind* const kind = find_block_kind(type);
  return kind ? &kind->block : nullptr;
}

const GgufBlock& gguf_block(GgufType type) { return block_kind(type).block; }

void decode_gguf_blocks(GgufType type, const char* bytes, std::size_t count, float* out) {
  if (count == 0) return;  // then the pointers may be null
  // char may alias any type.
  block_kind(type).decode(reinterpret_cast<const BlockByte*>(bytes), count, out);
}

}  // namespace orrery

// The blocks of quantised tensors, after ggml's dequantize_row functions.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <optional>

#include "core/errors.h"
#include "experiments/model_files/gguf_file.h"

namespace orrery::model_files {
namespace {

constexpr std::uint64_t most_numbers = max_gguf_list * 64;

using Bytes = std::string_view;

unsigned byte(Bytes block, std::size_t i) { return static_cast<unsigned char>(block[i]); }
int signed_byte(Bytes block, std::size_t i) { return static_cast<signed char>(block[i]); }
unsigned low(unsigned value) { return value & 15U; }
unsigned high(unsigned value) { return value >> 4U; }

std::uint16_t word(Bytes block, std::size_t i) {
  return static_cast<std::uint16_t>(byte(block, i) | byte(block, i + 1) << 8U);
}

double half(Bytes block, std::size_t i) {
  const std::uint16_t bits = word(block, i);
  const int exponent = bits >> 10U & 31U;
  const double fraction = bits & 1023U;
  const double sign = bits & 0x8000U ? -1.0 : 1.0;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double single(Bytes block, std::size_t i) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word(block, i)) |
                              static_cast<std::uint32_t>(word(block, i + 2)) << 16U);
}

double brain_float(Bytes block, std::size_t i) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(word(block, i)) << 16U);
}

void q8_0(Bytes block, double* out) {
  for (std::size_t i = 0; i < 32; ++i) out[i] = half(block, 0) * signed_byte(block, 2 + i);
}

void q4_0(Bytes block, double* out) {
  const double d = half(block, 0);
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = d * (static_cast<int>(low(byte(block, 2 + i))) - 8);
    out[i + 16] = d * (static_cast<int>(high(byte(block, 2 + i))) - 8);
  }
}

struct ScaleAndMinimum {
  unsigned scale, minimum;
};

/// The j-th of eight pairs of 6 bits in 12 bytes.
ScaleAndMinimum scale_and_minimum(Bytes b, std::size_t j) {
  if (j < 4) return {byte(b, j) & 63U, byte(b, j + 4) & 63U};
  return {low(byte(b, j + 4)) | (byte(b, j - 4) >> 6U) << 4U,
          high(byte(b, j + 4)) | (byte(b, j) >> 6U) << 4U};
}

/// Q4_K, and Q5_K where fifth bits are given: 256 numbers in 8 groups of a scale and a minimum.
void k_blocks(Bytes block, std::optional<Bytes> fifth, Bytes nibbles, double* out) {
  const double d = half(block, 0), minimum = half(block, 2);
  for (std::size_t group = 0; group < 8; ++group) {
    const ScaleAndMinimum pair = scale_and_minimum(block.substr(4, 12), group);
    for (std::size_t i = 0; i < 32; ++i) {
      const unsigned both = byte(nibbles, group / 2 * 32 + i);
      unsigned value = group % 2 == 0 ? low(both) : high(both);
      if (fifth) value += (byte(*fifth, i) >> group & 1U) * 16;
      out[group * 32 + i] = d * pair.scale * value - minimum * pair.minimum;
    }
  }
}

void q4_k(Bytes block, double* out) { k_blocks(block, std::nullopt, block.substr(16), out); }
void q5_k(Bytes block, double* out) {
  k_blocks(block, block.substr(16, 32), block.substr(48), out);
}

void q6_k(Bytes block, double* out) {
  const double d = half(block, 208);
  for (std::size_t i = 0; i < 256; ++i) {
    const std::size_t part = i / 128, quarter = i % 128 / 32, within = i % 32;
    const unsigned both = byte(block, part * 64 + quarter % 2 * 32 + within);
    const unsigned bits = byte(block, 128 + part * 32 + within) >> (2 * quarter) & 3U;
    const int value = static_cast<int>((quarter < 2 ? low(both) : high(both)) | bits << 4U) - 32;
    out[i] = d * signed_byte(block, 192 + i / 16) * value;
  }
}

void mxfp4(Bytes block, double* out) {
  // Twice the values of a 4-bit float, so that the exponent is one less.
  constexpr std::array<int, 16> values{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
  const double d = std::ldexp(1.0, static_cast<int>(byte(block, 0)) - 128);
  for (std::size_t i = 0; i < 16; ++i) {
    out[i] = d * values[low(byte(block, 1 + i))];
    out[i + 16] = d * values[high(byte(block, 1 + i))];
  }
}

void f32(Bytes block, double* out) { *out = single(block, 0); }
void f16(Bytes block, double* out) { *out = half(block, 0); }
void bf16(Bytes block, double* out) { *out = brain_float(block, 0); }

struct Decoder {
  GgufType type;
  std::size_t numbers, bytes;
  void (*decode)(Bytes, double*);
};

constexpr Decoder decoders[] = {
    {GgufType::f32, 1, 4, f32},       {GgufType::f16, 1, 2, f16},
    {GgufType::bf16, 1, 2, bf16},     {GgufType::q8_0, 32, 34, q8_0},
    {GgufType::q4_0, 32, 18, q4_0},   {GgufType::q4_k, 256, 144, q4_k},
    {GgufType::q5_k, 256, 176, q5_k}, {GgufType::q6_k, 256, 210, q6_k},
    {GgufType::mxfp4, 32, 17, mxfp4},
};

const Decoder& decoder_of(std::uint32_t type, std::string_view name) {
  for (const Decoder& decoder : decoders)
    if (static_cast<std::uint32_t>(decoder.type) == type) return decoder;
  throw DataError(name, fmt::format("has a tensor of type {}, which is not decoded", type),
                  "write it as F32");
}

}  // namespace

std::vector<double> gguf_numbers(const GgufTensor& tensor, std::string_view name) {
  const Decoder& decoder = decoder_of(tensor.type, name);
  std::uint64_t count = 1;
  for (const std::uint64_t d : tensor.shape) {
    if (d > most_numbers || count * d > most_numbers)
      throw DataError(name, fmt::format("has a tensor of more than {} numbers", most_numbers),
                      "only the factors of frequencies are read");
    count *= d;
  }
  const std::uint64_t blocks = count / decoder.numbers;
  if (count % decoder.numbers != 0 || blocks * decoder.bytes > tensor.data.size())
    throw DataError(name, "has a tensor that is cut off", "copy or download it again");
  std::vector<double> numbers(static_cast<std::size_t>(count));
  for (std::size_t b = 0; b < blocks; ++b)
    decoder.decode(tensor.data.substr(b * decoder.bytes, decoder.bytes),
                   numbers.data() + b * decoder.numbers);
  return numbers;
}

}  // namespace orrery::model_files

// bf16 and fp16: the nearest number of the format, found another way than the library finds it.
#include <cstdint>
#include <limits>

#include "core/analysis/largest.h"
#include "core/encodings/rope.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_formats {

const Paper ieee{ClaimKind::cited, "", "Number formats: IEEE 754-2019 §4.3.1, bfloat16",
                 "RoFormer does not treat rounding"};

/// Finds a number among those that 16 bits represent, which grow with their bits up to infinity:
/// the nearest, and of two that are equally near the one whose last bit is 0.
double nearest(double value, std::uint32_t infinity, double (*number)(std::uint32_t)) {
  const double size = std::abs(value);
  std::uint32_t below = 0, above = infinity;
  while (above - below > 1) {
    const std::uint32_t middle = (below + above) / 2;
    (number(middle) <= size ? below : above) = middle;
  }
  const double down = size - number(below), up = number(above) - size;
  const std::uint32_t bits = down < up || (down == up && below % 2 == 0) ? below : above;
  return std::copysign(bits == infinity ? std::numeric_limits<double>::infinity() : number(bits),
                       value);
}

/// The value of the bits of a positive number. The first pattern beyond the finite ones stands
/// for the power of two that would follow, where infinity begins.
double number_of(std::uint32_t bits, int fraction_bits, int bias) {
  const auto exponent = static_cast<int>(bits >> fraction_bits);
  const auto whole = static_cast<double>(1u << fraction_bits);
  const double fraction = static_cast<double>(bits) - exponent * whole;
  return exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                       : std::ldexp(whole + fraction, exponent - bias - fraction_bits);
}

double literal_bf16(double value) {
  return nearest(value, 0x7f80, [](std::uint32_t bits) { return number_of(bits, 7, 127); });
}

double literal_fp16(double value) {
  return nearest(value, 0x7c00, [](std::uint32_t bits) { return number_of(bits, 10, 15); });
}

/// Numbers of all sizes, and the ties halfway between neighbours and next to them.
std::vector<float> samples(std::int64_t seed) {
  Random random(seed, "numbers to round");
  std::vector<float> values;
  for (int exponent = -30; exponent <= 18; ++exponent) {
    for (int k = 0; k < 16; ++k) {
      const double step = std::ldexp(1.0, exponent);
      const auto whole = static_cast<double>(128 + random.integer(128));
      for (const double tie : {0.5, 0.25, 0.5 + 0x1p-12, 0.5 - 0x1p-12, random.uniform()})
        values.push_back(static_cast<float>((whole + tie) / 128 * step));
      const auto fine = static_cast<double>(1024 + random.integer(1024));
      for (const double tie : {0.5, 0.5 + 0x1p-11, 0.5 - 0x1p-11})
        values.push_back(static_cast<float>(-(fine + tie) / 1024 * step));
    }
  }
  return values;
}

void rounding_claims(std::int64_t seed, std::vector<Claim>& claims) {
  const std::vector<float> values = samples(seed);
  Facts facts("±2^-30 … ±2^19 with ties, " + std::to_string(values.size()) + " numbers", claims);
  double bf16 = 0, fp16 = 0, fp32 = 0;
  for (const float value : values) {
    const auto number = static_cast<double>(value);
    bf16 += round_to(Precision::bf16, number) == literal_bf16(number) ? 0 : 1;
    fp16 += round_to(Precision::fp16, number) == literal_fp16(number) ? 0 : 1;
    const double between = number * (1 + 0x1p-30);
    fp32 += round_to(Precision::fp32, between) == static_cast<double>(static_cast<float>(between))
                ? 0
                : 1;
  }
  facts.equals(ieee, "bf16", "bf16: nearest, ties to even: numbers rounded differently", bf16, 0);
  facts.equals(ieee, "fp16", "fp16, with subnormals and ±inf from 65520: rounded differently", fp16,
               0);
  facts.equals(ieee, "fp32", "fp32, against the processor: numbers rounded differently", fp32, 0);
}

/// RoPE with cosines and sines held in bf16: the stage rounds those and nothing else.
template <class T>
void stage_claim(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options)) {
    const StageRounding rounding(Precision::bf16, {Stage::cos_sin});
    Matrix<T> y = c.x;
    Rope<T>({.d_head = c.d}, {.rounding = rounding}).transform_queries(c.at, y);
    Rows expected = wide(c.x);
    for (Index i = 0; i < y.rows(); ++i) {
      const Rows R = literal::rotation(c.d, paper_base, c.at[static_cast<std::size_t>(i)]);
      for (Index t = 0; t < c.d / 2; ++t) {
        const double a = expected(i, 2 * t), b = expected(i, 2 * t + 1);
        const double cosine = literal_bf16(R(2 * t, 2 * t));
        const double sine = literal_bf16(R(2 * t + 1, 2 * t));
        expected(i, 2 * t) = a * cosine - b * sine;
        expected(i, 2 * t + 1) = a * sine + b * cosine;
      }
    }
    ledger.compare(ieee, "bf16_cos_sin", "RoPE with only cos and sin rounded to bf16", y, expected,
                   rounding_bound<T>(8));
  }
}

/// RoPE in half of the channels, with what it turned held in bf16: the rest stays as it came.
template <class T>
void rotated_claim(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options)) {
    const RopeConvention half{.d_head = c.d, .rotary_dims = c.d / 2};
    const StageRounding rounding(Precision::bf16, {Stage::rotated_qk});
    Matrix<T> exact = c.x, rounded = c.x;
    Rope<T>(half).transform_queries(c.at, exact);
    Rope<T>(half, {.rounding = rounding}).transform_queries(c.at, rounded);
    Rows expected = wide(exact);
    expected.leftCols(c.d / 2) = expected.leftCols(c.d / 2).unaryExpr(&literal_bf16);
    ledger.compare(ieee, "bf16_rotated", "RoPE of half of the channels, those rounded to bf16",
                   rounded, expected, 0);
  }
}

/// tensor2tensor's frequencies, every step in fp32: exp carries the rounding of its argument, to
/// ln 10000 in size, over to θ.
template <class T>
void fp32_frequencies_claim(std::vector<Claim>& claims) {
  Ledger<T> ledger("d = 4 … 128", claims);
  StageRounding rounding;
  rounding.set(Stage::inv_freq, Precision::fp32);
  for (const Index d : {4, 6, 8, 64, 128})
    ledger.compare(
        ieee, "fp32_tensor2tensor", "tensor2tensor's sinusoids of θ in fp32, at i = 1",
        Sinusoidal<T>(d, paper_base, SinusoidalLayout::tensor2tensor, rounding).table(Positions{1}),
        literal::tensor2tensor_sinusoids({1}, d, paper_base), 20 * 0x1p-24);
}

/// Distances and logarithms that a small format holds badly or not at all fall into the last
/// bucket.
void far_bucket_claim(std::vector<Claim>& claims) {
  double wrong = 0;
  for (const Precision format : {Precision::bf16, Precision::fp16})
    for (const Stage stage : {Stage::distance, Stage::log}) {
      StageRounding rounding;
      rounding.set(stage, format);
      for (const Position r : {200, 2000, 65000, 65504, 65520, 70000, 1000000}) {
        wrong += t5_bucket(r, {}, rounding) != 15;
        wrong += t5_bucket(-r, {}, rounding) != 31;
        wrong += t5_bucket(r, {.bidirectional = false}, rounding) != 31;
      }
    }
  Facts facts("distances of 200 to 1000000, in bf16 and fp16", claims);
  facts.equals(ieee, "far_buckets", "T5: the last bucket where a format overflows: misjudged",
               wrong, 0);
}

}  // namespace in_formats
}  // namespace

void format_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_formats;
  rounding_claims(options.seed, claims);
  far_bucket_claim(claims);
  stage_claim<double>(options, claims);
  stage_claim<float>(options, claims);
  rotated_claim<double>(options, claims);
  rotated_claim<float>(options, claims);
  fp32_frequencies_claim<double>(claims);
  fp32_frequencies_claim<float>(claims);
}

}  // namespace orrery

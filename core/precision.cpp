#include "core/precision.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "core/errors.h"
#include "core/params.h"
#include "core/unknown_name.h"

namespace orrery {
namespace {

struct Format {
  std::string_view name;
  int significand_bits;    ///< with the leading one
  int min_exponent;        ///< of the smallest normal number
  double smallest_normal;  ///< 2^min_exponent
  double largest;
};

constexpr std::array<Format, 4> formats{{
    {"fp64", 53, -1022, 0x1p-1022, std::numeric_limits<double>::max()},
    {"fp32", 24, -126, 0x1p-126, std::numeric_limits<float>::max()},
    {"bf16", 8, -126, 0x1p-126, 3.38953138925153547590470800371487867e38},
    {"fp16", 11, -14, 0x1p-14, 65504.0},
}};

constexpr std::array<std::string_view, stage_count> stage_names{
    "position",   "distance", "log",       "inv_freq", "angle",   "cos_sin",
    "products",   "table",    "projected", "input",    "qk",      "value",
    "rotated_qk", "term",     "scale",     "logits",   "weights", "output"};

const Format& format_of(Precision precision) {
  return formats[static_cast<std::size_t>(precision)];
}

/// log2 of the distance between neighbours at a finite, non-zero value.
int quantum_exponent(const Format& format, double value) {
  const int exponent = std::max(std::ilogb(value), format.min_exponent);
  return exponent - (format.significand_bits - 1);
}

/// A number's bits without so many of the significand's last ones, with half of the last one that
/// stays added before: ties go to even because a last bit of 0 gets one unit less. A carry runs on
/// into the exponent, as it should.
template <class Bits>
Bits rounded_bits(Bits bits, int cut) {
  return (bits + (Bits{1} << (cut - 1)) - 1 + ((bits >> cut) & 1)) >> cut << cut;
}

double rounded_normal(const Format& format, double value) {
  constexpr int fp64_bits = 53;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  return std::bit_cast<double>(rounded_bits(bits, fp64_bits - format.significand_bits));
}

/// Below the normal numbers neighbours are equally far apart: a sum with 1.5·2^52 of that distance
/// has no finer digits.
double rounded_subnormal(const Format& format, double value) {
  const double coarse = std::ldexp(1.5, 52 + format.min_exponent - (format.significand_bits - 1));
  return std::copysign(value + coarse - coarse, value);
}

/// bf16 has the exponents of a float, so that cutting its bits serves subnormals and overflow, too.
/// A NaN that was cut might become an infinity.
void cut_to_bf16(std::span<float> values) {
  constexpr int cut = 16;
  for (float& value : values) {
    const auto rounded =
        std::bit_cast<float>(rounded_bits(std::bit_cast<std::uint32_t>(value), cut));
    value = std::isnan(value) ? value : rounded;
  }
}

template <std::size_t count>
std::size_t index_named(std::string_view text, const std::array<std::string_view, count>& names,
                        std::string_view what) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::vector<std::string> candidates(names.begin(), names.end());
  throw_unknown_name(text, what, candidates);
}

}  // namespace

std::string_view name(Precision precision) { return format_of(precision).name; }

std::string_view name(Stage stage) { return stage_names[static_cast<std::size_t>(stage)]; }

Precision precision_named(std::string_view text) {
  std::array<std::string_view, formats.size()> names;
  std::transform(formats.begin(), formats.end(), names.begin(),
                 [](const Format& f) { return f.name; });
  return static_cast<Precision>(index_named(text, names, "a precision"));
}

Stage stage_named(std::string_view text) {
  return static_cast<Stage>(index_named(text, stage_names, "a rounding stage"));
}

double unit_roundoff(Precision precision) {
  return std::ldexp(1.0, -format_of(precision).significand_bits);
}

double ulp(Precision precision, double value) {
  const Format& format = format_of(precision);
  if (!std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
  const int exponent = value == 0 ? format.min_exponent - (format.significand_bits - 1)
                                  : quantum_exponent(format, value);
  return std::ldexp(1.0, exponent);
}

double round_to_narrow(Precision precision, double value) {
  const Format& format = format_of(precision);
  const double magnitude = std::abs(value);
  if (magnitude >= format.smallest_normal && magnitude <= format.largest)
    return rounded_normal(format, value);
  if (!std::isfinite(value) || value == 0) return value;
  const double rounded = magnitude < format.smallest_normal ? rounded_subnormal(format, value)
                                                            : rounded_normal(format, value);
  if (std::abs(rounded) <= format.largest) return rounded;
  return std::copysign(std::numeric_limits<double>::infinity(), value);
}

template <class T>
void round_all(Precision precision, std::span<T> values) {
  if constexpr (std::is_same_v<T, float>)
    if (precision == Precision::bf16) return cut_to_bf16(values);
  for (T& value : values) value = static_cast<T>(round_to(precision, static_cast<double>(value)));
}

template void round_all<float>(Precision, std::span<float>);
template void round_all<double>(Precision, std::span<double>);

double round_through_fp32(Precision precision, double value) {
  if (precision == Precision::fp64) return value;
  return round_to(precision, round_to(Precision::fp32, value));
}

StageRounding::StageRounding(Precision format, std::initializer_list<Stage> stages) {
  for (const Stage stage : stages) set(stage, format);
}

Precision StageRounding::coarsest() const {
  return *std::max_element(formats_.begin(), formats_.end(), [](Precision a, Precision b) {
    return unit_roundoff(a) < unit_roundoff(b);
  });
}

double rounding_unit(const StageRounding& rounding) {
  const Precision format = rounding.coarsest();
  return format == Precision::fp64 ? 0.0 : unit_roundoff(format);
}

StageRounding StageRounding::with(Stage stage, Stage like) const {
  StageRounding changed = *this;
  changed.set(stage, format(like));
  return changed;
}

}  // namespace orrery

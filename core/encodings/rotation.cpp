// Apart from frequencies.cpp, whose rotation_at tests/nan puts another one in place of: a call within one file
// would not reach it.
#include <cmath>
#include <limits>

#include "core/encodings/frequencies.h"

namespace orrery {
namespace {

CosSin of_exact_angle(double position, double theta, const StageRounding& rounding,
                      double amplitude) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (!std::isfinite(position)) return {nan, nan};  // a position that overflowed its format
  const CosSin turn = rotation_at(static_cast<Position>(position), theta);
  return {rounding(Stage::cos_sin, amplitude * turn.cos),
          rounding(Stage::cos_sin, amplitude * turn.sin)};
}

CosSin of_rounded_angle(double position, double theta, const StageRounding& rounding,
                        double amplitude) {
  const double angle = round_through_fp32(rounding.format(Stage::angle), position * theta);
  const double c = std::cos(angle), s = std::sin(angle);
  const Precision format = rounding.format(Stage::cos_sin);
  if (amplitude == 1) return {round_through_fp32(format, c), round_through_fp32(format, s)};
  const auto fp32 = [](double value) { return round_to(Precision::fp32, value); };
  const double a = fp32(amplitude);  // a program multiplies in fp32, too
  return {round_through_fp32(format, a * fp32(c)), round_through_fp32(format, a * fp32(s))};
}

}  // namespace

CosSin rounded_rotation(Position position, double theta, const StageRounding& rounding,
                        double amplitude) {
  const double m = rounding(Stage::position, static_cast<double>(position));
  return rounding.rounds(Stage::angle) ? of_rounded_angle(m, theta, rounding, amplitude)
                                       : of_exact_angle(m, theta, rounding, amplitude);
}

bool rounds_rotation(const StageRounding& rounding) {
  return rounding.rounds(Stage::position) || rounding.rounds(Stage::angle) ||
         rounding.rounds(Stage::cos_sin);
}

}  // namespace orrery

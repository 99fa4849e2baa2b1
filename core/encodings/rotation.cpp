#include "core/encodings/rotation.h"

#include <cmath>

namespace orrery {
namespace {

bool angle_is_exact(const StageRounding& rounding) {
  return !rounding.rounds(Stage::position) && !rounding.rounds(Stage::inv_freq) &&
         !rounding.rounds(Stage::angle);
}

CosSin of_rounded_angle(Position position, double theta, const StageRounding& rounding) {
  const double m = rounding(Stage::position, static_cast<double>(position));
  const double angle = rounding(Stage::angle, m * rounding(Stage::inv_freq, theta));
  return {std::cos(angle), std::sin(angle)};
}

}  // namespace

CosSin rounded_rotation(Position position, double theta, const StageRounding& rounding) {
  const CosSin exact = angle_is_exact(rounding) ? rotation_at(position, theta)
                                                : of_rounded_angle(position, theta, rounding);
  return {rounding(Stage::cos_sin, exact.cos), rounding(Stage::cos_sin, exact.sin)};
}

}  // namespace orrery

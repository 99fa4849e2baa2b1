#include "core/encodings/settings.h"

namespace orrery {

ParamSpec base_param() {
  return {.key = "base",
          .symbol = "base",
          .description = "Base of the geometric frequencies theta_t = base^(-2t/d).",
          .kind = ParamKind::real,
          .default_value = 10000.0,
          .min = 1.001,
          .max = 1e12,
          .logarithmic = true};
}

}  // namespace orrery

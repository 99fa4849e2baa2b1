#include "experiments/setup/rope_params.h"

#include <fmt/format.h>

#include "experiments/setup/frequency_bands.h"

namespace orrery {

std::vector<ParamSpec> rope_params() {
  std::vector<ParamSpec> specs = Rope<double>::info().params;
  std::erase_if(specs, [](const ParamSpec& spec) {
    return spec.key == "rope.rotary_value" || spec.key == mixer_key;
  });
  return specs;
}

Rope<double> rope_of(const ParamSet& params, Index d_head) {
  ParamSet own(Rope<double>::info().params);
  for (const ParamSpec& spec : own.specs())
    if (params.has(spec.key)) own.set_value(spec.key, params.value(spec.key));
  return *Rope<double>::make({.d_model = d_head, .d_head = d_head, .params = own});
}

std::string first_negative_text(const std::optional<Position>& found, Position searched) {
  if (!found)
    return fmt::format("$Σ \\cos(m θ_t)$ is not negative at any distance to {}", searched);
  return "first distance with $Σ \\cos(m θ_t) < 0$; by the criterion of arXiv 2405.14591 the "
         "supported context ends there";
}

}  // namespace orrery

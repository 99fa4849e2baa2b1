#include "experiments/setup/rope_params.h"

#include <algorithm>

#include "experiments/setup/frequency_bands.h"

namespace orrery::setup {

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

}  // namespace orrery::setup

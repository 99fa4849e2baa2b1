#include "experiments/model/experiment.h"

#include <algorithm>

namespace orrery {
namespace {

template <class T>
bool contains(const std::vector<T>& list, const T& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool covers(const IgnoredParams& ignored, const Figure& figure) {
  return (ignored.figures.empty() || contains(ignored.figures, name_of(figure))) &&
         (ignored.encoding.empty() || ignored.encoding == figure.role.encoding());
}

}  // namespace

bool ignores(const ExperimentInfo& info, const Figure& figure, const ParamSpec& spec,
             const ParamSet& params) {
  if (spec.idle && spec.idle(params)) return true;
  return std::any_of(info.ignored.begin(), info.ignored.end(), [&](const IgnoredParams& ignored) {
    return covers(ignored, figure) && contains(ignored.keys, spec.key) &&
           (!ignored.when || ignored.when(params));
  });
}

MemoryEstimate memory_of(const Experiment& experiment, const ParamSet& params) {
  return experiment.memory ? experiment.memory(params) : MemoryEstimate{};
}

}  // namespace orrery

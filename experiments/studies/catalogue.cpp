#include "experiments/studies/catalogue.h"

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/studies/experiments.h"

namespace orrery {
namespace {
namespace in_catalogue {

const std::vector<Experiment>& experiments() {
#define ORRERY_ENTRY(name) name##_experiment(),
  static const std::vector<Experiment> list{ORRERY_EXPERIMENTS(ORRERY_ENTRY)};
#undef ORRERY_ENTRY
  return list;
}

}  // namespace in_catalogue
}  // namespace

const std::vector<const Experiment*>& experiment_catalogue() {
  using namespace in_catalogue;
  static const std::vector<const Experiment*> catalogue = [] {
    std::vector<const Experiment*> all;
    for (const Experiment& experiment : experiments()) all.push_back(&experiment);
    return all;
  }();
  return catalogue;
}

const Experiment* known_experiment(std::string_view name) {
  for (const Experiment* experiment : experiment_catalogue())
    if (experiment->info.name == name) return experiment;
  return nullptr;
}

const Experiment& find_experiment(std::string_view name) {
  if (const Experiment* known = known_experiment(name)) return *known;
  std::vector<std::string> names;
  for (const Experiment* experiment : experiment_catalogue())
    names.push_back(experiment->info.name);
  throw_unknown_name(name, "an experiment", names);
}

const ParamSet& default_params(const Experiment& experiment) {
  using namespace in_catalogue;
  static const std::vector<ParamSet> all = [] {
    std::vector<ParamSet> sets;
    for (const Experiment& one : experiments()) sets.emplace_back(one.info.params);
    return sets;
  }();
  return all.at(static_cast<std::size_t>(&experiment - experiments().data()));
}

}  // namespace orrery

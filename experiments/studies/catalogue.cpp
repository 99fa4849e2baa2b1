#include "experiments/studies/catalogue.h"

#include <algorithm>
#include <array>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/studies/experiments.h"

namespace orrery {
namespace {
namespace in_catalogue {

/// Made when it is asked for, because a command needs one of all, and kept until the end, where
/// nothing is gained by taking hundreds of parameters apart.
template <Experiment (*make)()>
const Experiment& made() {
  static const auto* const one = new Experiment(make());
  return *one;
}

template <Experiment (*make)()>
const ParamSet& defaults() {
  static const auto* const set = new ParamSet(made<make>().info.params);
  return *set;
}

struct Entry {
  std::string_view name;
  const Experiment& (*get)();
  const ParamSet& (*get_defaults)();
};

#define ORRERY_ENTRY(name) Entry{#name, &made<name##_experiment>, &defaults<name##_experiment>},
constexpr std::array entries{ORRERY_EXPERIMENTS(ORRERY_ENTRY)};
#undef ORRERY_ENTRY

}  // namespace in_catalogue
}  // namespace

const std::vector<const Experiment*>& experiment_catalogue() {
  static const std::vector<const Experiment*> catalogue = [] {
    std::vector<const Experiment*> all;
    for (const in_catalogue::Entry& entry : in_catalogue::entries) all.push_back(&entry.get());
    return all;
  }();
  return catalogue;
}

const Experiment* known_experiment(std::string_view name) {
  using namespace in_catalogue;
  const auto* const found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &found->get();
}

const Experiment& find_experiment(std::string_view name) {
  if (const Experiment* known = known_experiment(name)) return *known;
  std::vector<std::string> names;
  for (const in_catalogue::Entry& entry : in_catalogue::entries) names.emplace_back(entry.name);
  throw_unknown_name(name, "an experiment", names);
}

const ParamSet& default_params(const Experiment& experiment) {
  using namespace in_catalogue;
  const auto* const found = std::ranges::find(entries, experiment.info.name, &Entry::name);
  return entries.at(static_cast<std::size_t>(found - entries.begin())).get_defaults();
}

}  // namespace orrery

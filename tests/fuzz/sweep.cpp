// Reads sweep files in each of their forms, combines their values and plans the points.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/sweep_spec.h"
#include "tests/fuzz/harness.h"

using namespace orrery;

namespace {

// Small enough that an execution takes milliseconds.
constexpr std::size_t most_combinations = 64;
constexpr std::size_t most_points = 16;

std::size_t largest_product(const SweepSpec& spec) {
  std::size_t product = 1;
  for (const SweepSpec::Axis& axis : spec.axes) {
    if (axis.values.empty() || axis.values.size() > most_combinations / product)
      return most_combinations + 1;
    product *= axis.values.size();
  }
  return product;
}

bool reads_files(const ParamSet& params) {
  return std::any_of(params.specs().begin(), params.specs().end(), [&](const ParamSpec& spec) {
    return spec.kind == ParamKind::file && !params.text(spec.key).empty();
  });
}

void require_words(const SweepSpec& spec, const Combination& combination) {
  ParamSet again(spec.experiment->info.params);
  for (const std::string& word : combination.params.overrides()) {
    const std::size_t equals = word.find('=');
    again.set(word.substr(0, equals), word.substr(equals + 1));
  }
  fuzz::require(again.overrides() == combination.params.overrides(),
                "the words of a combination restore it");
}

void require_saved(const Plan& plan) {
  const PlanRecord record = plan_record(to_json(plan).dump(), "plan");
  fuzz::require(plan_differences(plan, plan_from(record, "plan")).empty(),
                "a plan is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto spec = fuzz::accepted<UsageError, DataError, IoError>(
      [&] { return parse_sweep(fuzz::text_of(data, size), "sweep.toml"); });
  if (!spec || largest_product(*spec) > most_combinations) return 0;
  fuzz::require(spec->experiment != nullptr, "a sweep has an experiment");
  const auto all = fuzz::accepted<UsageError, IoError>([&] { return combinations_of(*spec); });
  if (!all) return 0;
  fuzz::require(!all->points.empty() && all->points.size() <= all->crossed,
                "combinations are at most the product of the lists");
  for (const Combination& combination : all->points) require_words(*spec, combination);
  const bool any_file =
      std::any_of(all->points.begin(), all->points.end(),
                  [](const Combination& combination) { return reads_files(combination.params); });
  const auto repeats = static_cast<std::size_t>(spec->repeats);
  if (any_file || repeats > most_points || all->points.size() * repeats > most_points) return 0;
  const auto plan = fuzz::accepted<UsageError>([&] { return make_plan(*spec, {}); });
  if (plan) require_saved(*plan);
  return 0;
}

// Reads a saved plan.json, first as it stands and then against the experiments of this program.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "experiments/results/point_id.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_layout.h"
#include "tests/fuzz/harness.h"

using namespace orrery;

namespace {

constexpr std::size_t most_points = 16;

/// Whether the parameters are acceptable and name no file; then the point gets the id that belongs
/// to them, which no mutation would find.
bool give_true_id(PlanRecord::Point& point, const ExperimentInfo& info) {
  ParamSet params(info.params);
  const auto set = fuzz::accepted<UsageError>([&] {
    for (const auto& [key, value] : point.params) params.set(key, value);
    return true;
  });
  if (!set) return false;
  for (const ParamSpec& spec : info.params)
    if (spec.kind == ParamKind::file && !params.text(spec.key).empty()) return false;
  point.id = point_id(info, params, {});
  point.file_contents.clear();
  return true;
}

void require_usable(const Plan& plan) {
  const std::size_t all = plan.whole ? plan.whole->points : plan.points.size();
  fuzz::require((plan.shard == Shard{}) == !plan.whole, "a shard is a part of a plan");
  fuzz::require(plan.points.size() <= all, "a shard has no more points than its sweep");
  fuzz::require(plan_differences(plan, plan).empty(), "a plan does not differ from itself");
  const PlanRecord again = plan_record(to_json(plan).dump(), "again");
  fuzz::require(plan_differences(plan, plan_from(again, "again")).empty(),
                "a plan is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(fuzz::text_of(data, size));
  auto record = fuzz::accepted<DataError>([&] { return plan_record(text, "plan"); });
  if (!record || record->points.size() > most_points) return 0;
  const auto experiment =
      fuzz::accepted<UsageError>([&] { return &find_experiment(record->experiment); });
  if (!experiment) return 0;
  record->version = (*experiment)->info.version;
  for (PlanRecord::Point& point : record->points)
    if (!give_true_id(point, (*experiment)->info)) return 0;
  const auto plan =
      fuzz::accepted<PlanError, DataError>([&] { return plan_from(*record, "plan"); });
  if (plan) require_usable(*plan);
  return 0;
}

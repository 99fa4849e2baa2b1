#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/results/figure_options.h"
#include "experiments/sweeps/plan.h"

namespace orrery {

inline constexpr std::string_view plan_schema = "orrery.plan/1";
/// A plan with the points of one shard alone. Earlier versions wrote the points of all shards into
/// each, as orrery.plan/1; these are read as well.
inline constexpr std::string_view shard_schema = "orrery.shard/1";

nlohmann::ordered_json to_json(const Plan& plan);
/// How figures are written, as the plan and the manifest of a sweep state it.
nlohmann::ordered_json to_json(const FigureOptions& figures);

/// SHA-256 of all that make_plan makes a plan of but plug-ins: where it is the same, so is the plan.
/// Empty where input files are among the values, since their content counts as well.
std::string request_id(const SweepSpec& spec, const FigureOptions& figures);

/// The text of plan.json: the plan, and the SHA-256 of its own text without that line.
std::string plan_text(const Plan& plan);

/// A plan.json as it was written, not yet compared with the experiments of this program: also a
/// sweep of another version can be listed and reported.
struct PlanRecord {
  struct Point {
    std::string id{};
    std::string label{};
    Settings params{};  ///< those that are set
    Settings swept{};
    int repeat{};
    std::optional<std::int64_t> seed{};
    std::vector<std::string> file_contents{};  ///< content_id of each input file
  };

  std::string experiment{};
  int version{};
  std::int64_t seed{};
  int repeats{1};
  std::vector<std::string> swept{};
  std::size_t combinations{};
  FigureOptions figures{};
  Shard shard{};
  std::optional<WholePlan> whole{};
  std::vector<Point> points{};  ///< of the shard alone where `whole` is given, else of all
};

/// Reads the text of a plan.json. Throws DataError naming `display_name` when it is not a plan or
/// differs from the SHA-256 in it; plans of earlier versions have none.
PlanRecord plan_record(std::string_view text, const std::string& display_name);

/// The plan with the experiments of this program. Throws PlanError: another version of the
/// experiment, a parameter that it no longer has, an input file whose content has changed.
Plan plan_from(const PlanRecord& record, const std::string& display_name);
/// The same with the points of all shards; empty where the record has those of one alone.
std::optional<Plan> whole_plan_from(const PlanRecord& record, const std::string& display_name);

}  // namespace orrery

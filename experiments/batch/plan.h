#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "experiments/batch/figure_options.h"
#include "experiments/batch/sweep_spec.h"
#include "experiments/data/inputs.h"

namespace orrery {

inline constexpr std::string_view plan_schema = "orrery.plan/1";

/// One computation of a sweep.
struct PlanPoint {
  std::string id{};  ///< see point_id
  std::string
      label{};  ///< the swept values: "dim=64 base=10000", and "repeat=2" where there are several
  ParamSet params;
  std::vector<std::pair<std::string, std::string>> swept{};  ///< keys read here, with their values
  int repeat{};                                              ///< from 0
  std::vector<InputFile> files{};                            ///< what it reads, without the content

  /// "orrery run NAME key=value …": computes this point alone.
  std::vector<std::string> command(const std::string& experiment) const;
};

/// Which part of the points is computed here: those whose index is index − 1 modulo count.
struct Shard {
  int index{1};
  int count{1};
  bool holds(std::size_t point) const {
    return point % static_cast<std::size_t>(count) == static_cast<std::size_t>(index - 1);
  }
  friend bool operator==(const Shard&, const Shard&) = default;
};

/// "2/4". Throws UsageError.
Shard parse_shard(const std::string& text);

/// What a sweep computes and writes, and nothing about when or where. Two equal plans give the same
/// bytes.
struct Plan {
  const Experiment* experiment{};
  std::int64_t root_seed{};
  int repeats{1};
  std::vector<std::string> swept{};  ///< keys with more than one value, in order
  std::size_t crossed{};  ///< combinations before those that are the same point count once
  FigureOptions figures{};
  std::vector<PlanPoint> points{};  ///< of all shards
  Shard shard{};

  std::vector<const PlanPoint*> own_points() const;
};

/// Reads every input file, so that its content is part of the points' ids. A point whose experiment
/// reads "seed", where neither a fixed nor a swept value is given, gets point_seed. Throws
/// UsageError: see combinations_of; repeats of a point in which nothing is random or whose seed is
/// given. Throws what load_inputs does.
Plan make_plan(const SweepSpec& spec, const FigureOptions& figures, Shard shard = {});

/// The seed of a point: SHA-256 of "root seed, id without seed, repeat", modulo 10^9.
/// @param seedless_id  of the point with its seed at the default
std::int64_t point_seed(std::int64_t root_seed, const std::string& seedless_id, int repeat);

nlohmann::ordered_json to_json(const Plan& plan);
/// The plan that to_json wrote, against the experiments of this program. Throws UsageError of kind
/// plan: another version of the experiment, a parameter that it no longer takes, an input file of
/// other content. Throws DataError: not a plan of ours.
Plan plan_from_json(const std::string& text, const std::string& said_as);

/// What differs, one line each: "+ point dim=128 (…)", "- …", "theme: light -> dark". Empty when
/// equal.
std::vector<std::string> plan_differences(const Plan& old_plan, const Plan& new_plan);

/// Exit status 5. Shows at most ten differences.
class PlanError : public Error {
 public:
  PlanError(const std::string& folder, const std::vector<std::string>& differences);
};

}  // namespace orrery

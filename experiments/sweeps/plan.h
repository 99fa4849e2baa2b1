#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/results/figure_options.h"
#include "experiments/sweeps/sweep_spec.h"

namespace orrery {

/// One point of a plan: a single computation.
struct PlanPoint {
  std::string id{};  ///< see point_id
  std::string
      label{};  ///< the swept values: "dim=64 base=10000", and "repeat=2" where there are several
  ParamSet params;
  Settings swept{};                ///< keys that it reads, with their values
  int repeat{};                    ///< from 0
  std::vector<InputFile> files{};  ///< its input files, without their content

  /// "orrery run NAME key=value …": computes this point alone.
  std::vector<std::string> command(const std::string& experiment) const;
};

inline constexpr int max_shards = 100'000;

/// The part of the points that is computed here: those whose position modulo `count` is index − 1.
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

/// The content of a sweep, independent of time and place. Equal plans give the same bytes.
struct Plan {
  /// The undivided plan that a shard is a part of.
  struct Whole {
    std::string id{};       ///< its plan_id
    std::size_t points{};   ///< their number
    std::string request{};  ///< the request_id that it was made of; empty in earlier versions
    friend bool operator==(const Whole& a, const Whole& b) {
      return a.id == b.id && a.points == b.points;
    }
  };

  const Experiment* experiment{};
  std::int64_t root_seed{};
  int repeats{1};
  std::vector<std::string> swept{};  ///< keys with more than one value, in order
  std::size_t crossed{};             ///< number of combinations, duplicates included
  FigureOptions figures{};
  std::vector<PlanPoint> points{};  ///< of this shard alone
  Shard shard{};
  std::optional<Whole> whole{};  ///< where there are several shards
};

/// Whether the points lie in one file, points.zip: those that have no figures in files. Figures are
/// files that people look at, each where it can be found.
inline bool packs_points(const Plan& plan) { return plan.figures.formats.empty(); }

/// Pointers to all of the points, in their order.
std::vector<const PlanPoint*> pointers_to(const std::vector<PlanPoint>& points);

/// Reads every input file, as its content is part of the points' ids. A point that reads "seed"
/// without a given or swept value gets repeat_seed, or point_seed if unpaired. Throws UsageError as
/// combinations_of does, and for repeats of a point that is not random or whose seed is given; what
/// load_inputs throws.
Plan make_plan(const SweepSpec& spec, const FigureOptions& figures);

/// The part of an undivided plan that a shard computes.
/// @param request  of the plan, where there is one: see Plan::Whole
Plan part_of(Plan plan, Shard shard, std::string request = {});

/// Whether the parameter "seed" changes anything with these parameters.
bool reads_seed(const ParamSet& params);

/// The seed of a repeat, the same for every point: what a seed draws, such as q and k, is then the
/// same for all encodings and settings, and their differences are not those of the draws. Repeat 0
/// has the root seed, so that it is what `orrery run` computes; the others have SHA-256 of "root
/// seed, repeat", modulo 10^9.
std::int64_t repeat_seed(std::int64_t root_seed, int repeat);
/// The seed of a point of an unpaired sweep: SHA-256 of "root seed, id without seed, repeat",
/// modulo 10^9.
/// @param seedless_id  id of the point with the default seed
std::int64_t point_seed(std::int64_t root_seed, const std::string& seedless_id, int repeat);

/// One line per difference: "+ point dim=128 (…)", "- …", "theme: light -> dark". Empty when equal.
std::vector<std::string> plan_differences(const Plan& old_plan, const Plan& new_plan);

/// Whether the new plan has every point of the old one, and more: what the old one has computed is
/// then kept. Shards are never extended, as more points are parted differently.
bool extends(const Plan& new_plan, const Plan& old_plan);

/// 12 digits of the SHA-256 of all that determines the sweep's bytes; the same for all its shards,
/// which hold it.
std::string plan_id(const Plan& plan);

/// The folder has a different plan. Exit status 5. Shows at most ten differences.
class PlanError : public Error {
 public:
  PlanError(const std::string& folder, const std::vector<std::string>& differences);
};

}  // namespace orrery

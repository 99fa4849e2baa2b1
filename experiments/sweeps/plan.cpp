#include "experiments/sweeps/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "experiments/files/file.h"
#include "experiments/results/point_id.h"
#include "experiments/text/printable.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

constexpr const char* seed_key = "seed";

constexpr std::int64_t seeds = 1'000'000'000;  // the range of seed_param()

std::int64_t hashed_seed(const std::string& text) {
  return static_cast<std::int64_t>(std::stoull(sha256_hex(text).substr(0, 15), nullptr, 16) %
                                   static_cast<std::uint64_t>(seeds));
}

std::string label_of(const PlanPoint& point, int repeats) {
  std::string label;
  for (const auto& [key, value] : point.swept)
    label += fmt::format("{}{}={}", label.empty() ? "" : " ", key, value);
  if (repeats > 1) label += fmt::format("{}repeat={}", label.empty() ? "" : " ", point.repeat);
  return label;
}

void require_repeatable(const SweepSpec& spec, const ParamSet& params) {
  if (spec.repeats == 1) return;
  if (axis_of(spec, seed_key))
    throw UsageError(fmt::format("repeats = {}", spec.repeats),
                     "needs a seed of its own for every repeat, but the parameter seed is given",
                     "give the seed of the whole sweep (--seed, or seed at the top of the file)");
  if (!reads_seed(params))
    throw UsageError(
        fmt::format("repeats = {}", spec.repeats),
        fmt::format("repeats a point that is not random ({})", fmt::join(params.overrides(), " ")),
        "remove repeats, or set parameters that make it random");
}

/// plan.json is UTF-8: a name that is not would be another one when a plan is read back.
void require_writable(const InputFile& file) {
  if (is_utf8(file.path)) return;
  throw UsageError(fmt::format("{}={}", file.key, printable(file.path)),
                   "has a name that is not UTF-8, which the plan of a sweep cannot hold",
                   "rename or link the file, or compute this point alone with orrery run");
}

/// Makes points, reading each input file once.
class PointMaker {
 public:
  PointMaker(const SweepSpec& spec, bool derives_seed) : spec_(spec), derives_seed_(derives_seed) {}

  PlanPoint make(const Combination& combination, int repeat) {
    PlanPoint point{.id = {},
                    .label = {},
                    .params = combination.params,
                    .swept = combination.swept,
                    .repeat = repeat,
                    .files = inputs_.load(combination.params)->files};
    std::for_each(point.files.begin(), point.files.end(), require_writable);
    const ExperimentInfo& info = spec_.experiment->info;
    point.id = point_id(info, point.params, point.files);
    if (derives_seed_ && reads_seed(point.params)) {
      point.params.set_value(seed_key, spec_.paired ? repeat_seed(spec_.seed, repeat)
                                                    : point_seed(spec_.seed, point.id, repeat));
      point.id = point_id(info, point.params, point.files);
    }
    point.label = label_of(point, spec_.repeats);
    return point;
  }

 private:
  const SweepSpec& spec_;
  bool derives_seed_;
  InputCache inputs_{};
};

std::map<std::string, std::string> labels_by_id(const Plan& plan) {
  std::map<std::string, std::string> labels;
  for (const PlanPoint& point : plan.points) {
    const std::vector<std::string> words = point.params.overrides();
    labels.emplace(point.id, fmt::format("{} {}", point.id,
                                         words.empty() ? "with every default"
                                                       : fmt::format("{}", fmt::join(words, " "))));
  }
  return labels;
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

}  // namespace

bool reads_seed(const ParamSet& params) { return params.has(seed_key) && params.is_used(seed_key); }

std::vector<std::string> PlanPoint::command(const std::string& experiment) const {
  std::vector<std::string> words{"orrery", "run", experiment};
  for (const std::string& word : params.overrides()) words.push_back(word);
  return words;
}

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, shard.index);
  const bool slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  const auto second = slash ? std::from_chars(first.ptr + 1, end, shard.count)
                            : std::from_chars_result{end, std::errc::invalid_argument};
  if (second.ec != std::errc() || second.ptr != end || shard.index < 1 || shard.count < 1 ||
      shard.index > shard.count || shard.count > max_shards)
    throw UsageError(fmt::format("--shard {}", text), "is not i/n with 1 ≤ i ≤ n",
                     "write it like --shard 2/4");
  return shard;
}

std::vector<const PlanPoint*> pointers_to(const std::vector<PlanPoint>& points) {
  std::vector<const PlanPoint*> pointers;
  pointers.reserve(points.size());
  for (const PlanPoint& point : points) pointers.push_back(&point);
  return pointers;
}

std::int64_t repeat_seed(std::int64_t root_seed, int repeat) {
  return repeat == 0 && root_seed <= seeds
             ? root_seed
             : hashed_seed(fmt::format("repeat\n{}\n{}\n", root_seed, repeat));
}

std::int64_t point_seed(std::int64_t root_seed, const std::string& seedless_id, int repeat) {
  return hashed_seed(fmt::format("seed\n{}\n{}\n{}\n", root_seed, seedless_id, repeat));
}

Plan make_plan(const SweepSpec& asked, const FigureOptions& figures) {
  const SweepSpec spec = with_draws(asked);
  const Combinations combinations = combinations_of(spec);
  Plan plan{.experiment = spec.experiment,
            .root_seed = spec.seed,
            .repeats = spec.repeats,
            .swept = {},
            .crossed = combinations.crossed,
            .figures = figures,
            .points = {}};
  for (const SweepSpec::Axis& axis : spec.axes)
    if (axis.values.size() > 1) plan.swept.push_back(axis.key);
  PointMaker maker(spec, axis_of(spec, seed_key) == nullptr);
  for (const Combination& combination : combinations.points) {
    require_repeatable(spec, combination.params);
    for (int repeat = 0; repeat < spec.repeats; ++repeat)
      plan.points.push_back(maker.make(combination, repeat));
  }
  return plan;
}

Plan part_of(Plan plan, Shard shard, std::string request) {
  if (shard.count == 1) return plan;
  plan.whole = {.id = plan_id(plan), .points = plan.points.size(), .request = std::move(request)};
  plan.shard = shard;
  std::vector<PlanPoint> all;
  all.swap(plan.points);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (shard.holds(i)) plan.points.push_back(std::move(all[i]));
  return plan;
}

std::vector<std::string> plan_differences(const Plan& old_plan, const Plan& new_plan) {
  std::vector<std::string> lines;
  const auto compare = [&](std::string_view what, auto text_of) {
    const std::string before = text_of(old_plan), after = text_of(new_plan);
    if (before != after) lines.push_back(fmt::format("{}: {} -> {}", what, before, after));
  };
  compare("experiment", [](const Plan& plan) { return plan.experiment->info.name; });
  compare("seed", [](const Plan& plan) { return fmt::format("{}", plan.root_seed); });
  compare("repeats", [](const Plan& plan) { return fmt::format("{}", plan.repeats); });
  compare("swept", [](const Plan& plan) { return joined(plan.swept); });
  compare("--figure", [](const Plan& plan) {
    return plan.figures.only.empty() ? "all" : joined(plan.figures.only);
  });
  compare("figures", [](const Plan& plan) { return joined(plan.figures.formats); });
  compare("theme", [](const Plan& plan) { return plan.figures.theme; });
  compare("formulas", [](const Plan& plan) { return plan.figures.formulas ? "shown" : "none"; });
  compare("page", [](const Plan& plan) { return page_text(plan.figures.page); });
  compare("shard", [](const Plan& plan) {
    return fmt::format("{}/{}", plan.shard.index, plan.shard.count);
  });
  const auto before = labels_by_id(old_plan);
  const auto after = labels_by_id(new_plan);
  for (const auto& [id, label] : before)
    if (!after.contains(id)) lines.push_back("- point " + label);
  for (const auto& [id, label] : after)
    if (!before.contains(id)) lines.push_back("+ point " + label);
  // The order of the points determines the bytes of results.csv.
  if (lines.empty())
    for (std::size_t i = 0; i < old_plan.points.size(); ++i)
      if (old_plan.points[i].id != new_plan.points[i].id)
        return {fmt::format("order of the points, from point {} on", i + 1)};
  if (lines.empty() && old_plan.whole && new_plan.whole && old_plan.whole != new_plan.whole)
    lines.push_back(fmt::format("points of the other shards: {} in all -> {} (sweep {} -> {})",
                                old_plan.whole->points, new_plan.whole->points, old_plan.whole->id,
                                new_plan.whole->id));
  return lines;
}

bool extends(const Plan& new_plan, const Plan& old_plan) {
  const bool undivided = new_plan.shard == Shard{} && old_plan.shard == Shard{};
  if (!undivided || new_plan.experiment != old_plan.experiment ||
      new_plan.root_seed != old_plan.root_seed || new_plan.figures != old_plan.figures ||
      new_plan.points.size() <= old_plan.points.size())
    return false;
  const auto after = labels_by_id(new_plan);
  return std::all_of(old_plan.points.begin(), old_plan.points.end(),
                     [&](const PlanPoint& point) { return after.contains(point.id); });
}

std::string plan_id(const Plan& plan) {
  if (plan.whole) return plan.whole->id;
  const FigureOptions& figures = plan.figures;
  std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n", plan.experiment->info.name,
                                 plan.experiment->info.version, plan.root_seed, plan.repeats,
                                 fmt::join(figures.formats, ","), figures.theme, figures.formulas);
  if (figures.page != Page{}) text += page_text(figures.page) + "\n";
  if (!figures.only.empty()) text += fmt::format("only {}\n", fmt::join(figures.only, ","));
  for (const PlanPoint& point : plan.points) text += point.id + "\n";
  return sha256_hex(text).substr(0, 12);
}

namespace {
std::string shown(const std::vector<std::string>& differences) {
  constexpr std::size_t most = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, differences.size()); ++i)
    text += "\n  " + differences[i];
  if (differences.size() > most)
    text += fmt::format("\n  … and {} more", differences.size() - most);
  return text;
}
}  // namespace

PlanError::PlanError(const std::string& folder, const std::vector<std::string>& differences)
    : Error(ErrorKind::plan, folder, "has a different plan:" + shown(differences) + "\n",
            "choose another folder with --out, or request its points and more") {}

}  // namespace orrery

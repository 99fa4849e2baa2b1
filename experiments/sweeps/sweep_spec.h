#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/params.h"
#include "experiments/model/experiment.h"

namespace orrery {

/// The most points that are drawn.
inline constexpr int max_draws = 100'000;

/// The most seeds with which each point of a sweep is computed.
inline constexpr int max_repeats = 1'000'000;

/// A request for computations: one experiment, with some parameters fixed and some with several
/// values. Presets, sweep files and command lines each contribute a part.
struct SweepSpec {
  /// Numbers that are drawn: from low to high, or their logarithms.
  struct Draw {
    double low{};
    double high{};
    bool logarithmic{};
    friend bool operator==(const Draw&, const Draw&) = default;
  };
  /// A parameter and its values, each as ParamSet::set reads it. A single value is fixed.
  struct Axis {
    std::string key{};
    std::vector<std::string> values{};
    std::optional<Draw> draw{};  ///< in place of values
    friend bool operator==(const Axis&, const Axis&) = default;
  };

  std::string name{};         ///< of the preset or file; empty for an experiment
  std::string description{};  ///< one sentence, of a preset
  const Experiment* experiment{};
  std::vector<Axis> axes{};                      ///< crossed, the last one fastest
  std::vector<std::vector<std::string>> zips{};  ///< keys whose values advance together
  int draws{0};      ///< points of the keys that are drawn, which advance together
  bool latin{true};  ///< one draw per equal part of each range, or else all independent
  int repeats{1};
  std::int64_t seed{0};  ///< root of the points' seeds
  bool paired{true};     ///< every point has the seed of its repeat, or else one of its own
  std::string out{};     ///< folder; empty when none was given
  std::vector<std::string> notes{};  ///< what apply_words made of a model's file
};

/// The experiment NAME, the preset NAME, or the file NAME.toml:
///
///   parent = "roformer_figure_2"      # a preset whose settings come first, or one's own file
///   beside
///                                     # this one, "mine.toml"; or experiment = "…"
///   description = "one sentence"
///   [params]                          # fixed
///   dim = 128
///   [sweep]                           # crossed, in this order, the last one fastest
///   base = [1e4, 5e5]
///   encoding = "rope,alibi"
///   dim = "uniform(16, 256)"          # drawn, with draws = N at the top; loguniform(a, b)
///   draws = 50                        # at the top: points of what is drawn
///   sampling = "random"               # or "latin": one draw per equal part of each range
///   zip = [["dim", "base"]]           # at the top: these advance together
///   repeats = 3
///   seed = 7
///   paired = false                    # a seed of its own for every point
///   out = "results/decay"
///
/// Throws UsageError (an unknown experiment, preset or key, with the nearest name; a value that its
/// parameter refuses; presets that are their own parents), IoError and DataError (not TOML, with
/// line and column).
SweepSpec sweep_spec_named(const std::string& name);

/// The presets that come with Orrery.
std::vector<std::string> preset_names();
SweepSpec preset_named(const std::string& name);
/// What the preset itself says of it, without reading its settings.
std::string preset_description(const std::string& name);
/// Reads the text of a sweep file; `display_name` is its name in messages.
SweepSpec parse_sweep(std::string_view toml, const std::string& display_name);

/// Null where the key has none.
const SweepSpec::Axis* axis_of(const SweepSpec& spec, std::string_view key);
/// Replaces the axis of the same key. An axis with several values becomes the last one, as lists
/// are crossed in the order in which they are written.
void put_axis(SweepSpec& spec, SweepSpec::Axis axis);
/// Applies the words of a command line, which override everything before; model= and layer= stand
/// for the settings of a layer, see expand_model_words. Throws UsageError, and what that throws.
void apply_words(SweepSpec& spec, const std::vector<std::string>& words);
/// Adds keys that advance together: "dim,base". Throws UsageError.
void add_zip(SweepSpec& spec, std::string_view keys);

/// The values of a key as typed: a list (value_list), or "uniform(low, high)" or "loguniform(low,
/// high)" for numbers. Throws UsageError.
SweepSpec::Axis read_axis(const ParamSpec& spec, std::string_view text);

/// The sweep with the values of the keys that are drawn, which are then zipped: a Latin hypercube
/// (each range in `draws` equal parts, one draw in each, in random order) or independent draws, by
/// the seed and the keys alone. Throws UsageError for a draw without `draws`, or the reverse.
SweepSpec with_draws(const SweepSpec& spec);

/// One combination of a sweep.
struct Combination {
  ParamSet params;
  /// The swept keys (several values) that this combination reads, with their values.
  Settings swept{};
};

struct Combinations {
  std::vector<Combination> points{};  ///< without duplicates, in order of their first appearance
  std::size_t crossed{};              ///< number of combinations of the axes, duplicates included
};

/// What a plan takes, known before any of it is made.
struct PlanCost {
  std::size_t points{};  ///< combinations times repeats; fewer where some are the same point
  double bytes{};        ///< of memory
  double seconds{};      ///< to make it, on the machine of the measurement
};

/// 1100 bytes per point, and 0.4 µs per point and parameter: measured between plans of 5,000 and
/// 100,000 points of experiments with 38 and 91 parameters, of which two were swept, to within 10 %
/// of the memory. Repeats of one setting take 650 bytes each.
/// Throws UsageError: more than a million combinations, and as combinations_of does for zips;
/// IoError: there may not be so much memory.
PlanCost plan_cost(const SweepSpec& spec);

/// Every combination. Where a swept parameter is not read (the base of RoPE under encoding=t5) it
/// keeps its default, and combinations that become equal count once. Throws UsageError for a
/// parameter that no combination reads, a value that its parameter refuses, a zip of unequal
/// lengths, a list with a repeated value; IoError as plan_cost does, before any is made.
Combinations combinations_of(const SweepSpec& spec);

/// The values that a text lists, each as ParamSet::set reads it. Items are separated by
/// commas; for numbers an item may be one of (NumPy's conventions)
///   range(stop), range(start, stop), range(start, stop, step)   without stop
///   pow2(a..b)            2^a, 2^(a+1), …, 2^b
///   linspace(a, b, n)     n numbers from a to b, both included
///   logspace(a, b, n)     10^a … 10^b
///   geomspace(a, b, n)    a … b, equal ratios
/// Computed numbers are rounded to 15 significant digits, so that steps of 0.1 give 0.3 and not
/// 0.30000000000000004. The name of a file and free
/// text are never split. At most 1,000,000 values.
/// Throws UsageError naming key=text.
std::vector<std::string> value_list(const ParamSpec& spec, std::string_view text);

}  // namespace orrery

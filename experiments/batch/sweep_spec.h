#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/experiment.h"

namespace orrery {

/// What is to be run: one experiment, some parameters fixed, some with several values. This is what
/// a preset, a sweep file and a command line each say a part of.
struct SweepSpec {
  /// A parameter and its values, each as ParamSet::set reads it. One value: it is fixed.
  struct Axis {
    std::string key{};
    std::vector<std::string> values{};
    friend bool operator==(const Axis&, const Axis&) = default;
  };

  std::string name{};         ///< of the preset or file; empty for a bare experiment
  std::string description{};  ///< one sentence, of a preset
  const Experiment* experiment{};
  std::vector<Axis> axes{};                      ///< crossed, the last one fastest
  std::vector<std::vector<std::string>> zips{};  ///< keys whose values go in step
  int repeats{1};
  std::int64_t seed{0};  ///< root of the points' seeds
  std::string out{};     ///< folder; empty when nobody said
};

/// The experiment NAME, the preset NAME, or the file NAME.toml:
///
///   parent = "roformer_figure_2"      # a preset whose settings come first; or experiment = "…"
///   description = "one sentence"
///   [params]                          # fixed
///   dim = 128
///   [sweep]                           # crossed, in this order, the last one fastest
///   base = [1e4, 5e5]
///   encoding = "rope,alibi"
///   zip = [["dim", "base"]]           # at the top: these go in step
///   repeats = 3
///   seed = 7
///   out = "results/decay"
///
/// Throws UsageError (no such experiment, preset or key, with the nearest name; a value that its
/// parameter refuses; presets that are their own parents), IoError and DataError (not TOML: the
/// line and column).
SweepSpec sweep_spec_named(const std::string& name);

/// A preset that comes with Orrery.
std::vector<std::string> preset_names();
SweepSpec preset_named(const std::string& name);
/// The text of a sweep file. `said_as` is what messages call it.
SweepSpec parse_sweep(std::string_view toml, const std::string& said_as);

/// Puts the axis in the place of what was said of its key before. One with several values goes
/// behind all others: lists are crossed in the order in which they are written.
void put_axis(SweepSpec& spec, SweepSpec::Axis axis);
/// The words of a command line, which win over everything before. Throws UsageError.
void apply_words(SweepSpec& spec, const std::vector<std::string>& words);
/// Keys that go in step: "dim,base".
void add_zip(SweepSpec& spec, std::string_view keys);

/// One combination of a sweep.
struct Combination {
  ParamSet params;
  /// The swept keys (more than one value) that are read here, with their values.
  std::vector<std::pair<std::string, std::string>> swept{};
};

struct Combinations {
  std::vector<Combination> points{};  ///< without duplicates, in order of their first appearance
  std::size_t crossed{};              ///< how many the axes span
};

/// Every combination. Where a swept parameter is not read (the base of RoPE under encoding=t5) it
/// is left at its default, and what becomes the same point counts once. Throws UsageError for a
/// parameter that no combination reads, a value that does not fit, a zip of unequal lengths, a list
/// that has a value twice.
Combinations combinations_of(const SweepSpec& spec);

}  // namespace orrery

// What NaN does to the claims: no check of any experiment holds.
#include <algorithm>
#include <catch2/catch.hpp>

#include <cmath>
#include <set>
#include <string>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/studies/catalogue.h"
#include "experiments/verify/claims.h"
#include "tests/nan/nan_injection.h"

using namespace orrery;
using namespace orrery::test;

namespace {

/// Small sizes; contents that are drawn rather than ones.
constexpr std::pair<const char*, const char*> small_settings[] = {
    {"dim", "16"},           {"max_tokens", "8"},     {"tokens", "8"},
    {"draws", "4"},          {"max_distance", "64"},  {"positions", "8"},
    {"train_length", "64"},  {"max_length", "128"},   {"window", "8"},
    {"search", "64"},        {"max_position", "64"},  {"max_shift", "1024"},
    {"half_distance", "8"},  {"most_features", "32"}, {"favor_features", "16"},
    {"longest", "1024"},     {"assumption", "equal"}, {"learned.length", "2000"},
    {"tupe.length", "2000"}, {"steps", "2"},          {"batch", "2"},
    {"targets", "4"}};

/// Every encoding that the experiment takes, at small sizes.
ParamSet small_params(const Experiment& experiment) {
  ParamSet params(experiment.info.params);
  for (const auto& [key, value] : small_settings)
    if (params.has(key) && params.spec(key).kind != ParamKind::file) params.set(key, value);
  for (const char* key : {"encoding", "features"}) {
    if (!params.has(key) || params.spec(key).kind != ParamKind::choice_list) continue;
    std::vector<std::string> all;
    for (const Choice& choice : params.spec(key).choices) all.push_back(choice.name);
    params.set_value(key, all);
  }
  if (params.has("contents")) params.set("contents", "random");
  // What an experiment has kept of a text was computed of numbers: it gets another one.
  static std::int64_t run = 0;
  if (params.has("length")) params.set_value("length", 16 + ++run);
  if (params.has("lengths")) params.set("lengths", "8+12");
  if (params.has("compare")) params.set("compare", "base+interpolation+tensor2tensor");
  return params;
}

std::vector<Check> checks_of(const Experiment& experiment) {
  const ParamSet params = small_params(experiment);
  SilentProgress progress;
  return experiment.run(params, load_inputs(params).inputs, progress).checks;
}

/// They examine formulas or a model's file; nothing that is drawn enters their checks.
bool is_without_contents(const ExperimentInfo& info) {
  static const std::set<std::string> formulas{"score_spectrogram", "spectrum", "encoding_matrix",
                                              "equal_half_distance"};
  return formulas.contains(info.name) ||
         std::any_of(info.params.begin(), info.params.end(), [](const ParamSpec& spec) {
           return spec.kind == ParamKind::file && spec.key == "model" &&
                  spec.default_value != ParamValue(std::string());
         });
}

/// They give arrays and claim nothing: rows that are not finite are counted.
bool claims_nothing(const std::string& experiment) {
  return experiment == "attend" || experiment == "apply";
}

/// Checks of whole numbers, which no NaN can enter: positions, rows of tables and a file's windows.
bool of_whole_numbers(const std::string& name) {
  for (const char* end :
       {"_last_row_reached",  // the distance from which on the row of a table stays
        "_ends",              // the last position that a table has a row for
        "influence_is_shared_out", "windows_bound_the_field"})  // of tokens in windows
    if (name.ends_with(end)) return true;
  return false;
}

/// Checks of terms without content, which one drawn number need not reach: slopes and kernels are
/// given, and of a table few rows are met.
bool of_bias(const std::string& name) { return name.ends_with("_is_relative"); }
/// Of these none is drawn.
bool of_given_bias(const std::string& name) {
  for (const char* given : {"alibi_linear_bias", "kerple_kernel_bias", "fox_constant_forgetting",
                            "grape_additive_linear_bias"})
    if (name == std::string(given) + "_is_relative") return true;
  return false;
}

/// Claims of verify about what nothing drawn and no frequency enters: rows and buckets of whole
/// numbers, ALiBi's slopes and biases, roundings of given numbers.
bool of_given_numbers(const std::string& name) {
  for (const char* part : {"_rows", "buckets", "alibi_slopes", "linear_bias"})
    if (name.find(part) != std::string::npos) return true;
  return name == "fp32" || name == "fp16" || name == "bf16";
}

}  // namespace

TEST_CASE("Fed NaN, no check of any experiment holds, and none is left out") {
  for (const Experiment* experiment : experiment_catalogue()) {
    const std::string name = experiment->info.name;
    if (claims_nothing(name)) continue;
    INFO(name);
    const std::vector<Check> sound = checks_of(*experiment);
    CHECK_FALSE(sound.empty());
    for (const Check& check : sound) {
      if (of_whole_numbers(check.name)) continue;
      INFO(check.name << ": " << check.measured << " against " << check.bound);
      CHECK(check.holds());
    }
    const NanInjection injection(Nan::everywhere);
    std::vector<Check> checks;
    try {
      checks = checks_of(*experiment);
    } catch (const NotFiniteError&) {
      continue;  // a model's pass: nothing is said at all
    }
    CHECK(checks.size() >= sound.size());  // more, where what a check is about is no longer 0
    for (const Check& check : checks) {
      if (of_whole_numbers(check.name) || of_given_bias(check.name)) continue;
      INFO(check.name << ": " << check.measured << " against " << check.bound);
      CHECK_FALSE(check.holds());
      CHECK(std::isnan(check.measured));
    }
  }
}

TEST_CASE("Fed NaN, no counted claim of verify holds") {
  SilentProgress progress;
  const NanInjection injection(Nan::everywhere);
  for (const Claim& claim : verify_paper({.draws = 1}, progress)) {
    if (!claim.counted() || of_given_numbers(claim.check.name)) continue;
    INFO(claim.check.name << ": " << claim.check.measured << " against " << claim.check.bound);
    CHECK_FALSE(claim.check.holds());
  }
}

TEST_CASE("One NaN among drawn contents, the first or the last, is enough") {
  const Nan where = GENERATE(Nan::first_of_drawn, Nan::last_of_drawn);
  INFO((where == Nan::first_of_drawn ? "first" : "last"));
  for (const Experiment* experiment : experiment_catalogue()) {
    const std::string& name = experiment->info.name;
    if (is_without_contents(experiment->info) || claims_nothing(name)) continue;
    const NanInjection injection(where);
    INFO(name);
    for (const Check& check : checks_of(*experiment)) {
      if (of_whole_numbers(check.name) || of_bias(check.name)) continue;
      INFO(check.name << ": " << check.measured << " against " << check.bound);
      CHECK_FALSE(check.holds());
    }
  }
}

// The rules of logits as attention_map takes them.
#include <catch2/catch.hpp>

#include <string>

#include "core/errors.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;

namespace {

/// The mean entropy of the weights of a text far from the origin, or at it.
double entropy(const Settings& rule, const std::string& first = "20000") {
  Settings settings{
      {"causal", "true"}, {"dim", "16"}, {"show", "weights"}, {"first_position", first}};
  settings.insert(settings.end(), rule.begin(), rule.end());
  const Result result = run_experiment(find_experiment("attention_map"), settings,
                                       text_input("one two three four five six seven eight"));
  check_all_hold(result);
  return scalar(result, "rope_mean_entropy");
}

}  // namespace

TEST_CASE("A rule sharpens attention where its model has it, by the model's own numbers") {
  const double plain = entropy({});
  CHECK(entropy({{"logit_rule", "llama4"}}) < plain);
  CHECK(entropy({{"logit_rule", "llama4"}}, "0") == entropy({}, "0"));
  CHECK(entropy({{"logit_rule", "mistral"}}, "16000") == entropy({}, "16000"));
  CHECK(entropy({{"logit_rule", "mistral"}}) < plain);
  CHECK(entropy({{"logit_rule", "beam"}}) < entropy({{"logit_rule", "inkling"}}));
  CHECK(entropy({{"logit_rule", "llama4"}, {"logit_rule.strength", "2"}}) <
        entropy({{"logit_rule", "llama4"}}));
}

TEST_CASE("What a rule does not read is refused") {
  ParamSet params = params_for(find_experiment("attention_map"), {{"logit_rule", "llama4"}});
  params.set("logit_rule.offset", "1");
  CHECK_THROWS_AS(params.require_all_set_are_used(), UsageError);
}

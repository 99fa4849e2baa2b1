#include "experiments/setup/logit_rule_params.h"

#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "tests/support/layers.h"

using namespace orrery;

namespace {

LogitRule rule_of(const std::vector<std::pair<std::string, std::string>>& words) {
  ParamSet params(setup::logit_rule_params());
  for (const auto& [key, value] : words) params.set(key, value);
  params.require_all_set_are_used();
  return setup::logit_rule_of(params);
}

}  // namespace

TEST_CASE("Without a rule logits are as they are, also where there is no such parameter") {
  CHECK_FALSE(rule_of({}).given());
  CHECK_FALSE(setup::logit_rule_of(ParamSet({})).given());
}

TEST_CASE("A strength and a length of 0 are the model's own") {
  const LogitRule llama = rule_of({{"logit_rule", "llama4"}});
  CHECK(logit_factor(llama, 8191, 1) == Approx(1.0693147180559945));
  CHECK(rule_of({{"logit_rule", "mistral"}}).length == 16384);
  CHECK(rule_of({{"logit_rule", "beam"}}).length == 2048);
  CHECK(rule_of({{"logit_rule", "scalable_softmax"}}).strength == 0.43);
  const LogitRule own = rule_of(
      {{"logit_rule", "llama4"}, {"logit_rule.strength", "2"}, {"logit_rule.length", "16"}});
  CHECK(own.strength == 2);
  CHECK(own.length == 16);
}

TEST_CASE("What a rule does not read is refused") {
  CHECK_THROWS_AS(rule_of({{"logit_rule", "llama4"}, {"logit_rule.offset", "1"}}), UsageError);
  CHECK_THROWS_AS(rule_of({{"logit_rule", "scalable_softmax"}, {"logit_rule.length", "9"}}),
                  UsageError);
}

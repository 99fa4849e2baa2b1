#include "experiments/heads/settle.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/errors.h"
#include "tests/heads/hand_built.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// Texts that repeat, on which the model made by hand predicts by its induction head.
std::vector<ModelText> repeating_texts(int count) {
  std::vector<ModelText> texts;
  for (int i = 0; i < count; ++i) {
    ModelText text{.name = "text " + std::to_string(i), .tokens = {0}};
    const int period = 3 + i % 4;
    for (int round = 0; round < 3; ++round)
      for (int t = 0; t < period; ++t) text.tokens.push_back(1 + (t + i) % 11);
    texts.push_back(std::move(text));
  }
  return texts;
}

Settlement settled(const std::filesystem::path& path, const SettleRequest& request) {
  LiveModel model(path, {.single = false});
  SilentProgress progress;
  return settle(model, request, progress);
}

const OpenQuestion& question_named(const std::vector<OpenQuestion>& questions,
                                   const std::string& name) {
  for (const OpenQuestion& question : questions)
    if (question.name == name) return question;
  FAIL("no question " << name);
  return questions.front();
}

}  // namespace

TEST_CASE("A model whose pairing is taken from it gets it back from its loss") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const Settlement settlement =
      settled(built.path(), {.texts = repeating_texts(16), .edits = {"pairing:interleaved"}});
  CHECK(is_contradicted(settlement));
  const OpenQuestion& asked = question_named(settlement.questions, "pairing");
  CHECK(asked.verdict == LossVerdict::contradicted);
  CHECK(asked.hypotheses.front().label == "half_split");
  CHECK(asked.hypotheses.back().stands);
  CHECK(asked.hypotheses.back().label == "interleaved");
  CHECK(asked.hypotheses.back().p < 0.05);
  CHECK(settlement.corrections.front() == "pairing:half_split");
  CHECK(question_named(settlement.corrected, "pairing").verdict == LossVerdict::confirmed);
}

TEST_CASE("A model as it should be is not contradicted, and what it cannot tell stays open") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const Settlement settlement = settled(built.path(), {.texts = repeating_texts(16)});
  CHECK_FALSE(is_contradicted(settlement));
  CHECK(settlement.corrections.empty());
  CHECK(question_named(settlement.questions, "pairing").verdict == LossVerdict::confirmed);
  CHECK(question_named(settlement.questions, "direction").verdict == LossVerdict::confirmed);
  for (const OpenQuestion& question : settlement.questions)
    for (const Hypothesis& h : question.hypotheses) {
      CAPTURE(question.name, h.label);
      CHECK(std::isfinite(h.loss));
    }
}

TEST_CASE("A hypothesis that computes the same is the model as it stands") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const Settlement settlement = settled(
      built.path(), {.texts = repeating_texts(8), .questions = {"window", "norm_plus_one"}});
  // No text looks back farther than half of the longest one, so that no window is a question.
  REQUIRE(settlement.questions.size() == 1);
  const OpenQuestion& norms = question_named(settlement.questions, "norm_plus_one");
  CHECK(norms.hypotheses.size() == 2);
  const auto stands = std::find_if(norms.hypotheses.begin(), norms.hypotheses.end(),
                                   [](const Hypothesis& h) { return h.stands; });
  CHECK(stands->label == "gain");
  CHECK(settlement.texts.size() == 8);
}

TEST_CASE("What cannot be settled is refused") {
  const auto model = [](const char* name) {
    return std::filesystem::path(tests_folder() + "/golden/transformer/" + name);
  };
  const std::vector<ModelText> few = {{"a", {1, 2, 3}}, {"b", {1, 2, 3}}, {"c", {4, 5}}};
  CHECK_THROWS_WITH(settled(model("llama-on"), {.texts = few}), Contains("4 or more"));
  std::vector<ModelText> texts = few;
  texts.push_back({"d", {7, 8, 9}});
  CHECK_THROWS_WITH(settled(model("bert-on"), {.texts = texts}), Contains("does not predict"));
  CHECK_THROWS_WITH(settled(model("llama-on"), {.texts = texts, .questions = {"pairng"}}),
                    Contains("did you mean pairing?"));
}

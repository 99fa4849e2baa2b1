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

constexpr float certainty = 2;

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
  const HandBuilt built(folder, certainty);
  const Settlement settlement =
      settled(built.path(), {.texts = repeating_texts(16), .edits = {"pairing:interleaved"}});
  CAPTURE(settlement.loss, settlement.frequencies.of_same, settlement.frequencies.of_others,
          settlement.is_known, settlement.is_at_its_best, settlement.corrections);
  REQUIRE(is_contradicted(settlement));
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
  const HandBuilt built(folder, certainty);
  // How certain it is was not learned, so that norms could make it more so.
  const Settlement settlement =
      settled(built.path(),
              {.texts = repeating_texts(16),
               .questions = {"pairing", "base", "scaling", "direction", "softcap", "window"}});
  CAPTURE(settlement.loss, settlement.frequencies.of_same, settlement.frequencies.of_others);
  CHECK_FALSE(is_contradicted(settlement));
  CHECK_FALSE(is_wrong_elsewhere(settlement));
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
  const HandBuilt built(folder, certainty);
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

TEST_CASE("Nothing is confirmed of a model that predicts worse than frequencies") {
  const TempFolder folder;
  const HandBuilt sure_of_everything(folder);
  const Settlement settlement = settled(sure_of_everything.path(), {.texts = repeating_texts(16)});
  CHECK(settlement.loss > settlement.frequencies.of_others);
  CHECK(is_wrong_elsewhere(settlement));
  CHECK_FALSE(is_contradicted(settlement));
  CHECK(settlement.corrections.empty());
  for (const OpenQuestion& question : settlement.questions) {
    CAPTURE(question.name);
    CHECK(question.verdict == LossVerdict::undecided);
  }
}

TEST_CASE("A hypothesis that overflows is rejected, and ends no question") {
  const TempFolder folder;
  // Logits up to 3e38, which fp32 holds; with other norms they are twice as large.
  const HandBuilt built(folder, 8e37F);
  LiveModel model(built.path(), {});
  SilentProgress progress;
  const Settlement settlement = settle(
      model, {.texts = repeating_texts(8), .questions = {"norm_plus_one", "scale"}}, progress);
  REQUIRE(settlement.questions.front().name == "norm_plus_one");
  CHECK(question_named(settlement.questions, "norm_plus_one").hypotheses.size() == 2);
  for (const OpenQuestion& question : settlement.questions)
    for (const Hypothesis& h : question.hypotheses) {
      CAPTURE(question.name, h.label);
      CHECK(std::isfinite(h.loss));
    }
}

TEST_CASE("Losses of frequencies are those of their formulas") {
  // Tokens behind the first: 1 1 2 of one text, 1 3 of the other; 7 tokens in all.
  const FrequencyLoss loss = frequency_loss({{"a", {0, 1, 1, 2}}, {"b", {0, 1, 3}}}, 7);
  REQUIRE(loss.of_same.size() == 2);
  CHECK(loss.of_same[0] == Approx(-(2 * std::log(0.6) + std::log(0.2)) / 3));
  CHECK(loss.of_same[1] == Approx(-(std::log(0.6) + std::log(0.2)) / 2));
  // By b: N = 2, T = 2; 1 has 1/4, and 2 is one of 5 that share 2/4. By a: N = 3, T = 2.
  const double of_a = -(2 * std::log(0.25) + std::log(0.1)) / 3;
  const double of_b = -(std::log(0.4) + std::log(0.4 / 5)) / 2;
  CHECK(loss.of_others == Approx((of_a + of_b) / 2));
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

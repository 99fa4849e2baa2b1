#include "experiments/heads/reach.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/errors.h"
#include "core/random.h"
#include "experiments/heads/model_run.h"
#include "experiments/heads/repeat.h"
#include "tests/heads/hand_built.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

ContextReach reach_of(const std::filesystem::path& path, const std::vector<ModelText>& texts,
                      std::int64_t targets, int threads = 1) {
  LiveModel model(path, {.single = false, .threads = threads});
  SilentProgress progress;
  return context_reach(model, texts, targets, -1, progress);
}

/// Texts whose tokens come again every `period` tokens.
std::vector<ModelText> periodic_texts(std::size_t period, std::size_t length) {
  std::vector<ModelText> texts;
  Random random(4, "periods");
  for (int t = 0; t < 6; ++t) {
    const std::vector<std::int32_t> block =
        random_tokens(random, static_cast<std::int64_t>(period), 12);
    ModelText text{.name = "periodic"};
    for (std::size_t i = 0; i < length; ++i) text.tokens.push_back(block[i % period]);
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace

TEST_CASE("A model that copies by hand reads back to where a token came before, and no farther") {
  const TempFolder folder;
  const HandBuilt built(folder);
  // The token before a target came 7 earlier, and what followed it 6 earlier: 8 tokens of context.
  const ContextReach reach = reach_of(built.path(), periodic_texts(7, 36), 1);
  REQUIRE(reach.contexts.size() == 6);
  CHECK(reach.contexts[2].loss > 1);
  CHECK(reach.contexts[4].loss == Approx(0).margin(1e-6));
  CHECK(reach.contexts[5].loss == Approx(0).margin(1e-6));
}

TEST_CASE("The loss behind a context is that of a pass over it alone") {
  const std::filesystem::path path = tests_folder() + "/golden/transformer/llama-on";
  const std::vector<ModelText> texts = {{"a", {5, 17, 31, 2, 40, 9, 8, 12}},
                                        {"b", {9, 3, 3, 8, 31, 6, 40, 2, 11}}};
  const ContextReach reach = reach_of(path, texts, 2);
  REQUIRE(reach.contexts.size() == 3);
  LiveModel model(path, {.single = false});
  model.with_run([&](auto& run) {
    const std::vector<double> losses = run.edited_losses({}, {40, 9, 8, 12});
    CHECK(reach.contexts[1].context == 2);
    CHECK(reach.contexts[1].losses[0] == Approx((losses[1] + losses[2]) / 2).epsilon(1e-12));
  });
  CHECK(std::isnan(reach.contexts[0].p));
  CHECK(reach.reach >= 1);
}

TEST_CASE("Texts without room for a context are refused") {
  const std::filesystem::path path = tests_folder() + "/golden/transformer/llama-on";
  CHECK_THROWS_WITH(reach_of(path, {{"a", {5, 17}}}, 2), Contains("give longer texts"));
  CHECK_THROWS_WITH(reach_of(path, {}, 2), Contains("give longer texts"));
}

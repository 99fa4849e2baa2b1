#include "experiments/heads/repeat.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "core/errors.h"
#include "core/random.h"
#include "tests/heads/hand_built.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Repeat repeated(const std::filesystem::path& path, const RepeatRequest& request, int threads = 1) {
  LiveModel model(path, {.single = false, .threads = threads, .length = 2 * request.tokens + 1});
  SilentProgress progress;
  return repeat_tokens(model, request, progress);
}

/// The logit 40 of the one token, against 0 of the others.
constexpr double sure = 1e-9;
const double chance = std::log(12.0);

}  // namespace

TEST_CASE("A model that copies by hand knows all of the second half, and nothing of the first") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const Repeat repeat =
      repeated(built.path(), {.tokens = 8, .sequences = 3, .seed = 5, .first = 0});
  for (std::size_t s = 0; s < 3; ++s) CHECK(repeat.second_half[s] == Approx(0).margin(sure));
  REQUIRE(repeat.by_position.size() == 16);
  for (std::size_t t = 9; t < 16; ++t) CHECK(repeat.by_position[t] == Approx(0).margin(sure));
  CHECK(repeat.gain.difference > 2);
  CHECK(repeat.vocabulary == 12);
}

TEST_CASE("Without its induction head, or the token before, the same model copies nothing") {
  const TempFolder folder;
  const HandBuilt built(folder);
  for (const char* edit : {"zero:1.0", "zero:0.0"}) {
    CAPTURE(edit);
    const Repeat repeat =
        repeated(built.path(), {.tokens = 8, .sequences = 3, .first = 0, .edits = {edit}});
    for (const double loss : repeat.second_half) CHECK(loss > 1);
  }
  const Repeat none =
      repeated(built.path(), {.tokens = 8, .sequences = 2, .first = 0, .edits = {"zero:1.0"}});
  for (const double loss : none.by_position) CHECK(loss == Approx(chance));
  CHECK(none.gain.difference == Approx(0).margin(1e-12));
}

TEST_CASE("The halves are means over the same tokens, and nothing predicts the first of all") {
  const Repeat repeat = repeated(tests_folder() + "/golden/transformer/llama-on",
                                 {.tokens = 6, .sequences = 2, .seed = 3});
  REQUIRE(repeat.by_position.size() == 12);
  CHECK(std::isnan(repeat.by_position[0]));
  double first = 0, second = 0;
  for (std::size_t t = 1; t < 6; ++t) {
    first += repeat.by_position[t] / 5;
    second += repeat.by_position[6 + t] / 5;
  }
  CHECK((repeat.first_half[0] + repeat.first_half[1]) / 2 == Approx(first).epsilon(1e-12));
  CHECK((repeat.second_half[0] + repeat.second_half[1]) / 2 == Approx(second).epsilon(1e-12));
  CHECK(repeat.gain.difference == Approx(first - second).epsilon(1e-9));
}

TEST_CASE("Repeats are the same with any number of threads, and others with another seed") {
  const std::filesystem::path path = tests_folder() + "/golden/transformer/gemma2-on";
  const RepeatRequest request{.tokens = 6, .sequences = 2};
  const Repeat one = repeated(path, request, 1), three = repeated(path, request, 3);
  CHECK(one.first_half == three.first_half);
  CHECK(one.second_half == three.second_half);
  CHECK(repeated(path, request).first_half !=
        repeated(path, {.tokens = 6, .sequences = 2, .seed = 1}).first_half);
}

TEST_CASE("Random tokens come once before any comes again, without those that are left out") {
  Random random(0, "test");
  const std::vector<std::int32_t> left_out = {0, 4};
  const std::vector<std::int32_t> tokens = random_tokens(random, 20, 12, left_out);
  for (const std::size_t round : {0U, 10U}) {
    const std::set<std::int32_t> drawn(tokens.begin() + static_cast<std::ptrdiff_t>(round),
                                       tokens.begin() + static_cast<std::ptrdiff_t>(round + 10));
    CHECK(drawn.size() == 10);
    CHECK(drawn.count(0) + drawn.count(4) == 0);
  }
  const std::vector<std::int32_t> all = {0, 1};
  CHECK_THROWS_WITH(random_tokens(random, 1, 2, all), Contains("no other can be drawn"));
}

TEST_CASE("What cannot be repeated is refused") {
  const std::filesystem::path models = tests_folder() + "/golden/transformer";
  CHECK_THROWS_WITH(repeated(models / "bert-on", {.tokens = 4}), Contains("does not predict"));
  CHECK_THROWS_WITH(repeated(models / "llama-on", {.tokens = 1}), Contains("two or more"));
  CHECK_THROWS_WITH(repeated(models / "llama-on", {.tokens = 4, .first = 1000}),
                    Contains("first=1000"));
}

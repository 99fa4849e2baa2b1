#include "experiments/heads/patch.h"

#include <catch2/catch.hpp>

#include "core/errors.h"
#include "tests/heads/hand_built.h"
#include "tests/support/golden_file.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

PatchResult patched(const std::filesystem::path& path, const PatchRequest& request) {
  const auto length = static_cast<std::int64_t>(request.clean.tokens.size());
  LiveModel model(path, {.single = false, .length = length});
  SilentProgress progress;
  return patch_activations(model, request, progress);
}

double effect(const PatchResult& result, const std::string& quantity, std::size_t row,
              std::size_t column) {
  for (const PatchMap& map : result.maps)
    if (map.quantity == quantity) return map.effect[row * map.columns + column];
  FAIL("no " << quantity);
  return 0;
}

}  // namespace

TEST_CASE("By hand: the prediction comes from the token behind the earlier same one") {
  const TempFolder folder;
  const HandBuilt built(folder);
  // After 3 came 4, or 7 in the corrupted text.
  const ModelText clean{"clean", {0, 1, 2, 3, 4, 5, 3}},
      corrupted{"corrupted", {0, 1, 2, 3, 7, 5, 3}};
  const PatchResult result = patched(built.path(), {.clean = clean, .corrupted = corrupted});
  CHECK(result.answer == 4);
  CHECK(result.foil == 7);
  CHECK(result.clean_difference > 0);
  CHECK(result.corrupted_difference == Approx(-result.clean_difference));
  CHECK(effect(result, "hidden", 0, 4) == Approx(1).margin(1e-9));
  CHECK(effect(result, "hidden", 1, 4) == Approx(1).margin(1e-9));
  CHECK(effect(result, "hidden", 1, 6) == Approx(0).margin(1e-9));
  CHECK(effect(result, "attention", 1, 6) == Approx(1).margin(1e-9));
  CHECK(effect(result, "attention", 0, 4) == Approx(0).margin(1e-9));
  CHECK(effect(result, "feed_forward", 0, 4) == Approx(0).margin(1e-9));
  CHECK(effect(result, "head_output", 1, 0) == Approx(1).margin(1e-9));
  CHECK(effect(result, "head_output", 1, 1) == Approx(0).margin(1e-9));
  CHECK(effect(result, "head_output", 0, 1) == Approx(0).margin(1e-9));
}

TEST_CASE("Patching the whole stream at the last token is the corrupted run where all differ") {
  const auto tokens =
      golden("what_if.json").at("llama-on").at("tokens").get<std::vector<std::int32_t>>();
  std::vector<std::int32_t> other = tokens;
  other.back() = (other.back() + 5) % 48;
  const PatchResult result =
      patched(tests_folder() + "/golden/transformer/llama-on",
              {.clean = {"a", tokens}, .corrupted = {"b", other}, .answer = 3, .foil = 9});
  const std::size_t last = tokens.size() - 1;
  for (const std::size_t layer : {0U, 1U}) {
    CHECK(effect(result, "hidden", layer, last) == Approx(1).epsilon(1e-9));
    CHECK(effect(result, "hidden", layer, 0) == Approx(0).margin(1e-9));
  }
  CHECK(result.passes == 2 * (3 * static_cast<std::int64_t>(tokens.size()) + 4));
  CHECK(result.maps.size() == 4);
  CHECK(patch_ids(result).size() == 2 * tokens.size() + 2);
  CHECK(patch_ids(result).back() == 9);
}

TEST_CASE("Texts that cannot be patched are refused") {
  const std::filesystem::path path = tests_folder() + "/golden/transformer/llama-on";
  const auto refused = [&](const PatchRequest& request, const char* message) {
    CHECK_THROWS_WITH(patched(path, request), Contains(message));
  };
  refused({.clean = {"a", {1, 2, 3}}, .corrupted = {"b", {1, 2}}}, "3 clean and 2 corrupted");
  refused({.clean = {"a", {1, 2}}, .corrupted = {"b", {1, 2}}}, "nothing would differ");
  refused({.clean = {"a", {1, 2}}, .corrupted = {"b", {1, 3}}, .answer = 4, .foil = 4},
          "one token");
  refused({.clean = {"a", {1, 2}}, .corrupted = {"b", {1, 3}}, .answer = 48}, "answer=48");
}

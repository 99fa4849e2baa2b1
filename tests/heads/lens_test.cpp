#include "experiments/heads/lens.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/errors.h"
#include "tests/heads/hand_built.h"
#include "tests/support/golden_file.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

std::filesystem::path lens_model(const std::string& name) {
  return tests_folder() + "/golden/transformer/" + name;
}

Lens seen(const std::filesystem::path& path, const LensRequest& request) {
  const auto length = static_cast<std::int64_t>(request.text.tokens.size());
  LiveModel model(path, {.single = false, .length = length});
  SilentProgress progress;
  return logit_lens(model, request, progress);
}

}  // namespace

TEST_CASE("The lens has the losses by layer that Transformers' head gives its hidden states") {
  const auto reference = golden("what_if.json");
  for (const char* name : {"llama-on", "llama-off", "gemma2-on"}) {
    const auto& model = reference.at(name);
    const Lens lens = seen(lens_model(name),
                           {.text = {"a", model.at("tokens").get<std::vector<std::int32_t>>()}});
    const auto expected = model.at("lens").get<std::vector<std::vector<double>>>();
    REQUIRE(lens.states == expected.size());
    for (std::size_t s = 0; s < expected.size(); ++s)
      for (std::size_t t = 0; t < expected[s].size(); ++t) {
        CAPTURE(name, s, t);
        CHECK(lens.at(s, t).loss == Approx(expected[s][t]).epsilon(1e-11).margin(1e-14));
      }
    CHECK(std::isnan(lens.at(0, lens.text.tokens.size() - 1).loss));
  }
}

TEST_CASE("A model made by hand knows its prediction behind its last layer alone") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const Lens lens = seen(built.path(), {.text = {"by hand", HandBuilt::text()}, .next = 1});
  REQUIRE(lens.states == 3);
  for (std::size_t t = 6; t < 11; ++t) {
    CAPTURE(t);
    for (const std::size_t early : {0U, 1U})
      CHECK(lens.at(early, t).entropy == Approx(std::log(12.0)));
    CHECK(lens.at(2, t).entropy == Approx(0).margin(1e-9));
    CHECK(lens.at(2, t).ids.front() == (t == 10 ? 1 : static_cast<int>(t) - 4));
  }
  const Lens without = seen(
      built.path(), {.text = {"by hand", HandBuilt::text()}, .next = 1, .edits = {"zero:1.0"}});
  CHECK(without.at(2, 8).entropy == Approx(std::log(12.0)));
}

TEST_CASE("The lens keeps the most probable tokens of each state, and wants a head") {
  const Lens lens = seen(lens_model("llama-on"), {.text = {"a", {5, 17, 31, 2}}, .next = 3});
  CHECK(lens.states == 3);
  REQUIRE(lens.cells.size() == 12);
  for (const LensCell& cell : lens.cells) {
    CHECK(cell.ids.size() == 3);
    CHECK(cell.probabilities[0] >= cell.probabilities[2]);
  }
  CHECK_THROWS_WITH(seen(lens_model("bert-bare"), {.text = {"a", {1, 2}}}), Contains("no head"));
}

TEST_CASE("The lens counts what it holds before it begins") {
  const LiveModel model(tests_folder() + "/golden/transformer/llama-on", {.single = false});
  const LensRequest few{.text = {"a", {5, 17}}, .next = 3},
      more{.text = {"a", {5, 17, 31, 2}}, .next = 3};
  const auto states = static_cast<std::uint64_t>(model.layers()) + 1;
  // Each token: a state of 8 bytes a channel, and a cell, in front of every layer and behind the last.
  const std::uint64_t of_two = lens_bytes(model, more) - lens_bytes(model, few);
  const std::uint64_t cell = sizeof(LensCell) + 3 * (sizeof(double) + sizeof(std::int32_t));
  CHECK(of_two == 2 * states * (model.bytes_of_states(1, 1) + cell));
  CHECK(model.bytes_of_states(1, 1) == 8 * 16);
}

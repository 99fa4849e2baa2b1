#include "experiments/heads/needle.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/errors.h"
#include "experiments/heads/model_run.h"
#include "tests/heads/hand_built.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

NeedleTable found(const std::filesystem::path& path, const NeedleRequest& request,
                  int threads = 1) {
  LiveModel model(path, {.single = false, .threads = threads, .length = 40});
  SilentProgress progress;
  return find_needles(model, request, progress);
}

/// A text of the tokens 1 … 8.
ModelText eight_tokens() {
  ModelText text{.name = "eight tokens"};
  for (int i = 0; i < 40; ++i) text.tokens.push_back(1 + (i * 3 + i / 8) % 8);
  return text;
}

NeedleRequest by_hand(std::vector<std::string> edits = {}) {
  return {.texts = {eight_tokens()},
          .lengths = {8, 16, 32},
          .depths = 4,
          .draws = 3,
          .key = 1,
          .value = 1,
          .seed = 7,
          .first = 0,
          .edits = std::move(edits)};
}

}  // namespace

TEST_CASE("A model that copies by hand finds a needle at every depth of every length") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const NeedleTable table = found(built.path(), by_hand());
  REQUIRE(table.cells.size() == 12);
  CHECK(table.depths == std::vector<double>{0, 1 / 3.0, 2 / 3.0, 1});
  CHECK(table.passes == 3 * 3 * 5);
  for (const NeedleCell& cell : table.cells) {
    CAPTURE(cell.length, cell.depth);
    CHECK(cell.retrieved == Approx(1));
    CHECK(cell.loss == Approx(0).margin(1e-9));
    CHECK(cell.gain.difference > 2);
  }
  CHECK(table.gain.low > 2);
}

TEST_CASE("The gain of all cells is the mean of theirs, with the spread of the draws") {
  NeedleRequest request = by_hand({"zero:1.0"});
  const TempFolder folder;
  const HandBuilt built(folder);
  CHECK(std::isnan(found(built.path(), request).gain.low));  // all draws alike: no spread is known
  request = {.texts = {eight_tokens()}, .lengths = {8, 16}, .depths = 3, .draws = 4, .seed = 3};
  const NeedleTable table = found(tests_folder() + "/golden/transformer/llama-on", request);
  double sum = 0;
  for (const NeedleCell& cell : table.cells) sum += cell.gain.difference;
  CHECK(table.gain.difference == Approx(sum / 6));
  CHECK(table.gain.low < table.gain.difference);
  CHECK(table.gain.high - table.gain.difference == Approx(table.gain.difference - table.gain.low));
}

TEST_CASE("Without what copies, nothing is found, and within a window what lies in it") {
  const TempFolder folder;
  const HandBuilt built(folder);
  for (const NeedleCell& cell : found(built.path(), by_hand({"zero:1.0"})).cells) {
    CHECK(cell.retrieved == 0);
    CHECK(cell.loss == Approx(std::log(12.0)));
    CHECK(cell.gain.difference == Approx(0).margin(1e-9));
  }
  const NeedleTable windowed = found(built.path(), by_hand({"window:6@1"}));
  for (std::size_t l = 1; l < 3; ++l) {
    CHECK(windowed.at(l, 0).retrieved == 0);
    CHECK(windowed.at(l, 1).retrieved == 0);
    CHECK(windowed.at(l, 3).retrieved == Approx(1));
  }
}

TEST_CASE("The loss of an answer is that of a pass over the fact in the text, and the question") {
  const std::filesystem::path path = tests_folder() + "/golden/transformer/llama-on";
  const std::vector<std::int32_t> text = {9, 40, 3, 8, 31, 6, 4, 20};
  const Needle needle{.fact = {5, 17}, .question = {5, 2}, .answer = {17, 12}};
  const NeedleTable table = found(
      path,
      {.texts = {{"eight", text}}, .lengths = {10}, .depths = 3, .draws = 1, .needle = {needle}});
  const std::vector<std::int32_t> contexts[] = {{5, 17, 9, 40, 3, 8, 31, 6, 5, 2, 17, 12},
                                                {9, 40, 3, 5, 17, 8, 31, 6, 5, 2, 17, 12},
                                                {9, 40, 3, 8, 31, 6, 5, 17, 5, 2, 17, 12}};
  ModelRun<double> run(path, {.length = 12});
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<double> losses = run.edited_losses({}, contexts[d]);
    CHECK(table.at(0, d).loss == Approx((losses[9] + losses[10]) / 2).epsilon(1e-12));
  }
  CHECK(table.at(0, 1).depth == 0.5);
  CHECK(std::isnan(table.at(0, 1).gain.low));  // one draw has no spread
}

TEST_CASE("Needles are the same with any number of threads") {
  const std::filesystem::path path = tests_folder() + "/golden/transformer/gemma2-on";
  NeedleRequest request = by_hand();
  request.lengths = {12};
  const NeedleTable one = found(path, request, 1), three = found(path, request, 3);
  REQUIRE(one.cells.size() == three.cells.size());
  for (std::size_t i = 0; i < one.cells.size(); ++i) {
    CHECK(one.cells[i].losses == three.cells[i].losses);
    CHECK(one.cells[i].gain.difference == three.cells[i].gain.difference);
  }
}

TEST_CASE("Needles that have no place are refused") {
  const std::filesystem::path models = tests_folder() + "/golden/transformer";
  NeedleRequest request = by_hand();
  CHECK_THROWS_WITH(found(models / "bert-on", request), Contains("does not predict"));
  request.lengths = {64};
  CHECK_THROWS_WITH(found(models / "llama-on", request), Contains("give a longer text"));
  request.lengths = {3};
  CHECK_THROWS_WITH(found(models / "llama-on", request), Contains("length 3"));
  request.lengths = {8};
  request.key = 2000;
  CHECK_THROWS_WITH(found(models / "llama-on", request), Contains("not in the texts"));
}

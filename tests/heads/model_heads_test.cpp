#include "experiments/heads/model_heads.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/errors.h"
#include "experiments/checkpoints/forward_pass.h"
#include "tests/heads/hand_built.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// Weights that a softmax leaves on other keys.
constexpr double softmax_rest = 1e-9;

HeadTable table_of(const std::filesystem::path& path, const HeadsRequest& request, int threads = 1,
                   bool single = false) {
  LiveModel model(path, {.single = single, .threads = threads});
  SilentProgress progress;
  return measure_heads(model, request, progress);
}

double score(const HeadRow& row, const char* key) { return row.scores[score_number(key)]; }

std::filesystem::path small_model(const char* name) {
  return tests_folder() + "/golden/transformer/" + name;
}

}  // namespace

TEST_CASE("Heads made by hand have the score 1 in what they do, and 0 in the rest") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const HeadTable table =
      table_of(built.path(), {.texts = {{"by hand", HandBuilt::text()}}, .repeated = 0});
  REQUIRE(table.rows.size() == 4);
  const HeadRow &previous = table.rows[0], &duplicate = table.rows[1], &induction = table.rows[2],
                &uniform = table.rows[3];
  CHECK(score(previous, "previous") == Approx(1).margin(softmax_rest));
  CHECK(score(previous, "induction") == Approx(0).margin(softmax_rest));
  CHECK(score(previous, "entropy") == Approx(0).margin(softmax_rest));
  CHECK(score(previous, "mean_distance") == Approx(1).margin(softmax_rest));
  CHECK(score(previous, "distance_r2") == Approx(1).margin(softmax_rest));
  CHECK(previous.strongest_distance == 1);
  CHECK(score(induction, "induction") == Approx(1).margin(softmax_rest));
  CHECK(score(induction, "duplicate") == Approx(0).margin(softmax_rest));
  // A token that came before shares its weight with itself.
  CHECK(score(duplicate, "duplicate") == Approx(0.5).margin(softmax_rest));
  CHECK(score(duplicate, "self") == Approx(0.75).margin(softmax_rest));
  CHECK(score(uniform, "entropy") == Approx(1).margin(softmax_rest));
  CHECK(std::isnan(score(uniform, "distance_r2")));
  CHECK(table.queries == 10);
  CHECK(table.induction_queries == 5);
}

TEST_CASE("A head made of one pair of RoPE has its share 1, one of still pairs none of it") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const HeadTable table =
      table_of(built.path(), {.texts = {{"by hand", HandBuilt::text()}}, .repeated = 0});
  const std::vector<double>& previous = table.rows[0].pair_shares;
  REQUIRE(previous.size() == 64);
  CHECK(previous[0] == Approx(1).margin(1e-9));
  CHECK(band_shares(table.rows[0])[0] == Approx(1).margin(1e-9));
  for (std::size_t t = 1; t < previous.size(); ++t) CHECK(previous[t] == Approx(0).margin(1e-9));
  CHECK(table.rows[2].pair_shares[0] == Approx(0).margin(1e-9));
}

TEST_CASE("Even texts choose heads, odd ones test them, and one text names none") {
  const TempFolder folder;
  const HandBuilt built(folder);
  std::vector<std::int32_t> other = {0, 6, 7, 8, 9, 6, 7, 8, 9};
  const HeadTable table = table_of(built.path(), {.texts = {{"a", HandBuilt::text()}, {"b", other}},
                                                  .repeated = 4,
                                                  .repeats = 2,
                                                  .chosen = 2});
  REQUIRE(table.choices.size() == score_kinds().size());
  const ScoreChoice& induction = table.choices[score_number("induction")];
  REQUIRE(induction.heads.size() == 2);
  CHECK(induction.heads[0].layer == 1);
  CHECK(induction.heads[0].head == 0);
  CHECK(induction.heads[0].tested == Approx(1).margin(softmax_rest));
  CHECK(induction.heads[0].chosen_by >= induction.heads[1].chosen_by);
  CHECK(table.rows[2].repeated[score_number("induction")] > 0.4);
  const HeadTable one =
      table_of(built.path(), {.texts = {{"a", HandBuilt::text()}}, .repeated = 0});
  CHECK(one.choices.empty());
  CHECK(one.rows[0].repeated.empty());
}

namespace {

/// All numbers of a head, NaN as text among them.
std::string numbers_of(const HeadRow& row) {
  std::string text;
  for (const auto* numbers : {&row.scores, &row.without_first, &row.repeated, &row.by_distance,
                              &row.by_distance_without_first, &row.pair_shares})
    for (const double number : *numbers) text += number_text(number) + " ";
  return text;
}

}  // namespace

TEST_CASE("The scores of a model are the same with any number of threads") {
  const std::vector<ModelText> texts = {{"a", {5, 17, 31, 2, 5, 17, 40, 31}},
                                        {"b", {3, 3, 9, 3, 9, 1}}};
  HeadsRequest request{.texts = texts, .repeated = 6, .repeats = 2, .seed = 3};
  for (const char* name : {"bert-on", "gpt2-on", "llama-on", "gemma2-on", "bloom-on"}) {
    CAPTURE(name);
    // Of several parts of rows, where no position ends before.
    if (name == std::string("llama-on"))
      for (std::int32_t i = 0; i < 120; ++i) request.texts[1].tokens.push_back(i * i % 41);
    const HeadTable one = table_of(small_model(name), request, 1, true);
    const HeadTable three = table_of(small_model(name), request, 3, true);
    REQUIRE(one.rows.size() == three.rows.size());
    for (std::size_t h = 0; h < one.rows.size(); ++h)
      CHECK(numbers_of(one.rows[h]) == numbers_of(three.rows[h]));
  }
}

TEST_CASE("The pairs of RoPE share the variance of the logits out, and scores have their places") {
  const std::vector<std::int32_t> tokens = {5, 17, 31, 2, 5, 17, 40, 31};
  const HeadTable table =
      table_of(small_model("llama-on"), {.texts = {{"a", tokens}}, .repeated = 0});
  REQUIRE(table.rows.size() == 8);
  CHECK(table.rows[5].layer == 1);
  CHECK(std::isnan(table.rows[5].without_first[score_number("first")]));
  for (const HeadRow& row : table.rows) {
    double sum = 0;
    for (const double share : row.pair_shares) sum += share;
    CHECK(sum == Approx(1).epsilon(1e-9));  // without a bias the pairs are all that there is
  }
  for (const HeadRow& row : table.rows) {
    CHECK(row.scores.size() == score_kinds().size());
    CHECK(row.by_distance.size() == 4);
    CHECK(row.pair_shares.size() == 4);
  }
}

TEST_CASE("An encoder-decoder, and a score that there is not, are refused") {
  CHECK_THROWS_WITH(LiveModel(small_model("t5-on"), {}), Contains("two texts"));
  CHECK_THROWS_WITH(score_number("inducton"), Contains("did you mean induction?"));
}

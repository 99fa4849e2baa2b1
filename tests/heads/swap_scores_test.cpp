#include "core/analysis/head_scores.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "core/errors.h"
#include "experiments/heads/model_heads.h"
#include "experiments/heads/model_run.h"
#include "tests/heads/hand_built.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

std::filesystem::path swap_model(const char* name) {
  return tests_folder() + "/golden/transformer/" + name;
}

/// Maps of a layer's heads by quantity.
using Seen = std::map<std::pair<Quantity, int>, Matrix<double>>;

Seen logits_of_layer(ModelRun<double>& run, int layer, const std::vector<std::int32_t>& tokens,
                     std::span<const Index> moved) {
  Seen seen;
  run.pass(tokens, {.probe = {.wants =
                                  [layer](const Site& site) {
                                    return site.layer == layer &&
                                           (site.quantity == Quantity::logits ||
                                            site.quantity == Quantity::moved_logits);
                                  },
                              .see =
                                  [&](const Site& site, Index first, const MatrixIn<double>& rows) {
                                    Matrix<double>& map = seen[{site.quantity, site.head}];
                                    map.conservativeResize(first + rows.rows(), rows.cols());
                                    map.bottomRows(rows.rows()) = rows;
                                  }},
                    .moved_keys = moved});
  return seen;
}

double place_of(const HeadRow& row) { return row.scores[score_number("place")]; }

/// The share of places of logits p_ij + c_ij, of which contents move.
double share_of_sum(double size_of_places, double size_of_contents) {
  constexpr Index n = 40;
  Random random(3, "places and contents");
  const Matrix<double> places = normal_matrix<double>(random, n, n, size_of_places),
                       contents = normal_matrix<double>(random, n, n, size_of_contents);
  const std::vector<Index> partners = random_partners(random, n);
  Matrix<double> moved = places;
  for (Index j = 0; j < n; ++j) moved.col(j) += contents.col(partners[static_cast<std::size_t>(j)]);
  const Positions at = consecutive_positions(n);
  const Mask mask = Mask::causal(at, at);
  SwapScoreSums<double> sums;
  sums.begin(partners, mask);
  sums.add_rows(0, places + contents, moved);
  return sums.place_share();
}

}  // namespace

TEST_CASE("Each key but the odd one has a partner, and is its partner's") {
  Random random(0, "partners");
  for (const Index n : {0, 1, 2, 7, 20}) {
    const std::vector<Index> partners = random_partners(random, n);
    REQUIRE(static_cast<Index>(partners.size()) == n);
    Index alone = 0;
    for (Index j = 0; j < n; ++j) {
      const Index other = partners[static_cast<std::size_t>(j)];
      CHECK(partners[static_cast<std::size_t>(other)] == j);
      alone += other == j ? 1 : 0;
    }
    CHECK(alone == n % 2);
  }
}

TEST_CASE("Logits of places alone have the share 1, of contents alone 0, of both their squares'") {
  CHECK(share_of_sum(1, 0) == 1);
  CHECK(share_of_sum(0, 1) == 0);
  CHECK(share_of_sum(1, 1) == Approx(0.5).margin(0.1));
  CHECK(share_of_sum(3, 1) == Approx(0.9).margin(0.05));
  CHECK(std::isnan(share_of_sum(0, 0)));
}

TEST_CASE("Heads made by hand go with places or with contents alone") {
  const TempFolder folder;
  const HandBuilt built(folder);
  for (const bool single : {true, false}) {
    LiveModel model(built.path(), {.single = single});
    SilentProgress progress;
    const HeadTable table =
        measure_heads(model, {.texts = {{"by hand", HandBuilt::text()}}, .repeated = 0}, progress);
    CHECK(place_of(table.rows[0]) == Approx(1).margin(1e-6));
    CHECK(place_of(table.rows[1]) == Approx(0).margin(1e-6));
    CHECK(place_of(table.rows[2]) == Approx(0).margin(1e-6));
    CHECK(std::isnan(place_of(table.rows[3])));
    CHECK(table.rows[0].without_first[score_number("place")] == Approx(1).margin(1e-6));
  }
}

TEST_CASE("Keys that change contents give the first layer's logits of a text with both exchanged") {
  const std::vector<std::int32_t> text = {5, 17, 31, 2, 40, 9, 8, 12, 3};
  std::vector<std::int32_t> exchanged = text;
  std::swap(exchanged[2], exchanged[6]);
  std::vector<Index> partners = {0, 1, 6, 3, 4, 5, 2, 7, 8};
  for (const char* name :
       {"llama-on", "gemma2-on", "bloom-on", "qwen3-on", "olmo2-on", "gpt_neox-on", "falcon-alibi",
        "modernbert-on", "deberta_v2-on", "transfo_xl-on"}) {
    CAPTURE(name);
    ModelRun<double> run(swap_model(name), {.single = false});
    const Seen moved = logits_of_layer(run, 0, text, partners);
    const Seen expected = logits_of_layer(run, 0, exchanged, {});
    for (int head = 0; head < run.head_count(); ++head)
      for (const Index query : {7, 8})
        for (Index key = 0; key <= query; ++key) {
          CAPTURE(head, query, key);
          const double logit = expected.at({Quantity::logits, head})(query, key);
          if (std::isinf(logit)) continue;  // outside of a window
          CHECK(moved.at({Quantity::moved_logits, head})(query, key) ==
                Approx(logit).epsilon(1e-12).margin(1e-12));
        }
  }
}

TEST_CASE("Moved keys leave the pass as it is, and none of them is beyond the text") {
  ModelRun<double> run(swap_model("llama-on"), {.single = false});
  const std::vector<std::int32_t> text = {5, 17, 31, 2};
  const std::vector<Index> partners = {3, 2, 1, 0}, beyond = {3, 2, 1, 4}, few = {1, 0};
  CHECK(run.pass(text, {.moved_keys = partners}) == run.pass(text));
  CHECK_THROWS_WITH(run.pass(text, {.moved_keys = beyond}), Contains("4 moved keys"));
  CHECK_THROWS_WITH(run.pass(text, {.moved_keys = few}), Contains("2 moved keys"));
}

TEST_CASE("Where positions are added at the embedding, contents carry them and no share is told") {
  LiveModel model(swap_model("gpt2-on"), {.single = false});
  SilentProgress progress;
  const HeadTable table =
      measure_heads(model, {.texts = {{"a", {5, 17, 31, 2, 5, 17}}}, .repeated = 0}, progress);
  for (const HeadRow& row : table.rows) CHECK(std::isnan(place_of(row)));
}

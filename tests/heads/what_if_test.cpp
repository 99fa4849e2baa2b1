#include "experiments/heads/what_if.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <sstream>

#include "core/errors.h"
#include "core/transformer/pass_edits.h"
#include "experiments/heads/model_run.h"
#include "tests/heads/hand_built.h"
#include "tests/support/golden_file.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

using Tokens = std::vector<std::int32_t>;

/// Sums in another order than PyTorch's, in fp64.
constexpr double order_bound = 1e-11;

std::filesystem::path golden_model(const std::string& name) {
  return tests_folder() + "/golden/transformer/" + name;
}

WhatIf asked(const std::filesystem::path& path, const WhatIfRequest& request) {
  const auto length = static_cast<std::int64_t>(request.texts.front().tokens.size());
  LiveModel model(path, {.single = false, .length = length});
  SilentProgress progress;
  return what_if(model, request, progress);
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> all;
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

void check_losses(const std::vector<double>& computed, const std::vector<double>& expected) {
  REQUIRE(computed.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(computed[i] == Approx(expected[i]).epsilon(order_bound));
}

}  // namespace

TEST_CASE("Edited models lose what Transformers' edited models lose, token by token") {
  const auto reference = golden("what_if.json");
  for (const char* name : {"llama-on", "llama-off", "gemma2-on"}) {
    const auto& model = reference.at(name);
    const auto tokens = model.at("tokens").get<Tokens>();
    const Tokens corpus = model.value("corpus", Tokens{});
    REQUIRE(!model.at("edits").empty());
    for (const auto& [edits, losses] : model.at("edits").items()) {
      CAPTURE(name, edits);
      WhatIfRequest request{.edits = words(edits), .texts = {{"a", tokens}}};
      if (!corpus.empty()) request.corpus = {{"c", corpus}};
      const WhatIf result = asked(golden_model(name), request);
      check_losses(result.texts.front().before, model.at("loss").get<std::vector<double>>());
      check_losses(result.texts.front().after, losses.get<std::vector<double>>());
    }
  }
}

TEST_CASE("A patched stream gives the losses that it gives in Transformers") {
  const auto reference = golden("what_if.json");
  for (const char* name : {"llama-on", "llama-off"}) {
    CAPTURE(name);
    const auto& model = reference.at(name);
    const auto& patch = model.at("patch");
    const auto tokens = model.at("tokens").get<Tokens>(), from = patch.at("from").get<Tokens>();
    ModelRun<double> run(golden_model(name),
                         {.single = false, .length = static_cast<std::int64_t>(tokens.size())});
    const int layer = patch.at("layer").get<int>();
    Matrix<double> state;
    run.pass(from, {.probe = {.wants =
                                  [&](const Site& site) {
                                    return site.quantity == Quantity::hidden && site.layer == layer;
                                  },
                              .see = [&](const Site&, Index,
                                         const MatrixIn<double>& rows) { state = rows; }}});
    Patch<double> rows{.site = {Quantity::hidden, layer}};
    for (const auto& token : patch.at("tokens")) rows.tokens.push_back(token.get<Index>());
    rows.rows.resize(static_cast<Index>(rows.tokens.size()), state.cols());
    for (std::size_t i = 0; i < rows.tokens.size(); ++i)
      rows.rows.row(static_cast<Index>(i)) = state.row(rows.tokens[i]);
    PassEdits<double> edits;
    edits.patches.push_back(rows);
    check_losses(run.losses({}, run.pass(tokens, {.edits = &edits}), tokens),
                 patch.at("loss").get<std::vector<double>>());
  }
}

TEST_CASE("Known defects that are a setting of RoPE are that edit") {
  const auto tokens = golden("what_if.json").at("llama-off").at("tokens").get<Tokens>();
  const auto losses = [&](const std::string& edit) {
    return asked(golden_model("llama-off"), {.edits = {edit}, .texts = {{"a", tokens}}})
        .texts.front()
        .after;
  };
  check_losses(losses("defect:not_rotated"), losses("no_position"));
  check_losses(losses("defect:wrong_pairing"), losses("pairing:interleaved"));
  check_losses(losses("defect:clockwise"), losses("sign"));
}

TEST_CASE("Without the head that predicts, a model made by hand predicts nothing") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const WhatIf result = asked(
      built.path(), {.edits = {"zero:1.0"}, .texts = {{"by hand", HandBuilt::text()}}, .next = 2});
  CHECK(result.first_layer == 1);
  const TextEffect& text = result.texts.front();
  for (std::size_t i = 0; i < text.after.size(); ++i) {
    CAPTURE(i);
    CHECK(text.after[i] == Approx(std::log(12.0)).epsilon(1e-12));
    if (i >= 6) CHECK(text.before[i] == Approx(0).margin(1e-9));
  }
  CHECK(text.next.front().id == 1);
  CHECK(text.next.front().before == Approx(1).margin(1e-9));
  CHECK(text.next.front().after == Approx(1.0 / 12));
  for (const HeadChange& head : result.changes) CHECK(head.change == 0);  // its map stays
}

TEST_CASE("Without the pair that tells the token before, induction is lost as well") {
  const TempFolder folder;
  const HandBuilt built(folder);
  const WhatIf result =
      asked(built.path(), {.edits = {"still:0@0"}, .texts = {{"by hand", HandBuilt::text()}}});
  CHECK(result.first_layer == 0);
  REQUIRE(result.changes.size() == 4);
  CHECK(result.changes[0].change > 0.5);
  CHECK(result.changes[1].change == Approx(0).margin(1e-12));
  CHECK(result.changes[2].change > 0.3);
  CHECK(result.after > result.before + 0.5);
  const WhatIf kept =
      asked(built.path(), {.edits = {"still:1..63"}, .texts = {{"by hand", HandBuilt::text()}}});
  CHECK(kept.after == Approx(kept.before).epsilon(1e-9));
}

TEST_CASE("Losses come with the logits behind the last token, bit by bit") {
  ModelRun<double> run(golden_model("llama-on"), {.length = 6});
  const std::vector<std::int32_t> tokens = {9, 40, 3, 8, 31, 6};
  const Matrix<double> hidden = run.pass(tokens);
  Matrix<double> last;
  CHECK(run.losses({}, hidden, tokens, &last) == run.losses({}, hidden, tokens));
  CHECK(last == run.logits({}, hidden).bottomRows(1));
}

TEST_CASE("A pass that ends in front of a layer has the residual stream there") {
  const std::filesystem::path path = tests_folder() + "/golden/transformer/llama-on";
  const std::vector<std::int32_t> tokens = {9, 40, 3, 8, 31, 6};
  ModelRun<double> run(path, {.length = 6});
  const Matrix<double> whole = run.pass(tokens), half = run.pass(tokens, {.end_layer = 1});
  CHECK(run.pass(tokens, {.hidden = &half, .first_layer = 1}) == whole);
  CHECK(run.pass(tokens, {.end_layer = 0}).rows() == 6);
  CHECK_THROWS_WITH(run.pass(tokens, {.end_layer = 3}), Contains("the model has 2 layers"));
  CHECK_THROWS_WITH(run.pass(tokens, {.hidden = &half, .first_layer = 1, .end_layer = 0}),
                    Contains("end behind the first"));
}

TEST_CASE("A pass that goes on from a layer gives the bits of the whole one") {
  const auto tokens = golden("what_if.json").at("llama-on").at("tokens").get<Tokens>();
  const WhatIf late =
      asked(golden_model("llama-on"), {.edits = {"positions:shift=0@1"}, .texts = {{"a", tokens}}});
  CHECK(late.first_layer == 1);
  CHECK(late.texts.front().before == late.texts.front().after);
  for (const HeadChange& head : late.changes) CHECK(head.change == 0);
}

TEST_CASE("Maps before and after are those whose difference is the change of their head") {
  const auto tokens = golden("what_if.json").at("llama-on").at("tokens").get<Tokens>();
  const WhatIf result = asked(golden_model("llama-on"),
                              {.edits = {"base:37@1"}, .texts = {{"a", tokens}}, .maps = {"1.2"}});
  REQUIRE(result.maps.size() == 2);
  CHECK(result.maps[0].name == "map_before.1.2");
  CHECK(result.maps[1].name == "map_after.1.2");
  double sum = 0;
  for (std::size_t i = 0; i < result.maps[0].size(); ++i)
    sum += 0.5 * std::abs(result.maps[0][i] - result.maps[1][i]);
  CHECK(result.changes[2].change == Approx(sum / static_cast<double>(tokens.size())));
  CHECK(result.changes[2].change > 0.001);
}

namespace {

/// Losses and changes of heads, one after another.
Array numbers_of(const WhatIf& result) {
  std::vector<double> numbers;
  for (const TextEffect& text : result.texts)
    for (const auto* losses : {&text.before, &text.after})
      numbers.insert(numbers.end(), losses->begin(), losses->end());
  for (const HeadChange& head : result.changes) numbers.push_back(head.change);
  return {.name = "numbers", .values = std::move(numbers)};
}

}  // namespace

TEST_CASE("Texts give the difference a spread, and one text does not") {
  const Tokens a = {5, 17, 31, 2, 5, 17}, b = {9, 8, 40, 9, 8, 40}, c = {1, 2, 3, 4, 5, 6};
  const WhatIf result =
      asked(golden_model("llama-on"), {.edits = {"sign"}, .texts = {{"a", a}, {"b", b}, {"c", c}}});
  double sum = 0;
  for (const TextEffect& text : result.texts)
    for (std::size_t i = 0; i < text.before.size(); ++i) sum += text.after[i] - text.before[i];
  CHECK(result.difference.difference == Approx(sum / 15));
  CHECK(result.difference.low < result.difference.difference);
  CHECK(result.difference.degrees == 2);
  for (std::size_t h = 0; h < result.changes.size(); ++h) {
    std::vector<double> each;
    for (const Tokens& tokens : {a, b, c})
      each.push_back(
          asked(golden_model("llama-on"), {.edits = {"sign"}, .texts = {{"one", tokens}}})
              .changes[h]
              .change);
    const HeadChange& change = result.changes[h];
    CHECK(change.change == Approx((each[0] + each[1] + each[2]) / 3));
    std::sort(each.begin(), each.end());
    CHECK(change.least == Approx(each.front()));
    CHECK(change.greatest == Approx(each.back()));
  }
  const WhatIf one = asked(golden_model("llama-on"), {.edits = {"sign"}, .texts = {{"a", a}}});
  CHECK(std::isnan(one.difference.low));
  CHECK(one.edits == std::vector<std::string>{"sign"});
}

TEST_CASE("What cannot be asked is refused") {
  const std::vector<ModelText> texts = {{"a", {5, 17, 31}}};
  const auto refused = [&](const char* model, const char* edit, const char* message) {
    CAPTURE(model, edit);
    CHECK_THROWS_WITH(asked(golden_model(model), {.edits = {edit}, .texts = texts}),
                      Contains(message));
  };
  refused("bloom-on", "base:500", "changes nothing in this model");
  refused("bloom-on", "base:500@0", "which layer 0 does not have");
  refused("llama-on", "defect:no_such", "no_such");
  refused("llama-on", "corpus_mean:0.1", "needs a corpus");
  refused("llama-on", "zero:0.9", "head 0.9");
  refused("llama-on", "still:9", "has 4 pairs");
  refused("gpt2-on", "sign", "changes nothing");
  CHECK_THROWS_WITH(
      asked(golden_model("llama-on"), {.edits = {"sign"}, .texts = texts, .maps = {"7.0"}}),
      Contains("head 7.0"));
}

TEST_CASE("Models that look both ways have no loss, and their heads change all the same") {
  const WhatIf result =
      asked(golden_model("roformer-on"), {.edits = {"sign"}, .texts = {{"a", {5, 17, 31, 2}}}});
  CHECK(result.texts.front().before.empty());
  CHECK(std::isnan(result.before));
  CHECK(result.changes.front().change > 0);
}

TEST_CASE("What edits do is the same with any number of threads") {
  Tokens longer;
  for (std::int32_t i = 0; i < 120; ++i) longer.push_back(i * i % 41);
  const std::vector<ModelText> texts = {{"a", longer}, {"b", {5, 17, 31, 2, 5, 17}}};
  for (const bool edited : {false, true})
    for (const bool keeps : {false, true}) {
      WhatIfRequest request{.edits = {},
                            .texts = texts,
                            .maps = {"1.0"},
                            .keeps_pass = keeps,
                            .cells = 8,
                            .terms = "1.0"};
      if (keeps) request.texts.pop_back();
      if (edited) request.edits = {"base:500"};
      std::vector<std::vector<Array>> arrays;
      for (const int threads : {1, 3}) {
        LiveModel model(golden_model("llama-on"), {.threads = threads, .length = 120});
        SilentProgress progress;
        WhatIf result = what_if(model, request, progress);
        arrays.push_back(result.maps);
        arrays.back().push_back(numbers_of(result));
        arrays.back().push_back(result.small_maps);
        for (const HeadTerm& term : result.terms.value().terms)
          arrays.back().push_back(term.logits);
      }
      REQUIRE(arrays[0].size() == arrays[1].size());
      REQUIRE(arrays[0].size() > 4);
      for (std::size_t a = 0; a < arrays[0].size(); ++a) {
        CAPTURE(arrays[0][a].name);
        CHECK(arrays[0][a].values == arrays[1][a].values);
      }
    }
}

TEST_CASE("Without edits the small maps are those of a pass that was kept") {
  Tokens tokens;
  for (std::int32_t i = 0; i < 100; ++i) tokens.push_back(i * i % 41);
  WhatIfRequest request{
      .edits = {}, .texts = {{"a", tokens}}, .maps = {"0.1"}, .keeps_pass = true, .cells = 7};
  const WhatIf kept = asked(golden_model("llama-on"), request);
  request.keeps_pass = false;
  const WhatIf streamed = asked(golden_model("llama-on"), request);
  CHECK(kept.small_maps.values == streamed.small_maps.values);
  REQUIRE(kept.maps.size() == 2);
  REQUIRE(streamed.maps.size() == 2);
  CHECK(kept.maps[0].values == streamed.maps[0].values);
}

TEST_CASE("A pass ends between two layers once it is to stop, and the next one is whole") {
  struct Impatient : SilentProgress {
    bool stop_requested() const override { return ++asked_ > patience; }
    int patience{2};
    mutable int asked_{0};
  };
  LiveModel model(golden_model("llama-on"), {.single = false});
  const WhatIfRequest request{
      .edits = {"base:500"}, .texts = {{"a", {5, 17, 31, 2, 5, 17}}}, .keeps_pass = true};
  Impatient impatient;
  CHECK_THROWS_AS(what_if(model, request, impatient), Stopped);
  CHECK(impatient.asked_ == 3);  // in front of the text, of layer 0, and of layer 1
  SilentProgress progress;
  const WhatIf after = what_if(model, request, progress);
  CHECK(after.after == asked(golden_model("llama-on"), request).after);
}

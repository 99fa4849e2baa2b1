// model_heads as an experiment, against PyTorch's weights and logits, and the model made by hand.
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "core/errors.h"
#include "experiments/data/load_inputs.h"
#include "experiments/heads/what_if.h"
#include "experiments/studies/catalogue.h"
#include "tests/heads/hand_built.h"
#include "tests/support/experiment_run.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

/// Sums in another order than PyTorch's, in fp64.
constexpr double order_bound = 1e-11;

ParamSet heads_params(const Settings& settings) {
  return params_for(find_experiment("model_heads"), settings);
}

Result heads_of(const Settings& settings) {
  const ParamSet params = heads_params(settings);
  SilentProgress progress;
  return find_experiment("model_heads").run(params, load_inputs(params).inputs, progress);
}

std::string golden_llama() { return tests_folder() + "/golden/transformer/llama-on"; }

/// Its text in fp64.
Settings of_golden(Settings more) {
  Settings settings{{"model", golden_llama()},
                    {"tokens", golden_llama() + "/expected.npz#tokens"},
                    {"precision", "exact"}};
  for (auto& setting : more) settings.push_back(std::move(setting));
  return settings;
}

/// An array of its expected.npz.
Tensor expected(const std::string& name) {
  ParamSet params = heads_params({{"tokens", golden_llama() + "/expected.npz#" + name}});
  params.set("model", "");
  return std::get<Tensor>(load_inputs(params).inputs.at("tokens"));
}

}  // namespace

TEST_CASE("A head's map and the loss are those of PyTorch") {
  const Result result = heads_of(of_golden({{"layer", "1"}, {"head", "2"}}));
  const Array& weights = array(result, "weights");
  const Tensor of_torch = expected("weights.1");
  const std::size_t n = weights.shape.at(0);
  for (std::size_t i = 0; i < n * n; ++i)
    CHECK(std::abs(weights[i] - of_torch.values.at(2 * n * n + i)) <= order_bound);

  const Tensor logits = expected("vocab_logits"), tokens = expected("tokens");
  const std::size_t vocabulary = logits.shape.at(1);
  double loss = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    double sum = 0;
    for (std::size_t v = 0; v < vocabulary; ++v)
      sum += std::exp(logits.values.at(i * vocabulary + v));
    const auto next = static_cast<std::size_t>(tokens.values.at(i + 1));
    loss += std::log(sum) - logits.values.at(i * vocabulary + next);
  }
  CHECK(std::abs(scalar(result, "loss") - loss / static_cast<double>(n - 1)) <= order_bound);
}

TEST_CASE("The maps of a head's pairs are PyTorch's products of their channels") {
  // Four pairs, halves apart: pair t has the channels t and t + 4. Head 2 shares the keys of head 3.
  constexpr std::size_t head = 2, kv_head = 1, d = 8, pairs = 4;
  const Tensor q = expected("q.1"), k = expected("k.1");
  const std::size_t n = q.shape.at(1);
  for (const Settings& edit : {Settings{}, Settings{{"edits", "base"}, {"new_base", "100"}}}) {
    Settings settings{{"layer", "1"}, {"head", "2"}};
    settings.insert(settings.end(), edit.begin(), edit.end());
    const Result result = heads_of(of_golden(settings));
    check_all_hold(result);
    for (std::size_t t = 0; t < pairs; ++t) {
      const Array& map = array(result, "logit_term_" + std::to_string(t));
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          double product = 0;
          for (const std::size_t c : {t, t + pairs})
            product += q.values.at((head * n + i) * d + c) * k.values.at((kv_head * n + j) * d + c);
          CHECK(std::abs(at(map, i, j) - product / std::sqrt(8.0)) <= order_bound);
        }
    }
    CHECK(content_of<MapEquation>(result, "equation").terms.size() == 1 + pairs);
  }
}

TEST_CASE("A muted pair adds nothing to the sum") {
  const Result muted = heads_of(of_golden({{"edits", "mute"}, {"pair", "1"}}));
  const Array &gone = array(muted, "logit_term_1"), &stays = array(muted, "logit_term_2");
  for (std::size_t cell = 0; cell < gone.size(); ++cell) CHECK(gone[cell] == 0);
  CHECK(at(stays, 3, 1) != 0);
}

TEST_CASE("A head without RoPE is the sum of its encoding's terms, and none where it has none") {
  const auto golden = [](const char* name) {
    return Settings{{"model", tests_folder() + "/golden/transformer/" + name},
                    {"tokens", golden_llama() + "/expected.npz#tokens"},
                    {"precision", "exact"},
                    {"head", "1"}};
  };
  const Result bloom = heads_of(golden("bloom-on"));
  check_all_hold(bloom);
  const auto& sum = content_of<MapEquation>(bloom, "equation");
  REQUIRE(sum.terms.size() == 3);
  CHECK(sum.terms[1].name == "content");
  CHECK(sum.terms[2].name == "linear bias");
  // Of six heads the first four have the slopes of four, 2^(−8(h + 1)/4): Press et al. 2022.
  REQUIRE(scalar(bloom, "heads") == 6);
  const Array& bias = array(bloom, "logit_term_1");
  for (std::size_t i = 1; i < bias.shape[0]; ++i)
    for (std::size_t j = 1; j <= i; ++j)
      CHECK(at(bias, i, j) - at(bias, i, j - 1) == Approx(0.0625).epsilon(1e-12));
  Settings without = golden("bloom-on");
  without.emplace_back("edits", "no_position");
  const Result placeless = heads_of(without);
  const Array& nothing = array(placeless, "logit_term_1");
  for (std::size_t cell = 0; cell < nothing.size(); ++cell) CHECK(nothing[cell] == 0);
  const Result deberta = heads_of(golden("deberta_v2-on"));
  check_all_hold(deberta);
  CHECK(content_of<MapEquation>(deberta, "equation").terms.size() == 4);
  for (const Figure& figure : heads_of(golden("gpt2-on")).figures) CHECK(figure.id != "equation");
}

TEST_CASE("The heads made by hand do what they were made for") {
  const TempFolder folder;
  const HandBuilt model(folder);
  const Settings settings{{"model", model.path().string()},
                          {"tokens", ids_file(folder, HandBuilt::text())},
                          {"layer", "0"},
                          {"head", "0"}};
  const Result result = heads_of(settings);
  CHECK(scalar(result, "head_previous") > 0.99);
  CHECK(column(table(result, "heads"), "induction").at(2) > 0.99);
  CHECK_THAT(result.figures.front().title, Contains("head 0.0 has the most"));
  Settings silenced = settings;
  silenced.emplace_back("edits", "silence");
  const Result without = heads_of(silenced);
  // Induction reads what the previous-token head has written.
  CHECK(scalar(without, "edited_loss") > scalar(without, "loss") + 1);
}

TEST_CASE("Under a softcap the sum of the pairs is capped, and a defect turns other pairs") {
  const Result capped = heads_of({{"model", tests_folder() + "/golden/transformer/gemma2-on"},
                                  {"tokens", golden_llama() + "/expected.npz#tokens"},
                                  {"precision", "exact"}});
  check_all_hold(capped);
  CHECK(content_of<MapEquation>(capped, "equation").terms.back().name == "softcap");
  const Result defect = heads_of(of_golden({{"edits", "defect"}, {"defect", "wrong_pairing"}}));
  for (const Figure& figure : defect.figures) CHECK(figure.id != "equation");
}

TEST_CASE("Heads above both lines are marked, and silenced together") {
  const TempFolder folder;
  const HandBuilt model(folder);
  Settings settings{{"model", model.path().string()},
                    {"tokens", ids_file(folder, HandBuilt::text())},
                    {"score", "induction"},
                    {"score_from", "0.9"}};
  const Result marked = heads_of(settings);
  CHECK(scalar(marked, "marked_heads") == 1);
  CHECK(column(table(marked, "heads"), "marked") == std::vector<double>{0, 0, 1, 0});
  const auto& plot = content_of<LinePlot>(marked, "two_scores");
  CHECK(plot.series.at(1).y.size() == 1);
  CHECK(plot.rules.at(0).param == "score_from");
  // None of eleven tokens lies far enough behind the first one for a score by that.
  for (const Figure& figure : marked.figures)
    if (figure.id == "two_scores")
      CHECK(figure.title == "1 of 4 heads have induction ≥ 0.9 (1 have no score first): 1.0");
  settings.emplace_back("edits", "silence_marked");
  const Result silenced = heads_of(settings);
  // Without the one head that predicts, all tokens are alike.
  CHECK(scalar(silenced, "edited_loss") == Approx(std::log(12.0)));
  CHECK_THAT(silenced.figures.at(1).title, Contains("zero 1.0"));
  settings.emplace_back("score_from", "1.1");
  CHECK_THROWS_WITH(heads_of(settings), Contains("no head reaches"));
}

TEST_CASE("Without a layer or a head, the head of the highest score is looked at") {
  for (const auto& [layer, head] : {std::pair{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {-1, 3}}) {
    CAPTURE(layer, head);
    const Settings asked{{"layer", std::to_string(layer)}, {"head", std::to_string(head)}};
    const Result found = heads_of(of_golden(asked));
    double highest = -1;
    for (int l = layer < 0 ? 0 : layer; l < (layer < 0 ? 2 : layer + 1); ++l)
      for (int h = head < 0 ? 0 : head; h < (head < 0 ? 4 : head + 1); ++h) {
        const double score =
            scalar(heads_of(of_golden({{"layer", std::to_string(l)}, {"head", std::to_string(h)}})),
                   "head_previous");
        if (score > highest) highest = score;
      }
    CHECK(scalar(found, "head_previous") == highest);
  }
  CHECK(scalar(heads_of(of_golden({})), "head_previous") ==
        scalar(heads_of(of_golden({{"layer", "-1"}, {"head", "-1"}})), "head_previous"));
}

TEST_CASE("Small maps hold the largest weight of each cell") {
  const Result result = heads_of({{"length", "40"}, {"layer", "1"}, {"head", "3"}});
  const Array &small = array(result, "small_maps"), &weights = array(result, "weights");
  const std::size_t side = small.shape.at(2), n = weights.shape.at(0), heads = small.shape.at(1);
  REQUIRE(side == 16);
  std::vector<double> largest(side * side);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double& cell = largest[i * side / n * side + j * side / n];
      if (at(weights, i, j) > cell) cell = at(weights, i, j);
    }
  for (std::size_t c = 0; c < largest.size(); ++c)
    CHECK(small[((heads + 3) * side * side) + c] == largest[c]);
}

TEST_CASE("Each edit is that of what_if") {
  const Experiment& experiment = find_experiment("model_heads");
  const auto said = [&](const Settings& settings) {
    const Result result =
        run_experiment(experiment, settings, load_inputs(heads_params(settings)).inputs);
    return content_of<LinePlot>(result, "loss").series.size() == 2 ? result.figures.at(1).title
                                                                   : "";
  };
  CHECK_THAT(said({{"edits", "base"}, {"new_base", "500"}}), Contains("base 500"));
  CHECK_THAT(said({{"edits", "still"}, {"pair", "3"}, {"edited_layer", "1"}}),
             Contains("still 3 in layer 1"));
  CHECK_THAT(said({{"edits", "mute+sign"}}), Contains("mute 0, sign"));
  CHECK_THAT(said({{"edits", "pairing"}}), Contains("pairing interleaved"));
  CHECK_THAT(said({{"edits", "compress"}, {"compress", "2"}}), Contains("positions compress 2"));
  CHECK_THAT(said({{"edits", "window"}, {"new_window", "4"}}), Contains("window 4"));
  CHECK_THAT(said({{"edits", "no_position"}, {"edited_layer", "0"}}),
             Contains("no position in layer 0"));
  CHECK_THAT(said({{"edits", "defect"}, {"defect", "clockwise"}}), Contains("defect clockwise"));
}

TEST_CASE("RoPE does not see where a text begins, and a base of its own changes nothing") {
  const Result shifted = heads_of(of_golden({{"edits", "shift"}, {"shift", "7"}}));
  CHECK(std::abs(scalar(shifted, "loss_change")) <= order_bound);
  const Result same = heads_of(of_golden({{"edits", "base"}, {"new_base", "100"}}));
  CHECK(scalar(same, "loss_change") == 0);
}

TEST_CASE("What a model was asked before does not change its answers") {
  const Settings first{{"edits", "base"}, {"length", "24"}};
  const Settings second{{"edits", "mute"}, {"pair", "1"}, {"edited_layer", "1"}, {"length", "24"}};
  const Result alone = heads_of(second);
  static_cast<void>(heads_of({{"length", "12"}}));
  static_cast<void>(heads_of(first));
  const Result after = heads_of(second);
  CHECK(scalar(alone, "edited_loss") == scalar(after, "edited_loss"));
  const Array &a = array(alone, "weights"), &b = array(after, "weights");
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == b[i]);
}

TEST_CASE("Heads that a model does not have, and models without weights, are refused") {
  CHECK_THROWS_WITH(heads_of({{"head", "4"}}), Contains("head=4") && Contains("has 4 heads"));
  CHECK_THROWS_WITH(heads_of({{"layer", "2"}}), Contains("layer=2") && Contains("take 1 at most"));
  const TempFolder folder;
  const std::string bare =
      folder
          .file("config.json", R"({"model_type": "llama", "num_hidden_layers": 3, "head_dim": 8})")
          .string();
  CHECK_THROWS_AS(heads_of({{"model", bare}}), Error);
}

TEST_CASE("Weights that change are another model") {
  const TempFolder folder;
  const HandBuilt model(folder);
  const ParamSet params = heads_params({{"model", model.path().string()}});
  const std::string before = load_inputs(params).files.front().sha256;
  CHECK(load_inputs(params).files.front().sha256 == before);
  folder.file("hand_built/model.safetensors", "other");
  CHECK(load_inputs(params).files.front().sha256 != before);
}

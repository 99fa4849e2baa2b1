#include "experiments/studies/experiments.h"

#include <malloc.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "core/errors.h"
#include "tests/support/experiment_run.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

Result run_attention_map(const Inputs& inputs, const Settings& settings) {
  return run_experiment(attention_map_experiment(), with_random_contents(settings), inputs);
}

std::string words(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += "w" + std::to_string(i * i % 23) + " ";
  return text;
}

/// Looks at the memory whenever some queries are done.
class Meter : public Progress {
 public:
  void update(double, std::string_view) override {
    const struct mallinfo2 info = ::mallinfo2();
    most_ = std::max<std::size_t>(most_, info.uordblks + info.hblkhd);
  }
  bool stop_requested() const override { return false; }
  std::size_t most() const { return most_; }

 private:
  std::size_t most_{0};
};

/// The entries of a cell that the causal mask allows.
std::vector<double> cell_of(const Array& map, std::size_t cell, std::size_t row,
                            std::size_t column) {
  std::vector<double> entries;
  const std::size_t n = map.shape[0];
  for (std::size_t i = row * cell; i < std::min<std::size_t>(n, (row + 1) * cell); ++i)
    for (std::size_t j = column * cell; j < std::min<std::size_t>(i + 1, (column + 1) * cell); ++j)
      entries.push_back(at(map, i, j));
  return entries;
}

double mean_of(const std::vector<double>& entries) {
  double sum = 0;
  for (const double entry : entries) sum += entry;
  return sum / static_cast<double>(entries.size());
}

/// Of numbers with a sign, the one farthest from 0.
double largest_of(const std::vector<double>& entries, bool has_sign) {
  double largest = entries.front();
  for (const double entry : entries)
    if (has_sign ? std::abs(entry) > std::abs(largest) : entry > largest) largest = entry;
  return largest;
}

void check_cells(const Array& whole, const Result& reduced, bool has_sign) {
  const Array& mean = array(reduced, whole.name + "_mean");
  const Array& largest = array(reduced, whole.name + "_largest");
  REQUIRE(mean.shape == std::vector<std::size_t>{13, 13});
  for (std::size_t row = 0; row < 13; ++row)
    for (std::size_t column = 0; column <= row; ++column) {
      const std::vector<double> entries = cell_of(whole, 3, row, column);
      CHECK(at(mean, row, column) == Approx(mean_of(entries)).epsilon(1e-6));
      CHECK(at(largest, row, column) == largest_of(entries, has_sign));
    }
}

}  // namespace

TEST_CASE("Equal tokens are equal vectors: without positions their rows and columns are the same") {
  const Result result = run_attention_map(text_input("the cat and the dog"),
                                          {{"encoding", "none"}, {"causal", "false"}});
  const Array& logits = array(result, "logits_none");
  REQUIRE(logits.shape == std::vector<std::size_t>{5, 5});
  for (std::size_t j = 0; j < 5; ++j) {
    CHECK(at(logits, 0, j) == at(logits, 3, j));
    CHECK(at(logits, j, 0) == at(logits, j, 3));
  }
  CHECK(at(logits, 0, 0) != at(logits, 1, 1));
}

TEST_CASE("A word has the same vector in another text") {
  const Settings settings{{"encoding", "none"}, {"causal", "false"}};
  const Result a = run_attention_map(text_input("cat dog"), settings);
  const Result b = run_attention_map(text_input("dog bird cat"), settings);
  CHECK(at(array(a, "logits_none"), 0, 1) == at(array(b, "logits_none"), 2, 0));
}

TEST_CASE("match is the mean logit of a token with itself") {
  const Result result =
      run_attention_map(text_input("one two three four five six seven eight nine ten"),
                        {{"encoding", "none"}, {"match", "9"}, {"dim", "1024"}});
  const Array& logits = array(result, "logits_none");
  double mean = 0;
  for (std::size_t i = 0; i < 10; ++i) mean += at(logits, i, i) / 10;
  CHECK(mean == Approx(9).epsilon(0.1));
}

TEST_CASE("With RoPE, identity projections make a repeated word matter less the farther it is") {
  const Result result = run_attention_map(text_input("a b a c c c c c c c c c a"),
                                          {{"encoding", "rope"}, {"dim", "256"}});
  const Array& logits = array(result, "logits_rope");
  CHECK(at(logits, 12, 12) > at(logits, 12, 2));
}

TEST_CASE("A causal map hides keys ahead, with weight exactly 0 and a mask in the figure") {
  const Result result = run_attention_map(text_input("a b c"), {});
  CHECK(at(array(result, "weights_rope"), 0, 1) == 0);
  CHECK(at(array(result, "weights_rope"), 0, 0) == 1);
  const auto& map = std::get<Heatmap>(result.figures.at(0).content);
  CHECK(at(*map.masked, 0, 1) == 1);
  CHECK(at(*map.masked, 1, 0) == 0);
  CHECK(map.row_labels == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("By hand: q and k given, weights as softmax(q kᵀ/√d)") {
  const Inputs inputs{{"q", tensor({2, 1}, {1, 2})}, {"k", tensor({2, 1}, {3, 4})}};
  const Result result = run_attention_map(inputs, {{"encoding", "none"}, {"causal", "false"}});
  const Array& weights = array(result, "weights_none");
  CHECK(at(weights, 0, 0) == Approx(std::exp(3.0) / (std::exp(3.0) + std::exp(4.0))));
  CHECK(at(weights, 1, 1) == Approx(std::exp(8.0) / (std::exp(6.0) + std::exp(8.0))));
  CHECK(at(array(result, "output_none"), 0, 0) ==
        Approx((3 * std::exp(3.0) + 4 * std::exp(4.0)) / (std::exp(3.0) + std::exp(4.0))));
}

TEST_CASE("A head is taken from [heads, N, d]") {
  const Inputs inputs{{"q", tensor({2, 1, 2}, {1, 0, 0, 5})},
                      {"k", tensor({2, 1, 2}, {1, 0, 0, 5})}};
  const Result second =
      run_attention_map(inputs, {{"encoding", "none"}, {"heads", "2"}, {"head", "1"}});
  CHECK(at(array(second, "logits_none"), 0, 0) == Approx(25 / std::sqrt(2.0)));
}

TEST_CASE("All named terms are written, and drawn when asked for") {
  const Result result =
      run_attention_map(text_input("a b"), {{"encoding", "sinusoidal+alibi"}, {"show", "terms"}});
  for (const char* name :
       {"term_sinusoidal_content_to_position", "term_sinusoidal_position_to_position",
        "term_alibi_linear_bias", "output_alibi"})
    CHECK_NOTHROW(array(result, name));
  CHECK(result.figures.size() == 6);
}

TEST_CASE("Inputs that contradict each other are refused with value, rule and remedy") {
  const Tensor two = tensor({2, 2}, {1, 2, 3, 4});
  CHECK_THROWS_WITH(run_attention_map({{"q", two}}, {}),
                    Contains("q without k: attention needs q and k"));
  CHECK_THROWS_WITH(run_attention_map({{"v", two}}, {}), Contains("k or v without q"));
  CHECK_THROWS_WITH(run_attention_map({{"q", two}, {"k", tensor({1, 2}, {1, 2})}}, {}),
                    Contains("must have the same N and d"));
  CHECK_THROWS_WITH(run_attention_map({{"q", two}, {"k", two}, {"v", tensor({1, 2}, {1, 2})}}, {}),
                    Contains("k and v must have the same N"));
  CHECK_THROWS_WITH(run_attention_map({{"q", tensor({4}, {1, 2, 3, 4})}, {"k", two}}, {}),
                    Contains("t.npy of shape [4]: must be [N, d] or [heads, N, d]"));
  CHECK_THROWS_WITH(
      run_attention_map({{"q", tensor({1, 1, 2}, {1, 2})}, {"k", tensor({1, 1, 2}, {1, 2})}},
                        {{"head", "3"}}),
      Contains("has no head 3"));
  CHECK_THROWS_WITH(run_attention_map({{"q", two}, {"k", two}}, {{"encoding", "sinusoidal"}}),
                    Contains("encoding=sinusoidal with q and k"));
  CHECK_THROWS_WITH(run_attention_map({{"q", tensor({2, 3}, {1, 2, 3, 4, 5, 6})},
                                       {"k", tensor({2, 3}, {1, 2, 3, 4, 5, 6})}},
                                      {}),
                    Contains("must be even"));
  CHECK_THROWS_WITH(run_attention_map(text_input("a"), {{"head", "8"}}),
                    Contains("head=8: must be below heads=8"));
  CHECK_THROWS_AS(run_attention_map({}, {}), UsageError);
}

TEST_CASE(
    "A longer map is reduced cell by cell and along its diagonals, and all else is the same") {
  const Inputs text = text_input(words(37).c_str());
  const Settings common{{"encoding", "alibi"}, {"max_tokens", "37"}, {"show", "weights+logits"}};
  Settings small = common;
  small.emplace_back("map_size", "16");
  const Result whole = run_attention_map(text, common), reduced = run_attention_map(text, small);
  check_cells(array(whole, "weights_alibi"), reduced, false);
  check_cells(array(whole, "logits_alibi"), reduced, true);
  check_cells(array(whole, "term_alibi_linear_bias"), reduced, true);
  CHECK(array(reduced, "output_alibi").values == array(whole, "output_alibi").values);
  REQUIRE(whole.scalars.size() == reduced.scalars.size());
  for (std::size_t i = 0; i < whole.scalars.size(); ++i)
    CHECK(whole.scalars[i].value == reduced.scalars[i].value);
  CHECK(whole.checks[0].measured == reduced.checks[0].measured);
  CHECK(whole.tables[0].columns[4].values == reduced.tables[0].columns[4].values);

  const Array& weights = array(whole, "weights_alibi");
  const Array& diagonals = array(reduced, "weights_alibi_diagonals");
  REQUIRE(diagonals.shape == std::vector<std::size_t>{37, 5});
  for (std::size_t r = 0; r < 37; ++r) {
    std::vector<double> entries;
    for (std::size_t i = r; i < 37; ++i) entries.push_back(at(weights, i, i - r));
    CHECK(at(diagonals, r, 0) == static_cast<double>(r));
    CHECK(at(diagonals, r, 1) == static_cast<double>(entries.size()));
    CHECK(at(diagonals, r, 2) == Approx(mean_of(entries)).epsilon(1e-12));
    CHECK(std::count_if(entries.begin(), entries.end(),
                        [&](double entry) { return entry < at(diagonals, r, 3); }) == 0);
    CHECK(at(diagonals, r, 4) == largest_of(entries, false));
  }
}

TEST_CASE("A reduced map says in its figure what was reduced to what") {
  const Result result =
      run_attention_map(text_input(words(37).c_str()), {{"max_tokens", "37"}, {"map_size", "16"}});
  REQUIRE(result.figures.size() == 4);
  const Figure& figure = result.figures[0];
  const auto& map = std::get<Heatmap>(figure.content);
  CHECK(figure.id == "weights_rope_mean");
  CHECK_THAT(figure.title, Contains("mean of 3 × 3 entries"));
  CHECK_THAT(figure.caption, Contains("3 × 3 entries per cell"));
  CHECK(figure.role.kind == "mean_weights");
  CHECK(map.quantity == "mean weight");
  CHECK(map.x.range == Range{1, 37});
  CHECK(map.row_labels.empty());
  CHECK(map.masked->shape == map.values->shape);
  CHECK(at(*map.masked, 0, 1) == 1);
  CHECK(at(*map.masked, 12, 12) == 0);
  CHECK_THAT(map.values->description, Contains("mean of each cell of 3 × 3 entries"));
  CHECK(std::holds_alternative<LinePlot>(result.figures[2].content));
}

TEST_CASE("The pipeline goes from the terms over mask and softmax to the weights") {
  const Result result =
      run_attention_map(text_input("the cat and the dog met the cat"),
                        {{"encoding", "alibi"}, {"causal", "true"}, {"show", "pipeline"}});
  REQUIRE(result.figures.size() == 1);
  CHECK(result.figures[0].id == "pipeline_alibi");
  const auto& equation = content_of<MapEquation>(result, "pipeline_alibi");
  REQUIRE(equation.terms.size() == 4);
  CHECK(equation.terms[1].relation == "+");
  CHECK(equation.terms[2].step == "mask");
  CHECK(equation.terms[3].step == "softmax");
  CHECK_FALSE(equation.terms[0].map.masked);
  CHECK_FALSE(equation.terms[1].map.masked);
  CHECK(equation.terms[2].map.masked);
  CHECK(equation.terms[1].is_relative());
  CHECK_FALSE(equation.terms[2].is_relative());
  CHECK(equation.terms[2].map.quantity == "logit");
  CHECK(equation.terms[3].map.quantity == "weight");
  CHECK(equation.profiles.series[1].x.front() == -7);  // before the mask keys ahead are seen
  CHECK(equation.profiles.series[2].x.front() == 0);
  for (std::size_t m = 0; m < 8; ++m)
    for (std::size_t n = 0; n < 8; ++n)
      CHECK(at(*equation.terms[0].map.values, m, n) + at(*equation.terms[1].map.values, m, n) ==
            Approx(at(*equation.terms[2].map.values, m, n)).margin(1e-5));
}

TEST_CASE("Without a mask a single term is the logits, and several add up to them") {
  const Settings settings{{"encoding", "rope+alibi"}, {"causal", "false"}, {"show", "pipeline"}};
  const Result result = run_attention_map(text_input("one two three one"), settings);
  const auto& single = content_of<MapEquation>(result, "pipeline_rope");
  REQUIRE(single.terms.size() == 2);
  CHECK(single.terms[1].step == "softmax");
  const auto& sum = content_of<MapEquation>(result, "pipeline_alibi");
  REQUIRE(sum.terms.size() == 4);
  CHECK(sum.terms[2].relation == "=");
  CHECK(sum.terms[2].step.empty());
}

TEST_CASE("The profiles of a long map are of all its values, not of the cells that are drawn") {
  const Inputs text = text_input(words(37).c_str());
  const Settings common{{"encoding", "alibi"}, {"max_tokens", "37"}};
  Settings small = common;
  small.emplace_back("map_size", "16");
  const Result whole = run_attention_map(text, common), reduced = run_attention_map(text, small);
  const auto& exact = content_of<MapEquation>(whole, "pipeline_alibi");
  const auto& cells = content_of<MapEquation>(reduced, "pipeline_alibi");
  REQUIRE(exact.terms.size() == cells.terms.size());
  CHECK(cells.terms[3].map.values->shape == std::vector<std::size_t>{13, 13});
  CHECK(cells.terms[3].map.quantity == "mean weight");
  for (const std::size_t t : {2u, 3u}) {
    const Series &of = exact.profiles.series[t], &is = cells.profiles.series[t];
    CHECK(is.x == of.x);
    CHECK(is.band_low == of.band_low);
    CHECK(is.band_high == of.band_high);
    CHECK(cells.terms[t].spread == exact.terms[t].spread);
    for (std::size_t i = 0; i < of.y.size(); ++i) CHECK(is.y[i] == Approx(of.y[i]).epsilon(1e-6));
  }
}

TEST_CASE("q and k from files have their pipeline, a part of it too") {
  std::vector<double> q, k;
  for (int i = 0; i < 64; ++i) {
    q.push_back((5 * i % 9 - 4) / 4.0);
    k.push_back((3 * i % 7 - 3) / 4.0);
  }
  const Inputs inputs{{"q", tensor({16, 4}, q)}, {"k", tensor({16, 4}, k)}};
  const Settings settings{
      {"encoding", "t5"}, {"part", "4"}, {"part_query", "9"}, {"part_key", "2"}};
  const auto equation = content_of<MapEquation>(run_attention_map(inputs, settings), "pipeline_t5");
  CHECK(equation.terms[1].is_relative());
  CHECK(equation.profiles.series[1].x == std::vector<double>{4, 5, 6, 7, 8, 9, 10});
}

TEST_CASE("A part of a map has the numbers of the whole to the last bits, for every encoding") {
  const Inputs text = text_input(words(40).c_str());
  const std::vector<ParamSpec> specs = attention_map_experiment().info.params;
  for (const Choice& encoding : specs.front().choices) {
    const std::string& name = encoding.name;
    const Settings common{
        {"encoding", name}, {"max_tokens", "40"}, {"dim", "16"}, {"precision", "exact"}};
    Settings part = common;
    part.insert(part.end(), {{"part", "9"}, {"part_query", "23"}, {"part_key", "17"}});
    const Result whole = run_attention_map(text, common), some = run_attention_map(text, part);
    INFO(name);
    REQUIRE(some.arrays.size() == whole.arrays.size());
    for (std::size_t a = 0; a < some.arrays.size(); ++a) {
      const Array &of = *whole.arrays[a], &is = *some.arrays[a];
      INFO(is.name);
      if (is.axes[1] == "statistic") continue;
      const bool map = is.axes[1] == "key";
      REQUIRE(is.shape[0] == 9);
      REQUIRE(is.shape[1] == (map ? 9 : of.shape[1]));
      for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < is.shape[1]; ++j)
          CHECK(at(is, i, j) ==
                Approx(at(of, 23 + i, map ? 17 + j : j)).epsilon(1e-12).margin(1e-14));
    }
    CHECK(std::get<std::vector<double>>(some.tables[0].columns[4].values).size() == 9);
    CHECK(some.checks[0].holds());
  }
}

TEST_CASE("A part says which it is, and its axes count the tokens of the whole") {
  const Inputs text = text_input(words(37).c_str());
  const Settings part{{"max_tokens", "37"}, {"part", "32"}, {"part_query", "5"}, {"part_key", "2"}};
  const Figure exact = run_attention_map(text, part).figures.at(0);
  const auto& map = std::get<Heatmap>(exact.content);
  CHECK(exact.id == "weights_rope");
  CHECK_THAT(exact.caption, Contains("part = 32") && Contains("part_query = 5"));
  CHECK(map.y.range == Range{5, 36});
  CHECK(map.x.range == Range{2, 33});
  CHECK(map.x.whole == Range{-0.5, 36.5});
  CHECK(map.x.role == AxisRole::key_position);
  CHECK(map.row_labels.front() == "w" + std::to_string(25 % 23));
  CHECK_THAT(map.values->description, Contains("32 queries from 5 on, 32 keys from 2 on"));
  CHECK(at(*map.masked, 0, 3) == 0);
  CHECK(at(*map.masked, 0, 4) == 1);

  Settings cells = part;
  cells.emplace_back("map_size", "16");
  const Result reduced = run_attention_map(text, cells);
  const auto& mean = std::get<Heatmap>(reduced.figures.at(0).content);
  CHECK(mean.y.range == Range{5.5, 35.5});
  CHECK(mean.x.range == Range{2.5, 32.5});
  const Array& diagonals = array(reduced, "weights_rope_diagonals");
  CHECK(at(diagonals, 0, 0) == 0);
  CHECK(at(diagonals, diagonals.shape[0] - 1, 0) == 36 - 2);
  CHECK(at(diagonals, diagonals.shape[0] - 1, 1) == 1);
}

TEST_CASE("A part that ends beyond the tokens is refused") {
  const Inputs text = text_input(words(20).c_str());
  CHECK_THROWS_WITH(
      run_attention_map(text, {{"max_tokens", "20"}, {"part", "8"}, {"part_key", "13"}}),
      Contains("part_key=13 part=8: ends beyond the 20 tokens that there are"));
  CHECK_THROWS_WITH(run_attention_map(text, {{"max_tokens", "20"}, {"part", "21"}}),
                    Contains("ends beyond"));
  CHECK_THROWS_WITH(run_attention_map(text, {{"part_query", "3"}}),
                    Contains("part_query=3: is of a part, and part=0 keeps all; give part= too"));
  CHECK_NOTHROW(run_attention_map(text, {{"max_tokens", "20"}, {"part", "20"}}));
}

TEST_CASE("No map of a long text is held") {
  const Inputs text = text_input(words(3000).c_str());
  const ParamSet params = params_for(
      attention_map_experiment(),
      with_random_contents(
          {{"max_tokens", "3000"}, {"map_size", "64"}, {"dim", "8"}, {"precision", "exact"}}));
  Meter meter;
  const struct mallinfo2 before = ::mallinfo2();
  const Result result = attention_map_experiment().run(params, text, meter);
  CHECK(meter.most() <= before.uordblks + before.hblkhd + 3000UL * 3000 * sizeof(double));
  for (const auto& held : result.arrays) CHECK(held->size() <= 3000UL * 8);
}

TEST_CASE("Tokens in another order keep their outputs where nothing tells positions") {
  const auto with = [](const std::string& encoding, const std::string& order, bool causal) {
    return run_attention_map(text_input("one two three four five six"),
                             {{"encoding", encoding},
                              {"order", order},
                              {"causal", causal ? "true" : "false"},
                              {"precision", "exact"}});
  };
  for (const char* order : {"swapped", "reversed", "shuffled"}) {
    const Result none = with("none", order, false);
    CHECK(check(none, "none_is_blind_to_order").holds());
    CHECK(scalar(none, "none_order_change") < 1e-14);
    CHECK(scalar(with("none", order, true), "none_order_change") > 1e-3);
    CHECK(scalar(with("rope", order, false), "rope_order_change") > 1e-3);
  }
  CHECK(scalar(with("alibi", "reversed", false), "alibi_order_change") < 1e-14);
}

TEST_CASE("Swapped tokens take their weights and labels along") {
  const Settings settings{{"encoding", "none"}, {"causal", "false"}, {"precision", "exact"}};
  Settings swapped = settings;
  for (const auto& [key, value] :
       Settings{{"order", "swapped"}, {"swap_first", "0"}, {"swap_second", "2"}})
    swapped.emplace_back(key, value);
  const Result before = run_attention_map(text_input("one two three four"), settings);
  const Result after = run_attention_map(text_input("one two three four"), swapped);
  const std::vector<std::size_t> order{2, 1, 0, 3};
  for (std::size_t m = 0; m < 4; ++m)
    for (std::size_t n = 0; n < 4; ++n)
      CHECK(at(array(after, "weights_none"), m, n) ==
            Approx(at(array(before, "weights_none"), order[m], order[n])));
  const auto& map = content_of<Heatmap>(after, "weights_none");
  CHECK(map.row_labels == std::vector<std::string>{"three", "two", "one", "four"});
  swapped.back().second = "4";
  CHECK_THROWS_WITH(run_attention_map(text_input("one two three four"), swapped),
                    Contains("there are 4 tokens"));
}

TEST_CASE("The title says how far back a head attends, and the colours follow the weights") {
  const auto map = [](const Settings& settings) {
    return run_experiment(attention_map_experiment(), settings,
                          text_input("An orrery is a small model of the sky"))
        .figures.at(0);
  };
  const Figure trained = map({});
  CHECK_THAT(trained.title, Contains("Layer 1, head 0 with RoPE attends ") &&
                                Contains(" tokens back on average; most weight (") &&
                                Contains(" %) goes one token back"));
  CHECK(std::get<Heatmap>(trained.content).colors == ColorScaling::log);
  const Figure even = map({{"contents", "random"}, {"encoding", "none"}, {"match", "0.01"}});
  CHECK_THAT(even.title, Contains("spreads its weight almost evenly"));
  CHECK(std::get<Heatmap>(even.content).colors == ColorScaling::linear);
}

TEST_CASE("Logits of turned queries and keys are read in two parts, without position and by it") {
  const Result result = run_attention_map(text_input("An orrery is a small model of the sky"),
                                          {{"encoding", "rope+alibi"}, {"precision", "exact"}});
  const Array& logits = array(result, "logits_rope");
  const Array& content = array(result, "term_rope_without_position");
  const Array& turned = array(result, "term_rope_by_position");
  const std::size_t n = logits.shape.at(0);
  bool far = false;
  for (std::size_t m = 0; m < n; ++m) {
    CHECK(at(turned, m, m) == Approx(0).margin(1e-12));  // both turn by the same angle
    for (std::size_t k = 0; k < n; ++k) {
      CHECK(at(content, m, k) + at(turned, m, k) == Approx(at(logits, m, k)).margin(1e-12));
      far |= std::abs(at(turned, m, k)) > 0.1;
    }
  }
  CHECK(far);
  // ALiBi's logits have their own terms.
  CHECK(std::none_of(result.arrays.begin(), result.arrays.end(),
                     [](const auto& one) { return one->name == "term_alibi_by_position"; }));
}

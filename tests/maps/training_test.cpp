#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "core/errors.h"
#include "experiments/checkpoints/forward_pass.h"
#include "experiments/data/load_inputs.h"
#include "experiments/studies/experiments.h"
#include "experiments/studies/training/runs.h"
#include "experiments/studies/training/tasks.h"
#include "experiments/tokenizers/read_tokenizer.h"
#include "tests/support/experiment_run.h"
#include "tests/support/temp_folder.h"

using namespace orrery;
using namespace orrery::test;

namespace {

using Ids = std::vector<std::int32_t>;

/// Sequences of a task with some settings, one by one.
template <class Use>
void for_sequences(const Settings& settings, Index length, const Use& use) {
  const Experiment experiment = training_experiment();
  const ParamSet params = params_for(experiment, settings);
  const auto task = make_task(params, load_inputs(params).inputs);
  Random random(3, "sequences of a test");
  for (int i = 0; i < 40; ++i) {
    const DrawnSequences drawn = draw_sequences(*task, random, 1, length, TextPart::learned);
    REQUIRE(drawn.tokens.size() == static_cast<std::size_t>(length));
    REQUIRE(drawn.targets.size() == drawn.tokens.size());
    for (const std::int32_t token : drawn.tokens) CHECK((token >= 0 && token < task->vocabulary()));
    use(drawn.tokens, drawn.targets);
  }
}

std::size_t asked_in(const Ids& targets) {
  std::size_t asked = 0;
  for (const std::int32_t target : targets) asked += target != no_target ? 1 : 0;
  return asked;
}

/// The smallest shift under which all tokens repeat.
std::size_t period_of(const Ids& tokens) {
  for (std::size_t p = 1; p < tokens.size(); ++p) {
    bool repeats = true;
    for (std::size_t i = p; i < tokens.size(); ++i) repeats &= tokens[i] == tokens[i - p];
    if (repeats) return p;
  }
  return tokens.size();
}

}  // namespace

TEST_CASE("Copying asks for what the block's repetition determines") {
  std::set<std::size_t> periods;
  for_sequences({{"task", "copy"}, {"symbols", "64"}}, 20, [&](const Ids& x, const Ids& y) {
    const std::size_t period = period_of(x);
    periods.insert(period);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (y[i] != no_target) {
        CHECK(i + 1 >= period);
        CHECK(y[i] == (i + 1 < x.size() ? x[i + 1] : x[i + 1 - period]));
      }
    CHECK(asked_in(y) == x.size() - period + 1);
  });
  CHECK(periods.size() > 5);
}

TEST_CASE("Copying at a distance asks for the symbol that lies so far back") {
  for_sequences({{"task", "copy_at"}, {"distance", "3"}}, 12, [](const Ids& x, const Ids& y) {
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == (i < 3 ? no_target : x[i - 3]));
  });
}

TEST_CASE("Induction asks for the neighbour in the part that was shown") {
  for_sequences({{"task", "induction"}, {"symbols", "8"}}, 20, [](const Ids& x, const Ids& y) {
    std::map<std::int32_t, std::int32_t> next;
    for (std::size_t i = 0; i + 1 < 8; ++i) next[x[i]] = x[i + 1];
    CHECK(next.size() == 7);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (y[i] != no_target) CHECK(y[i] == next.at(x[i]));
    CHECK(asked_in(y) == 6);
  });
}

TEST_CASE("Reversing and sorting ask for the block in the other order") {
  for (const bool sorts : {false, true})
    for_sequences({{"task", sorts ? "sort" : "reverse"}, {"symbols", "16"}}, 14,
                  [&](const Ids& x, const Ids& y) {
                    Ids expected(x.begin(), x.begin() + 7);
                    CHECK(x[7] == 16);
                    std::reverse(expected.begin(), expected.end());
                    if (sorts) std::sort(expected.begin(), expected.end());
                    CHECK(Ids(y.begin() + 7, y.end()) == expected);
                    CHECK(asked_in(Ids(y.begin(), y.begin() + 7)) == 0);
                  });
}

TEST_CASE("Recall asks for the value that a key was shown with") {
  for_sequences({{"task", "recall"}, {"symbols", "5"}}, 16, [](const Ids& x, const Ids& y) {
    std::map<std::int32_t, std::int32_t> value;
    for (std::size_t i = 0; i < 10; i += 2) value[x[i]] = x[i + 1];
    CHECK(value.size() == 5);
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == (i < 10 ? no_target : value.at(x[i])));
  });
}

TEST_CASE("Brackets ask which one closes") {
  for_sequences({{"task", "brackets"}, {"symbols", "3"}}, 40, [](const Ids& x, const Ids& y) {
    Ids open;
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] >= 3) {
        REQUIRE(!open.empty());
        CHECK(x[i] == open.back() + 3);
        CHECK(y[i - 1] == x[i]);
        open.pop_back();
      } else {
        open.push_back(x[i]);
      }
      if (i + 1 < x.size() && x[i + 1] < 3) CHECK(y[i] == no_target);
    }
  });
}

TEST_CASE("Texts ask for hidden bytes or the next byte, and hold their end out") {
  Index masked = 0, all = 0;
  for_sequences({{"task", "masked_language"}}, 48, [&](const Ids& x, const Ids& y) {
    std::int32_t mask = -1;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (y[i] != no_target) {
        if (mask < 0) mask = x[i];
        CHECK(x[i] == mask);
        CHECK(y[i] < mask);
      }
    masked += static_cast<Index>(asked_in(y));
    all += static_cast<Index>(x.size());
  });
  CHECK(static_cast<double>(masked) / static_cast<double>(all) == Approx(0.15).margin(0.03));
  for_sequences({{"task", "causal_language"}}, 30, [](const Ids& x, const Ids& y) {
    for (std::size_t i = 0; i + 1 < x.size(); ++i) CHECK(y[i] == x[i + 1]);
  });
  // A text of 300 bytes a and 30 bytes b at its end: only what is held out has b.
  const ParamSet params =
      params_for(training_experiment(),
                 {{"task", "causal_language"}, {"tokens", "6"}, {"extrapolation", "1"}});
  const std::string text = std::string(300, 'a') + std::string(33, 'b');
  const auto task = make_task(params, text_input(text.c_str()));
  Random random(1, "parts");
  const DrawnSequences learned = draw_sequences(*task, random, 200, 6, TextPart::learned);
  const DrawnSequences held_out = draw_sequences(*task, random, 200, 6, TextPart::held_out);
  CHECK(std::set<std::int32_t>(learned.tokens.begin(), learned.tokens.end()) ==
        std::set<std::int32_t>{0});
  CHECK(std::set<std::int32_t>(held_out.tokens.begin(), held_out.tokens.end()) ==
        std::set<std::int32_t>{1});
  CHECK_THROWS_AS(make_task(params, text_input("too short")), DataError);
}

TEST_CASE("A model learns to say the symbol before, and every encoding sees the same sequences") {
  const Result result = run_experiment(training_experiment(), {{"task", "copy_at"},
                                                               {"distance", "1"},
                                                               {"encoding", "rope+alibi"},
                                                               {"symbols", "4"},
                                                               {"tokens", "12"},
                                                               {"dim", "8"},
                                                               {"heads", "2"},
                                                               {"steps", "250"},
                                                               {"learning_rate", "0.01"},
                                                               {"seeds", "2"}});
  for (const char* encoding : {"rope", "alibi"}) {
    CHECK(scalar(result, std::string(encoding) + "_loss") < 0.3 * std::log(4.0));
    CHECK(scalar(result, std::string(encoding) + "_accuracy") > 0.9);
  }
  const std::vector<double>& steps = column(result, "step");
  const std::vector<double>& losses = column(result, "loss");
  REQUIRE(steps.size() == losses.size());
  CHECK(losses.front() > 1.0);
  const Table& heads = table(result, "heads");
  for (const char* score : {"previous_token", "induction", "first_token", "itself"})
    for (const double value : column(heads, score)) CHECK((value >= 0 && value <= 1 + 1e-6));
}

TEST_CASE("The title says how far each encoding has learned, on an axis of all steps") {
  const Result result = run_experiment(training_experiment(), {{"encoding", "rope+none"},
                                                               {"steps", "6"},
                                                               {"batch", "2"},
                                                               {"tokens", "12"},
                                                               {"dim", "4"},
                                                               {"heads", "2"}});
  const Figure& loss = result.figures.at(0);
  CHECK_THAT(loss.title, Catch::Matchers::StartsWith("After 6 steps of copy at: ") &&
                             Catch::Matchers::Contains("no encoding "));
  CHECK(std::get<LinePlot>(loss.content).x.range->max == 6);
  CHECK_THAT(result.figures.at(1).title,
             Catch::Matchers::StartsWith("Learned from 12 tokens, of "));
}

TEST_CASE("A run of training has the same bytes again, and seeds differ") {
  const Settings small{{"steps", "4"}, {"batch", "2"}, {"tokens", "12"}, {"encoding", "rope+t5"}};
  const Result first = run_experiment(training_experiment(), small);
  const Result again = run_experiment(training_experiment(), small);
  CHECK(column(first, "loss") == column(again, "loss"));
  Settings other = small;
  other.emplace_back("seed", "7");
  CHECK(column(first, "loss") != column(run_experiment(training_experiment(), other), "loss"));
}

TEST_CASE("Heads are named by what takes most of their weight") {
  CHECK(name_of_head({.previous = 0.9, .local = 0.9}) == "previous token");
  CHECK(name_of_head({.first = 0.6, .induction = 0.5}) == "induction");
  CHECK(name_of_head({.first = 0.6}) == "first token");
  CHECK(name_of_head({.self = 0.7}) == "itself");
  CHECK(name_of_head({.previous = 0.3, .self = 0.3, .local = 0.85}) == "local");
  CHECK(name_of_head({.local = 0.9, .farther = 0.5, .distance = 3}) == "3 tokens back");
  CHECK(name_of_head({.previous = 0.1}) == "no one thing");
}

TEST_CASE("Training refuses what does not fit") {
  const auto refused = [](const Settings& settings) {
    CHECK_THROWS_AS(run_experiment(training_experiment(), settings), UsageError);
  };
  refused({{"attention", "linear_relu"}, {"encoding", "t5"}});
  refused({{"task", "copy_at"}, {"distance", "50"}, {"tokens", "20"}});
  refused({{"encoding", "learned"}, {"learned.length", "100"}, {"tokens", "48"}});
  refused({{"steps", "1000000"}, {"batch", "1024"}, {"seeds", "64"}});
}

TEST_CASE("Encodings are compared seed by seed") {
  const auto run = [](const char* encoding, std::int64_t seed, double loss) {
    return Run{.encoding = encoding, .seed = seed, .held_out = {{.length = 8, .loss = loss}}};
  };
  const std::vector<Run> runs{run("none", 0, 5), run("rope", 1, 3), run("none", 1, 3.5),
                              run("rope", 0, 4)};
  const SeedSpread excess = excess_loss(runs, "none", "rope");
  CHECK(excess.mean == Approx(0.75));
  CHECK(excess.least == Approx(0.5));
  CHECK(excess.greatest == Approx(1));
}

TEST_CASE("A spread keeps a NaN, and the least and the greatest") {
  const SeedSpread spread = spread_of({3, 1, 2});
  CHECK(spread.mean == Approx(2));
  CHECK(spread.least == 1);
  CHECK(spread.greatest == 3);
  CHECK(std::isnan(spread_of({1, std::nan(""), 2}).greatest));
}

namespace {

/// Asks training to stop once a share of it is done, and keeps what it shows.
class Impatient final : public Progress {
 public:
  explicit Impatient(double most) : most_(most) {}
  void update(double fraction, std::string_view /*stage*/) override { done_ = fraction; }
  bool stop_requested() const override { return done_ >= most_; }
  bool wants_to_see() const override { return true; }
  void see(std::shared_ptr<Result> so_far) override { seen.push_back(std::move(so_far)); }

  std::vector<std::shared_ptr<Result>> seen{};

 private:
  double most_;
  double done_{0};
};

std::vector<std::string> ids_of(const Result& result) {
  std::vector<std::string> ids;
  for (const Figure& figure : result.figures) ids.push_back(figure.id);
  return ids;
}

const Settings in_steps{{"steps", "30"},           {"batch", "2"}, {"tokens", "12"}, {"dim", "4"},
                        {"encoding", "rope+none"}, {"seeds", "2"}};

}  // namespace

TEST_CASE("Training shows what it has found so far, and being watched changes nothing") {
  const Experiment experiment = training_experiment();
  const Result unseen = run_experiment(experiment, in_steps);
  Impatient watcher(2);
  const Result seen = experiment.run(params_for(experiment, in_steps), {}, watcher);
  CHECK(column(seen, "loss") == column(unseen, "loss"));
  CHECK(scalar(seen, "rope_loss") == scalar(unseen, "rope_loss"));
  REQUIRE(watcher.seen.size() > 10);
  for (const auto& so_far : watcher.seen) {
    CHECK(so_far->status == Status::stopped);
    CHECK(so_far->provenance.params == seen.provenance.params);
    CHECK(ids_of(*so_far) == ids_of(seen));
    CHECK(so_far->checks.empty());
  }
  CHECK(column(*watcher.seen.front(), "step").size() == 4);  // two encodings, two seeds
  CHECK(column(*watcher.seen.back(), "loss") == column(seen, "loss"));
}

TEST_CASE("A stop keeps what was trained until then: the same numbers as of the whole run") {
  const Experiment experiment = training_experiment();
  const Result whole = run_experiment(experiment, in_steps);
  Impatient stopper(0.4);
  CHECK_THROWS_AS(experiment.run(params_for(experiment, in_steps), {}, stopper), Stopped);
  REQUIRE_FALSE(stopper.seen.empty());
  const Result& kept = *stopper.seen.back();
  CHECK(kept.status == Status::stopped);
  const std::vector<double>&all = column(whole, "loss"), &some = column(kept, "loss");
  const std::size_t looks = all.size() / 4, kept_looks = some.size() / 4;
  CHECK(kept_looks < looks);
  CHECK(kept_looks >= 12);
  for (std::size_t run = 0; run < 4; ++run)
    for (std::size_t i = 0; i < kept_looks; ++i)
      CHECK(some[run * kept_looks + i] == all[run * looks + i]);
}

TEST_CASE("Each encoding begins with the best of the deviations that were tried for it") {
  Settings settings = in_steps;
  for (const char* tried : {"rates_tried", "deviations_tried"}) settings.emplace_back(tried, "3");
  settings.emplace_back("token_deviation", "0.4");
  const Result result = run_experiment(training_experiment(), settings);
  const Table& tried = table(result, "starts");
  const std::vector<double>&rates = column(tried, "learning_rate"), &losses = column(tried, "loss"),
        &deviations = column(tried, "token_deviation");
  REQUIRE(deviations.size() == 18);
  CHECK(std::set<double>(deviations.begin(), deviations.end()).size() == 3);
  CHECK(deviations.front() == Approx(0.16));
  for (std::size_t encoding = 0; encoding < 2; ++encoding) {
    const std::string name = encoding == 0 ? "rope" : "none";
    std::size_t best = 9 * encoding;
    for (std::size_t i = best; i < 9 * encoding + 9; ++i)
      if (losses[i] < losses[best]) best = i;
    CHECK(scalar(result, name + "_learning_rate") == rates[best]);
    CHECK(scalar(result, name + "_token_deviation") == deviations[best]);
    Settings alone = in_steps;
    alone.emplace_back("learning_rate", fmt::format("{}", rates[best]));
    alone.emplace_back("token_deviation", fmt::format("{}", deviations[best]));
    CHECK(scalar(result, name + "_loss") ==
          scalar(run_experiment(training_experiment(), alone), name + "_loss"));
  }
}

TEST_CASE("Each encoding is trained with the best of the rates that were tried for it") {
  Settings settings = in_steps;
  settings.emplace_back("rates_tried", "3");
  settings.emplace_back("learning_rate", "0.002");
  const Result result = run_experiment(training_experiment(), settings);
  const Table& tried = table(result, "starts");
  const std::vector<double>&rates = column(tried, "learning_rate"), &losses = column(tried, "loss");
  REQUIRE(rates == std::vector<double>{0.001, 0.002, 0.004, 0.001, 0.002, 0.004});
  for (std::size_t encoding = 0; encoding < 2; ++encoding) {
    std::size_t best = 3 * encoding;
    for (std::size_t i = best; i < 3 * encoding + 3; ++i)
      if (losses[i] < losses[best]) best = i;
    CHECK(scalar(result, encoding == 0 ? "rope_learning_rate" : "none_learning_rate") ==
          rates[best]);
  }
  // The largest learns most in ten steps: nothing of the search is left in the run.
  Settings alone = in_steps;
  alone.emplace_back("learning_rate", "0.004");
  const double rate = scalar(result, "rope_learning_rate");
  REQUIRE(rate == 0.004);
  CHECK(scalar(result, "rope_loss") ==
        scalar(run_experiment(training_experiment(), alone), "rope_loss"));
}

TEST_CASE("Models that are kept open as their families', and have the loss they were judged by") {
  struct Case {
    const char* model;
    const char* encoding;
    const char* family;
    const char* pairing;
  };
  for (const Case& one :
       {Case{"llama", "rope", "Llama", "interleaved"}, Case{"llama", "rope", "Llama", "half_split"},
        Case{"gpt2", "learned", "GPT-2", "interleaved"}}) {
    CAPTURE(one.model, one.pairing);
    const Settings settings{{"task", "causal_language"},
                            {"steps", "12"},
                            {"tokens", "12"},
                            {"batch", "2"},
                            {"dim", "4"},
                            {"heads", "2"},
                            {"model", one.model},
                            {"encoding", one.encoding},
                            {"rope.pairing", one.pairing},
                            {"checkpoints", "2"},
                            {"extrapolation", "1"}};
    const ParamSet params = params_for(training_experiment(), settings);
    const Inputs inputs = load_inputs(params).inputs;
    const Result result = run_experiment(training_experiment(), settings, inputs);
    REQUIRE(result.files.size() == 9);  // before the first step and twice later
    const TempFolder folder;
    for (const ResultFile& file : result.files) folder.file(file.path, file.bytes);
    const auto name = fmt::format("models/{}_seed_0_step_12", one.encoding);
    const PassModel model(folder.path() / name, 0);
    CHECK(model.family() == one.family);
    const auto task = make_task(params, inputs);
    const auto tokenizer = read_tokenizer(folder.path() / name);
    CHECK(tokenizer->size() == static_cast<std::size_t>(task->vocabulary()));
    Random random(0, "held-out sequences");
    double sum = 0, count = 0;
    for (int i = 0; i < 64; ++i) {
      DrawnSequences drawn = draw_sequences(*task, random, 1, 12, TextPart::held_out);
      drawn.tokens.push_back(drawn.targets.back());
      std::string bytes;
      for (const std::int32_t id : drawn.tokens) bytes += tokenizer->bytes(id);
      CHECK(tokenizer->encode(bytes) == drawn.tokens);
      CHECK(std::get<Text>(inputs.at("text")).utf8.find(bytes) != std::string::npos);
      for (const double loss :
           model.run({.tokens = drawn.tokens}, {.single = false}, nullptr).losses) {
        sum += loss;
        ++count;
      }
    }
    CHECK(scalar(result, std::string(one.encoding) + "_loss") == Approx(sum / count).epsilon(1e-5));
  }
}

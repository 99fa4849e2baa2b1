#include "app/session/result_store.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>

#include "tests/app/fixture.h"

namespace orrery {
namespace {

using namespace std::chrono_literals;

using Asker = ResultStore::Asker;
using Outcome = ResultStore::Outcome;

constexpr ResultStore::Options at_once{.patience = 0ms};  // overtaken work stops when it can
constexpr ResultStore::Options patient{.patience = 1h};   // overtaken work finishes
constexpr auto long_enough = 1h;                          // what hangs, ctest ends

template <class Condition>
void wait_until(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + long_enough;
  while (!condition()) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(1ms);
  }
}

/// An experiment that gives n back as its seed, waits at a gate where n is shut, and counts.
class Gated {
 public:
  Wish at(std::int64_t n) const {
    Wish wish{&experiment_, ParamSet(experiment_.info.params)};
    wish.params.set_value("n", n);
    return wish;
  }
  void shut(std::int64_t n) {
    with([&] { shut_.insert(n); });
  }
  void open() {
    with([&] { shut_.clear(); });
  }
  int runs_of(std::int64_t n) {
    int runs = 0;
    with([&] { runs = static_cast<int>(runs_.count(n)); });
    return runs;
  }
  void wait_for(std::int64_t n) {
    wait_until([&] { return runs_of(n) > 0; });
  }
  std::atomic<bool> stopped{false};

 private:
  void with(const std::function<void()>& use) {
    const std::lock_guard lock(mutex_);
    use();
  }
  Result run(std::int64_t n, Progress& progress) {
    with([&] { runs_.insert(n); });
    for (bool waits = true; waits; std::this_thread::sleep_for(1ms)) {
      with([&] { waits = shut_.contains(n); });
      if (!waits) break;
      if (progress.wants_to_see()) progress.see(std::make_shared<Result>(found(1000 + n)));
      try {
        checkpoint(progress, 0.5, "waiting");
      } catch (const Stopped&) {
        stopped = true;
        throw;
      }
    }
    if (n == 13) throw std::runtime_error("n=13: is unlucky");
    if (n == 14) throw 42;
    return found(n);
  }
  static Result found(std::int64_t n) {
    Result result = test::result_of({test::lines("curve", {{1, 2, 3}})});
    result.provenance.seed = n;
    return result;
  }

  std::mutex mutex_{};
  std::set<std::int64_t> shut_{};
  std::multiset<std::int64_t> runs_{};
  test::FakeExperiment experiment_{
      "gated", {test::n_param(), test::file_param()}, [this](const ParamSet& params, Progress& p) {
        return run(params.integer("n"), p);
      }};
};

std::vector<Outcome> finished(Asker& asker) {
  wait_until([&] { return !asker.status().busy; });
  return asker.take();
}

Outcome only(const std::vector<Outcome>& outcomes) {
  REQUIRE(outcomes.size() == 1);
  return outcomes.front();
}

std::int64_t seed_of(const Outcome& outcome) {
  REQUIRE(outcome.result);
  return outcome.result->provenance.seed;
}

TEST_CASE("An outcome is handed out once, with its wish") {
  Gated gated;
  ResultStore store(test::no_files, {});
  Asker asker(store);
  CHECK_FALSE(asker.has_asked());
  asker.ask(gated.at(7));
  CHECK(asker.has_asked());
  const Outcome outcome = only(finished(asker));
  CHECK(seed_of(outcome) == 7);
  CHECK(outcome.wish.params.integer("n") == 7);
  CHECK(outcome.error.empty());
  CHECK(asker.take().empty());
}

TEST_CASE("What was computed before is there at once, for every asker") {
  Gated gated;
  ResultStore store(test::no_files, {});
  Asker first(store), second(store);
  first.ask(gated.at(1));
  const Outcome computed = only(finished(first));
  first.ask(gated.at(2));
  finished(first);
  first.ask(gated.at(1));
  CHECK_FALSE(first.status().busy);
  CHECK(only(first.take()).result == computed.result);
  second.ask({gated.at(1), gated.at(2)});
  const std::vector<Outcome> both = second.take();
  REQUIRE(both.size() == 2);
  CHECK(both[0].result == computed.result);
  CHECK(both[0].seconds == computed.seconds);
  CHECK(gated.runs_of(1) == 1);
  CHECK(gated.runs_of(2) == 1);
}

TEST_CASE("Two who wish for the same share one computation, which ends when neither wishes it") {
  Gated gated;
  gated.shut(1);
  ResultStore store(test::no_files, {}, at_once);
  Asker first(store), second(store);
  first.ask(gated.at(1));
  gated.wait_for(1);
  second.ask(gated.at(1));
  CHECK(second.status().busy);
  wait_until([&] { return second.status().stage == "waiting"; });
  first.ask(gated.at(2));
  std::this_thread::sleep_for(5ms);
  CHECK_FALSE(gated.stopped);
  gated.open();
  CHECK(seed_of(only(finished(second))) == 1);
  CHECK(seed_of(finished(first).back()) == 2);
  CHECK(gated.runs_of(1) == 1);
  gated.shut(3);
  first.ask(gated.at(3));
  gated.wait_for(3);
  second.ask(gated.at(3));
  second.stop();
  first.stop();
  CHECK(finished(first).empty());
  CHECK(gated.stopped);
}

TEST_CASE("Of many wishes only the newest is computed after the one that runs") {
  Gated gated;
  gated.shut(0);
  ResultStore store(test::no_files, {}, patient);
  Asker asker(store);
  asker.ask(gated.at(0));
  gated.wait_for(0);
  for (int n = 15; n <= 65; ++n) asker.ask(gated.at(n));
  gated.open();
  CHECK(seed_of(only(finished(asker))) == 65);
  for (int n = 15; n < 65; ++n) CHECK(gated.runs_of(n) == 0);
}

TEST_CASE("Overtaken work is asked to stop once its patience is over") {
  Gated gated;
  gated.shut(1);
  ResultStore store(test::no_files, {}, at_once);
  Asker asker(store);
  asker.ask(gated.at(1));
  gated.wait_for(1);
  asker.ask(gated.at(2));
  CHECK(seed_of(only(finished(asker))) == 2);
}

TEST_CASE("Work that is wished for again while it stops is computed after all") {
  Gated gated;
  gated.shut(1);
  ResultStore store(test::no_files, {}, at_once);
  Asker asker(store);
  for (int again = 0; again < 20; ++again) {
    asker.ask(gated.at(1));
    gated.wait_for(1);
    asker.ask(gated.at(2));
  }
  asker.ask(gated.at(1));
  gated.open();
  CHECK(seed_of(finished(asker).back()) == 1);
}

TEST_CASE("Short work that is overtaken still shows its result, unless a newer one was there") {
  Gated gated;
  gated.shut(1);
  gated.shut(2);
  ResultStore store(test::no_files, {}, patient);
  Asker asker(store), other(store);
  other.ask(gated.at(3));
  finished(other);
  asker.ask(gated.at(1));
  gated.wait_for(1);
  SECTION("it comes before the newer one") {
    asker.ask(gated.at(2));
    gated.open();
    gated.wait_for(2);
    const std::vector<Outcome> outcomes = finished(asker);
    CHECK(seed_of(outcomes.back()) == 2);
  }
  SECTION("it is dropped") {
    asker.ask(gated.at(3));
    CHECK(seed_of(only(asker.take())) == 3);
    gated.open();
    CHECK(finished(asker).empty());
  }
}

TEST_CASE("Asking returns while work runs") {
  Gated gated;
  gated.shut(1);
  ResultStore store(test::no_files, {}, patient);
  Asker asker(store);
  // Were any of these to wait for the work, the test would never end.
  for (int i = 0; i < 1000; ++i) {
    asker.ask(gated.at(1));
    static_cast<void>(asker.status());
    static_cast<void>(asker.take());
  }
  CHECK(asker.status().busy);
  gated.open();
  CHECK(seed_of(only(finished(asker))) == 1);
}

TEST_CASE("One long computation does not keep others waiting") {
  Gated gated;
  ResultStore store(test::no_files, {}, patient);
  std::vector<Asker> busy;
  for (int n = 20; n < 30; ++n) {
    gated.shut(n);
    busy.emplace_back(store);
    busy.back().ask(gated.at(n));
    gated.wait_for(n);
  }
  Asker asker(store);
  asker.ask(gated.at(1));
  CHECK(seed_of(only(finished(asker))) == 1);
  gated.open();
  for (Asker& one : busy) finished(one);
}

TEST_CASE("Several wishes of one asker are computed in their order, and those still wished stay") {
  Gated gated;
  gated.shut(5);
  ResultStore store(test::no_files, {}, at_once);
  Asker asker(store);
  asker.ask({gated.at(4), gated.at(5), gated.at(6)});
  gated.wait_for(5);
  CHECK(gated.runs_of(6) == 0);
  asker.ask({gated.at(5), gated.at(7)});
  gated.open();
  const std::vector<Outcome> outcomes = finished(asker);
  REQUIRE(outcomes.size() == 2);
  CHECK(seed_of(outcomes[0]) == 5);
  CHECK(seed_of(outcomes[1]) == 7);
  CHECK(gated.runs_of(5) == 1);
  CHECK(gated.runs_of(6) == 0);
}

TEST_CASE("A failure becomes a message, and is tried again when it is wished for again") {
  Gated gated;
  ResultStore store(test::no_files, {});
  Asker asker(store);
  asker.ask(gated.at(13));
  const Outcome outcome = only(finished(asker));
  CHECK_FALSE(outcome.result);
  CHECK(outcome.failure);
  CHECK(outcome.error == "n=13: is unlucky");
  asker.ask(gated.at(13));
  finished(asker);
  CHECK(gated.runs_of(13) == 2);
  asker.ask(gated.at(14));
  CHECK(only(finished(asker)).error.find("unknown reason") != std::string::npos);
}

TEST_CASE("A failure of overtaken work is not told") {
  Gated gated;
  gated.shut(13);
  ResultStore store(test::no_files, {}, patient);
  Asker asker(store);
  asker.ask(gated.at(13));
  gated.wait_for(13);
  asker.ask(gated.at(2));
  gated.open();
  const Outcome outcome = only(finished(asker));
  CHECK(outcome.error.empty());
  CHECK(seed_of(outcome) == 2);
}

TEST_CASE("Stop ends what runs and drops what waits, without a message") {
  Gated gated;
  gated.shut(1);
  ResultStore store(test::no_files, {}, patient);
  Asker asker(store);
  asker.ask({gated.at(1), gated.at(2)});
  gated.wait_for(1);
  asker.stop();
  CHECK(finished(asker).empty());
  CHECK(gated.runs_of(2) == 0);
}

TEST_CASE("Paused work waits until it may go on, and its pause takes no time") {
  Gated gated;
  gated.shut(1);
  ResultStore store(test::no_files, {});
  Asker asker(store);
  asker.ask(gated.at(1));
  gated.wait_for(1);
  asker.pause(true);
  wait_until([&] {
    const double seconds = asker.status().seconds;
    std::this_thread::sleep_for(5ms);
    return asker.status().seconds == seconds;
  });
  CHECK(asker.status().paused);
  CHECK(asker.status().busy);
  gated.open();
  std::this_thread::sleep_for(30ms);
  CHECK(asker.status().paused);
  const double before = asker.status().seconds;
  const auto resumed = std::chrono::steady_clock::now();
  asker.pause(false);
  const Outcome outcome = only(finished(asker));
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - resumed;
  CHECK(seed_of(outcome) == 1);
  CHECK(outcome.seconds >= before);
  CHECK(outcome.seconds <= before + since.count());
  CHECK_FALSE(asker.status().paused);
  asker.pause(true);  // nothing runs
  CHECK_FALSE(asker.status().paused);
}

TEST_CASE("What another asker wishes for as well is not paused, nor what is asked for again") {
  Gated gated;
  gated.shut(1);
  ResultStore store(test::no_files, {}, patient);
  Asker asker(store), other(store);
  asker.ask(gated.at(1));
  gated.wait_for(1);
  asker.pause(true);
  other.ask(gated.at(1));
  CHECK_FALSE(asker.status().paused);
  other.stop();
  CHECK(asker.status().paused);
  asker.ask(gated.at(1));
  CHECK_FALSE(asker.status().paused);
  gated.open();
  CHECK(seed_of(only(finished(asker))) == 1);
}

TEST_CASE("Paused work stops when it is told to, and with its store") {
  Gated gated;
  gated.shut(1);
  gated.shut(2);
  ResultStore store(test::no_files, {}, patient);
  Asker asker(store);
  asker.ask(gated.at(1));
  gated.wait_for(1);
  asker.pause(true);
  asker.stop();
  CHECK(finished(asker).empty());
  asker.ask(gated.at(2));
  gated.wait_for(2);
  asker.pause(true);
}

TEST_CASE("Progress is told while work runs") {
  Gated gated;
  gated.shut(1);
  std::atomic<int> woken{0};
  ResultStore store(test::no_files, [&] { ++woken; });
  Asker asker(store);
  asker.ask(gated.at(1));
  wait_until([&] { return asker.status().stage == "waiting"; });
  CHECK(asker.status().fraction == 0.5);
  CHECK(asker.status().busy);
  gated.open();
  finished(asker);
  wait_until([&] { return woken > 0; });
}

TEST_CASE("What work has found so far is handed to who waits for it, and is no outcome") {
  Gated gated;
  gated.shut(1);
  ResultStore store(test::no_files, {}, at_once);
  Asker asker(store), other(store);
  asker.ask(gated.at(1));
  std::optional<Outcome> so_far;
  wait_until([&] {
    if (!so_far) so_far = asker.take_so_far();
    return so_far.has_value();
  });
  CHECK(seed_of(*so_far) == 1001);
  CHECK(so_far->wish.params.integer("n") == 1);
  CHECK(asker.take().empty());
  CHECK_FALSE(other.take_so_far());
  // More is found while nobody has taken it: the newest is there once.
  wait_until([&] { return asker.take_so_far().has_value(); });
  gated.open();
  CHECK(seed_of(only(finished(asker))) == 1);
  CHECK_FALSE(asker.take_so_far());
  gated.shut(2);
  asker.ask(gated.at(2));
  gated.wait_for(2);
  asker.stop();
  finished(asker);
  CHECK_FALSE(asker.take_so_far());
}

TEST_CASE("A result of files is computed again where a file has changed, and only there") {
  Gated gated;
  std::atomic<int> version{0};
  const auto make_loader = [&]() -> InputLoader {
    return [&, last = 0, loaded = std::make_shared<const Inputs>()](const ParamSet&) mutable {
      if (std::exchange(last, version.load()) != version) loaded = std::make_shared<const Inputs>();
      return loaded;
    };
  };
  ResultStore store(make_loader, {});
  Asker asker(store);
  Wish wish = gated.at(1);
  wish.params.set("q", "head.npy");
  asker.ask(wish);
  const auto first = only(finished(asker)).result;
  asker.ask(wish);
  CHECK(only(finished(asker)).result == first);
  ++version;
  asker.ask(wish);
  CHECK(only(finished(asker)).result != first);
  CHECK(gated.runs_of(1) == 2);
}

TEST_CASE("Without room nothing is kept") {
  Gated gated;
  ResultStore store(test::no_files, {}, {.max_bytes = 0});
  Asker asker(store);
  for (int i = 0; i < 3; ++i) {
    asker.ask(gated.at(1));
    finished(asker);
  }
  CHECK(gated.runs_of(1) == 3);
}

TEST_CASE("Destroying a store ends its work; an asker may outlive it") {
  Gated gated;
  gated.shut(1);
  auto store = std::make_unique<ResultStore>(test::no_files, std::function<void()>(), patient);
  Asker asker(*store), dropped(*store);
  asker.ask(gated.at(1));
  gated.wait_for(1);
  CHECK_FALSE(gated.stopped);
  store.reset();
  CHECK(gated.stopped);
  asker.ask(gated.at(2));
  CHECK(asker.take().empty());
  CHECK(gated.runs_of(2) == 0);
}

Result map_of(std::size_t side) { return test::result_of({test::map("map", side, side)}); }

TEST_CASE("A memo keeps the results used last, as many as fit") {
  const std::size_t one = bytes_of(map_of(64));
  CHECK(one >= 64 * 64 * sizeof(float));
  CHECK(one < 64 * 64 * sizeof(float) + 2048);
  ResultMemo memo(3 * one);
  const auto keep = [&](const std::string& key, std::size_t side = 64) {
    memo.keep(key, {.result = std::make_shared<const Result>(map_of(side))});
  };
  const auto has = [&](const std::string& key) { return memo.find(key, nullptr) != nullptr; };
  for (const char* key : {"a", "b", "c"}) keep(key);
  CHECK(has("a"));  // is used
  keep("d");
  CHECK(has("a"));
  CHECK_FALSE(has("b"));
  CHECK(memo.bytes() == 3 * one);
  keep("larger than all", 256);
  CHECK_FALSE(has("larger than all"));
  CHECK(memo.size() == 3);
  keep("a");
  CHECK(memo.bytes() == 3 * one);
}

TEST_CASE("An array that figures share counts once") {
  Result result = map_of(64);
  const std::size_t one = bytes_of(result);
  result.figures.push_back(result.figures.front());
  result.arrays.push_back(std::get<Heatmap>(result.figures.front().content).values);
  CHECK(bytes_of(result) == one);
}

}  // namespace
}  // namespace orrery

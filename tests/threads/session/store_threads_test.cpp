// The store of results, tasks and sessions from several threads. The assertions are few: ThreadSanitizer looks on.
#include <catch2/catch.hpp>
#include <vector>

#include "app/session/task.h"
#include "tests/threads/session/experiments.h"

using namespace orrery;
using namespace std::chrono_literals;

namespace {

constexpr auto long_enough = 1h;  // what hangs, ctest ends

template <class Condition>
void wait_until(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + long_enough;
  while (!condition()) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(1ms);
  }
}

/// Counts what should not be: Catch2's own checks are not for several threads.
void use(ResultStore::Asker& asker, const Experiment& experiment, int rounds,
         std::atomic<int>& wrong) {
  ParamSet params(experiment.info.params);
  for (int round = 0; round < rounds; ++round) {
    std::vector<Wish> wishes;
    for (int i = 0; i <= round % 3; ++i) {
      params.set_value("n", std::int64_t{(round + i) % 9 == 8 ? 91 : (round + i) % 20});
      wishes.push_back({&experiment, params});
    }
    asker.ask(std::move(wishes));
    const ResultStore::Status status = asker.status();
    if (!(status.fraction <= 1.0)) ++wrong;
    if (round % 5 == 4) asker.stop();
    for (const ResultStore::Outcome& outcome : asker.take())
      if (outcome.result && outcome.result->provenance.seed != outcome.wish.params.integer("n"))
        ++wrong;
  }
}

}  // namespace

TEST_CASE("Threads ask one store, watch it, stop it and take from it") {
  const Experiment experiment = test::working_experiment("one");
  for (int again = 0; again < 10; ++again) {
    std::atomic<int> woken{0}, wrong{0};
    ResultStore store(test::loads_nothing, [&] { ++woken; }, {.patience = 1ms});
    ResultStore::Asker shared(store);
    {
      std::vector<std::jthread> users;
      for (int i = 0; i < 3; ++i)
        users.emplace_back([&, i] {
          ResultStore::Asker own(store);
          use(i == 0 ? own : shared, experiment, 60, wrong);
        });
    }
    CHECK(wrong == 0);
    ParamSet params(experiment.info.params);
    params.set("n", "10");
    shared.ask({&experiment, params});
    wait_until([&] { return !shared.status().busy; });
    CHECK_FALSE(shared.take().empty());
    CHECK(woken > 0);
  }
}

TEST_CASE("A store is destroyed before, while and after its work runs") {
  const Experiment experiment = test::working_experiment("one");
  ParamSet params(experiment.info.params);
  params.set("n", "100000");
  for (int again = 0; again < 60; ++again) {
    ResultStore store(test::loads_nothing, {}, {.patience = 1h});
    ResultStore::Asker asker(store);
    asker.ask({&experiment, params});
    if (again % 3 > 0) wait_until([&] { return asker.status().fraction > 0; });
    if (again % 3 > 1) asker.stop();
    if (again % 2 > 0) asker.ask({&experiment, ParamSet(experiment.info.params)});
  }
}

TEST_CASE("Tasks are taken, waited for, copied and dropped") {
  std::atomic<int> woken{0};
  for (int i = 0; i < 100; ++i) {
    BackgroundTask<std::string> task(
        [i] {
          if (i % 3 == 0) throw std::runtime_error("every third fails");
          return std::string("read ") + std::to_string(i);
        },
        [&] { ++woken; });
    if (i % 4 == 0) continue;  // dropped
    const BackgroundTask<std::string> copy = task;
    std::jthread waiter([copy] { copy.wait(); });
    wait_until([&] { return !task.is_running(); });
    const auto outcome = task.take();
    REQUIRE(outcome);
    CHECK(outcome->value.has_value() == (i % 3 != 0));
  }
  wait_until([&] { return woken == 100; });
}

TEST_CASE("A waker that is gone wakes nobody, whoever calls it meanwhile") {
  for (int again = 0; again < 30; ++again) {
    std::atomic<bool> gone{false}, called{false}, called_late{false};
    std::function<void()> wake;
    std::vector<std::jthread> callers;
    {
      const Waker waker([&] {
        called = true;
        called_late = called_late || gone;
      });
      wake = waker.function();
      for (int i = 0; i < 3; ++i)
        callers.emplace_back([wake](const std::stop_token& stop) {
          for (; !stop.stop_requested(); std::this_thread::sleep_for(20us)) wake();
        });
      wait_until([&] { return called.load(); });
    }
    gone = true;
    wake();
    callers.clear();
    CHECK_FALSE(called_late);
  }
}

TEST_CASE("A session computes, previews, stops, fails and forgets") {
  const Experiment one = test::working_experiment("one"), two = test::working_experiment("two");
  std::atomic<int> woken{0};
  Session session({&one, &two}, test::loads_nothing, [&] { ++woken; });
  ParamSet previewed(one.info.params);
  for (int round = 0; round < 150; ++round) {
    session.select(static_cast<std::size_t>(round % 2));
    session.set("n", std::to_string(round % 7 == 6 ? 91 : round % 20));
    previewed.set("n", std::to_string(round % 5));
    if (round % 3 == 0) session.preview(Session::Beside::at_distance, previewed);
    if (round % 11 == 10) session.stop();
    if (round % 37 == 36) session.forget();
    session.update();
    CHECK(session.status().fraction <= 1.0);
    std::this_thread::sleep_for(std::chrono::milliseconds(round % 3));
  }
  session.set("n", "4");
  session.recompute();
  wait_until([&] {
    session.update();
    return !session.busy() && !session.is_previewing();
  });
  session.update();
  REQUIRE(session.current().result);
  CHECK(session.current().result->provenance.seed == 4);
  CHECK(woken > 0);
}

TEST_CASE("A session is closed while its experiments and its preview run") {
  const Experiment one = test::working_experiment("one"), two = test::working_experiment("two");
  for (int again = 0; again < 20; ++again) {
    Session session({&one, &two}, test::loads_nothing, [] {});
    ParamSet params(one.info.params);
    params.set("n", "100000");
    session.set("n", "100000");
    session.select(1);
    session.preview(Session::Beside::at_distance, params);
    std::this_thread::sleep_for(std::chrono::milliseconds(again % 5));
    session.update();
  }
}

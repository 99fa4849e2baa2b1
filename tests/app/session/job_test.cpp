#include "app/session/job.h"
#include "tests/app/layers.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

namespace orrery {
namespace {

using namespace std::chrono_literals;

constexpr auto at_once = 0ms;         // overtaken work stops at its next checkpoint
constexpr auto never_impatient = 1h;  // overtaken work finishes
constexpr auto long_enough = 20s;     // a test that waits longer has failed

/// A gate that work waits at, polling for a request to stop.
class Gate {
 public:
  void open() { open_ = true; }
  void pass(Progress& progress) const {
    while (!open_) {
      checkpoint(progress, 0.5, "waiting");
      std::this_thread::sleep_for(1ms);
    }
  }

 private:
  std::atomic<bool> open_{false};
};

Result numbered(std::int64_t seed) {
  Result result;
  result.provenance.seed = seed;
  return result;
}

template <class Condition>
void wait_until(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + long_enough;
  while (!condition()) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(1ms);
  }
}

Job::Outcome finished(Job& job) {
  wait_until([&] { return !job.status().busy; });
  std::optional<Job::Outcome> outcome = job.take();
  REQUIRE(outcome);
  return *outcome;
}

TEST_CASE("A job hands out its result once, with its ticket") {
  Job job({});
  const auto ticket = job.submit([](Progress&) { return numbered(7); });
  const Job::Outcome outcome = finished(job);
  CHECK(outcome.ticket == ticket);
  REQUIRE(outcome.result);
  CHECK(outcome.result->provenance.seed == 7);
  CHECK(outcome.error.empty());
  CHECK_FALSE(job.take());
}

TEST_CASE("Of many requests only the newest is computed after the one that runs") {
  Job job({}, never_impatient);
  Gate gate;
  std::atomic<int> started{0};
  const auto first = [&](Progress& progress) {
    ++started;
    gate.pass(progress);
    return numbered(0);
  };
  job.submit(first);
  wait_until([&] { return started == 1; });
  for (int i = 1; i <= 50; ++i)
    job.submit([&started, i](Progress&) {
      ++started;
      return numbered(i);
    });
  gate.open();
  CHECK(finished(job).result->provenance.seed == 50);
  CHECK(started == 2);
}

TEST_CASE("Overtaken work is asked to stop once its patience is over") {
  Job job({}, at_once);
  Gate never;
  std::atomic<bool> started{false};
  job.submit([&](Progress& progress) {
    started = true;
    never.pass(progress);
    return numbered(1);
  });
  wait_until([&] { return started.load(); });
  job.submit([](Progress&) { return numbered(2); });
  const Job::Outcome outcome = finished(job);
  REQUIRE(outcome.result);
  CHECK(outcome.result->provenance.seed == 2);
}

TEST_CASE("Short work that is overtaken still shows its result") {
  Job job({}, never_impatient);
  Gate first, second;
  std::atomic<bool> first_started{false}, second_started{false};
  job.submit([&](Progress& progress) {
    first_started = true;
    first.pass(progress);
    return numbered(1);
  });
  wait_until([&] { return first_started.load(); });
  job.submit([&](Progress& progress) {
    second_started = true;
    second.pass(progress);
    return numbered(2);
  });
  first.open();
  wait_until([&] { return second_started.load(); });
  const std::optional<Job::Outcome> early = job.take();
  REQUIRE(early);
  CHECK(early->result->provenance.seed == 1);
  second.open();
  CHECK(finished(job).result->provenance.seed == 2);
}

TEST_CASE("Submitting returns while work runs") {
  Job job({}, never_impatient);
  Gate gate;
  job.submit([&](Progress& progress) {
    gate.pass(progress);
    return numbered(1);
  });
  // Were any of these to wait for the work, the test would never end.
  for (int i = 0; i < 1000; ++i) {
    job.submit([](Progress&) { return numbered(2); });
    static_cast<void>(job.status());
    static_cast<void>(job.take());
  }
  CHECK(job.status().busy);
  gate.open();
}

TEST_CASE("A failure becomes a message") {
  Job job({});
  SECTION("with what() of an exception") {
    job.submit([](Progress&) -> Result { throw std::runtime_error("dim=3: must be even"); });
    CHECK(finished(job).error == "dim=3: must be even");
  }
  SECTION("or in general words") {
    job.submit([](Progress&) -> Result { throw 42; });
    CHECK(finished(job).error.find("unknown reason") != std::string::npos);
  }
}

TEST_CASE("A failure of overtaken work is not told") {
  Job job({}, never_impatient);
  Gate gate;
  std::atomic<bool> started{false};
  job.submit([&](Progress& progress) -> Result {
    started = true;
    gate.pass(progress);
    throw std::runtime_error("nobody's business");
  });
  wait_until([&] { return started.load(); });
  job.submit([](Progress&) { return numbered(2); });
  gate.open();
  const Job::Outcome outcome = finished(job);
  CHECK(outcome.error.empty());
  CHECK(outcome.result->provenance.seed == 2);
}

TEST_CASE("Stop ends what runs and drops what waits, without a message") {
  Job job({}, never_impatient);
  Gate never;
  std::atomic<bool> started{false}, second{false};
  job.submit([&](Progress& progress) {
    started = true;
    never.pass(progress);
    return numbered(1);
  });
  wait_until([&] { return started.load(); });
  job.submit([&](Progress&) {
    second = true;
    return numbered(2);
  });
  job.stop();
  wait_until([&] { return !job.status().busy; });
  CHECK_FALSE(job.take());
  CHECK_FALSE(second);
}

TEST_CASE("Progress is told while work runs") {
  std::atomic<int> woken{0};
  Job job([&] { ++woken; });
  Gate gate;
  job.submit([&](Progress& progress) {
    gate.pass(progress);
    return numbered(1);
  });
  wait_until([&] { return job.status().stage == "waiting"; });
  CHECK(job.status().fraction == 0.5);
  CHECK(job.status().busy);
  gate.open();
  wait_until([&] { return !job.status().busy; });
  wait_until([&] { return woken > 0; });
}

TEST_CASE("Destroying a job ends its work") {
  Gate never;
  std::atomic<bool> started{false}, stopped{false};
  {
    Job job({}, never_impatient);
    job.submit([&](Progress& progress) {
      started = true;
      try {
        never.pass(progress);
      } catch (...) {
        stopped = true;
        throw;
      }
      return numbered(1);
    });
    wait_until([&] { return started.load(); });
    CHECK_FALSE(stopped);
  }
  CHECK(stopped);
}

}  // namespace
}  // namespace orrery

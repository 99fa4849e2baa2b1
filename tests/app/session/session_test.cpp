#include "app/session/session.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "tests/app/fixture.h"

namespace orrery {
namespace {

using namespace std::chrono_literals;

void settle(Session& session) {
  while (session.busy()) std::this_thread::sleep_for(1ms);
  session.update();
}

/// Gives n back as its seed; fails for n = 13, in the experiment.
test::FakeExperiment echo() {
  return {"echo", {test::n_param(), test::file_param()}, [](const ParamSet& params, Progress&) {
            const std::int64_t n = params.integer("n");
            if (n == 13) throw std::runtime_error("n=13: is unlucky; try n=14");
            Result result = test::result_of({test::lines("curve", {{1, 2, 3}})});
            result.provenance.seed = n;
            return result;
          }};
}

test::FakeExperiment counting(std::atomic<int>& runs) {
  return {"count", {test::n_param()}, [&runs](const ParamSet&, Progress&) {
            ++runs;
            return test::result_of({});
          }};
}

InputLoader refusing_loader() {
  return [](const ParamSet& params) {
    if (!params.text("q").empty())
      throw std::runtime_error("q=" + params.text("q") + ": does not exist; check the path");
    return std::make_shared<const Inputs>();
  };
}

TEST_CASE("Selecting an experiment computes it once") {
  std::atomic<int> runs{0};
  const test::FakeExperiment experiment = counting(runs);
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  settle(session);
  session.select(0);
  settle(session);
  CHECK(runs == 1);
  CHECK(session.current().result);
  CHECK_FALSE(session.current().is_stale());
}

TEST_CASE("A changed parameter brings a new result") {
  const test::FakeExperiment experiment = echo();
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  settle(session);
  CHECK(session.set("n", "42"));
  settle(session);
  CHECK(session.current().result->provenance.seed == 42);
  session.reset("n");
  CHECK(session.current().result->provenance.seed == 10);  // at once: it was computed before
  CHECK_FALSE(session.busy());
}

TEST_CASE("Going back to settings before computes nothing") {
  std::atomic<int> runs{0};
  const test::FakeExperiment experiment = counting(runs);
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  settle(session);
  const DesktopState before = session.snapshot();
  const auto result = session.current().result;
  session.set("n", "20");
  settle(session);
  session.apply(before);
  CHECK(session.current().result == result);
  CHECK_FALSE(session.current().is_stale());
  CHECK(session.sweep("n", 10, 20));
  settle(session);
  while (session.is_sweeping()) std::this_thread::sleep_for(1ms);
  session.update();
  CHECK(session.swept()->is_complete());
  CHECK(static_cast<std::size_t>(runs) == session.swept()->size());
}

TEST_CASE("A value that its ParamSpec refuses changes nothing and says why") {
  const test::FakeExperiment experiment = echo();
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  settle(session);
  const auto result = session.current().result;
  CHECK_FALSE(session.set("n", "1000"));
  CHECK(session.current().message.find("n=1000") != std::string::npos);
  CHECK(session.current().params.integer("n") == 10);
  CHECK_FALSE(session.busy());
  CHECK(session.current().result == result);
  CHECK_FALSE(session.set("m", "1"));
  CHECK_FALSE(session.set("n", "ten"));
  session.dismiss();
  CHECK(session.current().message.empty());
}

TEST_CASE("A job that fails leaves the last result on screen, and there is a way back") {
  const test::FakeExperiment experiment = echo();
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  session.select_figure("curve");
  session.view("curve").x = Range{1, 2};
  settle(session);
  const auto result = session.current().result;
  session.set("n", "13");
  settle(session);
  CHECK(session.current().message == "n=13: is unlucky; try n=14");
  CHECK(session.current().failure);
  CHECK(session.current().result == result);
  CHECK(session.current().is_stale());
  CHECK(session.view("curve").x == Range{1, 2});
  CHECK(session.current().figure == "curve");
  session.restore();
  CHECK(session.current().params.integer("n") == 10);
  CHECK(session.current().message.empty());
  CHECK_FALSE(session.current().is_stale());
}

TEST_CASE("A wrong file keeps the picture and names the file") {
  const test::FakeExperiment experiment = echo();
  Session session({&experiment}, refusing_loader, {});
  session.select(0);
  settle(session);
  const auto result = session.current().result;
  session.set("q", "nowhere.npy");
  settle(session);
  CHECK(session.current().message == "q=nowhere.npy: does not exist; check the path");
  CHECK(session.current().result == result);
  session.reset("q");
  CHECK(session.current().message.empty());
  CHECK(session.current().result == result);  // at once
  CHECK_FALSE(session.current().is_stale());
}

TEST_CASE("A result takes back what its job's forerunner said, and nothing else") {
  const test::FakeExperiment experiment = echo();
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  settle(session);
  session.set("n", "13");  // fails
  settle(session);
  session.set("n", "14");
  CHECK_FALSE(session.set("n", "1000"));  // while 14 is being computed
  settle(session);
  CHECK(session.current().result->provenance.seed == 14);
  CHECK(session.current().message.find("n=1000") != std::string::npos);
  session.set("n", "15");
  settle(session);
  CHECK(session.current().message.empty());
}

TEST_CASE("Each experiment keeps its own parameters, message and picture") {
  const test::FakeExperiment a = echo();
  const test::FakeExperiment b = echo();
  Session session({&a, &b}, test::no_files, {});
  session.select(0);
  session.set("n", "13");
  settle(session);
  session.select(1);
  settle(session);
  CHECK(session.current().message.empty());
  CHECK(session.current().params.integer("n") == 10);
  session.select(0);
  CHECK_FALSE(session.current().message.empty());
  CHECK(session.current().params.integer("n") == 13);
}

TEST_CASE("Stop says that the picture is of the settings before, and computing again is offered") {
  std::atomic<bool> started{false}, open{true};
  const test::FakeExperiment experiment("slow", {test::n_param()},
                                        [&](const ParamSet&, Progress& progress) {
                                          started = true;
                                          while (!open) checkpoint(progress, 0.1, "waiting");
                                          return test::result_of({});
                                        });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  settle(session);
  open = false;
  started = false;
  session.set("n", "20");
  while (!started) std::this_thread::sleep_for(1ms);
  session.stop();
  settle(session);
  CHECK(session.current().message.find("Stopped") == 0);
  CHECK(session.current().is_stale());
  open = true;
  session.recompute();
  settle(session);
  CHECK_FALSE(session.current().is_stale());
  CHECK(session.current().message.empty());
}

}  // namespace
}  // namespace orrery

#include "core/parallel.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace orrery;

TEST_CASE("Every item is done once, with any number of threads") {
  for (const int threads : {-1, 0, 1, 2, 5, 100})
    for (const std::ptrdiff_t count : {0, 1, 3, 64}) {
      std::vector<std::atomic<int>> done(static_cast<std::size_t>(count));
      std::atomic<int> workers{0};
      in_parallel(count, threads, [&] {
        ++workers;
        return [&](std::ptrdiff_t item) { ++done[static_cast<std::size_t>(item)]; };
      });
      for (const std::atomic<int>& times : done) CHECK(times == 1);
      CHECK(workers >= 1);
      CHECK(workers <= (threads > 1 ? threads : 1));
    }
}

TEST_CASE("An exception of an item ends the work and is thrown to the caller") {
  for (const int threads : {1, 4}) {
    const auto fail = [] {
      return [](std::ptrdiff_t item) {
        if (item == 7) throw std::runtime_error("item 7");
      };
    };
    CHECK_THROWS_WITH(in_parallel(100, threads, fail), "item 7");
    const auto fail_at_once = []() -> std::function<void(std::ptrdiff_t)> {
      throw std::runtime_error("no worker");
    };
    CHECK_THROWS_WITH(in_parallel(100, threads, fail_at_once), "no worker");
  }
}

namespace {

/// The items of `count` parts of 10 items each, in parallel and in turn in parallel.
std::int64_t sum_of_parts(std::ptrdiff_t count) {
  std::vector<std::int64_t> sums(static_cast<std::size_t>(count));
  in_parallel(count, 3, [&] {
    return [&](std::ptrdiff_t part) {
      std::vector<std::int64_t> items(10);
      in_parallel(10, 2, [&] {
        return
            [&](std::ptrdiff_t item) { items[static_cast<std::size_t>(item)] = 10 * part + item; };
      });
      for (const std::int64_t item : items) sums[static_cast<std::size_t>(part)] += item;
    };
  });
  std::int64_t sum = 0;
  for (const std::int64_t part : sums) sum += part;
  return sum;
}

}  // namespace

TEST_CASE("Work within work, from several threads at once, call after call, is done once each") {
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 3; ++caller)
    callers.emplace_back([&] {
      for (std::ptrdiff_t parts = 1; parts < 60; ++parts)
        if (sum_of_parts(parts) != 10 * parts * (10 * parts - 1) / 2) ++wrong;
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == 0);
}

TEST_CASE("Threads that have slept since the last call come again") {
  for (int call = 0; call < 20; ++call) {
    std::atomic<int> together{0};
    in_parallel(2, 2, [&] {
      return [&](std::ptrdiff_t) {
        ++together;
        while (together < 2) std::this_thread::yield();  // neither ends before the other comes
      };
    });
    CHECK(together == 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(call % 3));
  }
}

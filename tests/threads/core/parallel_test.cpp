#include "core/parallel.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cstddef>
#include <stdexcept>
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

#include "core/kernels/level.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <initializer_list>
#include <set>
#include <sstream>
#include <string>

using namespace orrery::kernels;

TEST_CASE("A level is there where the CPU says that it has its instructions") {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  std::set<std::string> flags;
  while (flags.empty() && std::getline(file, line)) {
    std::istringstream words(line);
    std::string word;
    if (!line.starts_with("flags")) continue;
    while (words >> word) flags.insert(word);
  }
  if (flags.empty()) return;  // another architecture
  const auto has = [&](std::initializer_list<const char*> all) {
    return std::all_of(all.begin(), all.end(), [&](const char* f) { return flags.contains(f); });
  };
  const bool v3 = has({"avx2", "fma", "bmi2"});
  const bool v4 = v3 && has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  CHECK(has_level(Level::baseline));
  CHECK(std::string(name(Level::baseline)) == "baseline");
  CHECK(std::string(name(Level::v3)) == "x86-64-v3");
  CHECK(std::string(name(Level::v4)) == "x86-64-v4");
  // A program need not hold every level.
  if (!v3) CHECK_FALSE(has_level(Level::v3));
  if (!v4) CHECK_FALSE(has_level(Level::v4));
  if (has_level(Level::v3)) CHECK(has_level(Level::v4) == v4);
  CHECK(best_level() == (has_level(Level::v4)   ? Level::v4
                         : has_level(Level::v3) ? Level::v3
                                                : Level::baseline));
}

TEST_CASE("A level needs each of its instructions") {
  for (int bits = 0; bits < 256; ++bits) {
    const auto has = [&](int bit) { return (bits & (1 << bit)) != 0; };
    const CpuFlags cpu{has(0), has(1), has(2), has(3), has(4), has(5), has(6), has(7)};
    const bool v3 = bits % 8 == 7, v4 = bits == 255;
    CHECK(highest_level(cpu) == (v4 ? Level::v4 : v3 ? Level::v3 : Level::baseline));
  }
}

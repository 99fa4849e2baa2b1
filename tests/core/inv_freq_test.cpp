// θ in fp32 against PyTorch's on three kinds of machine: tests/golden/generate_inv_freq.py.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/largest.h"
#include "core/encodings/frequencies.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

struct Table {
  Index d;
  double base;
  std::vector<std::int64_t> bits;
};

/// PyTorch's tables with one of its sets of kernels.
std::vector<Table> tables_of(const std::string& capability) {
  static const nlohmann::json json = golden("inv_freq.json");
  std::vector<Table> tables;
  for (const auto& c : json.at("cases")) {
    Table table{c.at("d"), c.at("base"), c.at("default")};
    if (capability != "default")
      for (const auto& change : c.at(capability))
        table.bits.at(change[0].get<std::size_t>()) += change[1].get<std::int64_t>();
    tables.push_back(std::move(table));
  }
  return tables;
}

struct Gap {
  std::int64_t units{}, pairs{};
  double angle{};  ///< rad, at position 131072
};

Gap gap_of(const Table& table) {
  const std::vector<double> theta = inverse_frequencies(table.d, table.base, Precision::fp32);
  REQUIRE(theta.size() == table.bits.size());
  Gap gap;
  Largest angle;
  for (std::size_t t = 0; t < theta.size(); ++t) {
    const auto ours = std::bit_cast<std::uint32_t>(static_cast<float>(theta[t]));
    const std::int64_t apart = std::abs(static_cast<std::int64_t>(ours) - table.bits[t]);
    const auto theirs = std::bit_cast<float>(static_cast<std::uint32_t>(table.bits[t]));
    if (apart > gap.units) gap.units = apart;
    gap.pairs += apart == 0 ? 0 : 1;
    angle.see(131072 * std::abs(theta[t] - static_cast<double>(theirs)));
  }
  gap.angle = angle.value();
  return gap;
}

using Place = std::pair<double, Index>;  // base and width

}  // namespace

TEST_CASE("θ is PyTorch's bit for bit where the C library's powf makes it, but for two of 60") {
  std::set<Place> off;
  for (const Table& table : tables_of("default")) {
    const Gap gap = gap_of(table);
    CHECK(gap.units <= 1);
    if (gap.units > 0) off.insert({table.base, table.d});
  }
  CHECK(off == std::set<Place>{{25000, 160}, {1e6, 112}});
}

TEST_CASE(
    "With PyTorch's vectorised powers θ is within 2 units, and equal where it is said to be") {
  const std::map<double, std::set<Index>> equal{{10000, {32, 64, 80, 128, 160}},
                                                {25000, {32, 48, 80, 96}},
                                                {150000, {48, 112}},
                                                {500000, {32, 48, 64, 80, 128, 160, 256}},
                                                {1e6, {32, 48, 64, 80, 96, 192}},
                                                {1e7, {32, 48, 64, 96, 128, 192, 256}}};
  std::map<double, std::set<Index>> found;
  const std::vector<Table> avx2 = tables_of("avx2"), avx512 = tables_of("avx512"),
                           plain = tables_of("default");
  CHECK(avx2.size() == 60);
  for (std::size_t i = 0; i < avx2.size(); ++i) {
    INFO("d = " << avx2[i].d << ", base " << avx2[i].base);
    const bool two = avx2[i].base == 25000 || (avx2[i].base == 500000 && avx2[i].d == 112);
    bool same = gap_of(plain[i]).units == 0;
    for (const Table& table : {avx2[i], avx512[i]}) {
      const Gap gap = gap_of(table);
      CHECK(gap.units <= (two ? 2 : 1));
      CHECK(gap.pairs <= 5);
      CHECK(gap.angle <= 0x1p-7);
      same = same && gap.units == 0;
    }
    if (same) found[avx2[i].base].insert(avx2[i].d);
  }
  CHECK(found == equal);
}

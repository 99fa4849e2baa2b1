#include "core/analysis/score_chain.h"

#include <catch2/catch.hpp>

#include "core/errors.h"
#include "tests/support/rotation_golden.h"

using namespace orrery;
using orrery::test::golden;
using orrery::test::rope_of;

TEST_CASE(
    "The chain of eq. (35) equals mpmath's, link by link, for both pairings and partial RoPE") {
  const auto file = golden("rotation.json");
  const auto q = file.at("q").get<std::vector<double>>();
  const auto k = file.at("k").get<std::vector<double>>();
  for (const auto& c : file.at("cases")) {
    INFO(c.dump());
    const Position r = c.at("m").get<Position>() - c.at("n").get<Position>();
    const ScoreChain chain = score_chain(rope_of(c), q, k, r);
    const auto& links = c.at("links");
    REQUIRE(chain.links.size() == links.size());
    for (std::size_t t = 0; t < links.size(); ++t) {
      CHECK(chain.links[t].real() == Approx(links.at(t).at(0).get<double>()).margin(1e-14));
      CHECK(chain.links[t].imag() == Approx(links.at(t).at(1).get<double>()).margin(1e-14));
    }
    CHECK(chain.rest == Approx(c.at("rest").get<double>()).margin(1e-15));
    CHECK(chain.end().real() == Approx(c.at("score").get<double>()).margin(1e-14));
  }
}

TEST_CASE("By hand: q = k = (1, 0, 0, 2) at distance 0 makes links of 1 and 4") {
  const Rope<double> rope({.d_head = 4});
  const std::vector<double> x{1, 0, 0, 2};
  const ScoreChain chain = score_chain(rope, x, x, 0);
  CHECK(chain.links == std::vector<std::complex<double>>{1.0, 4.0});
  CHECK(chain.ends() == std::vector<std::complex<double>>{1.0, 5.0});
  CHECK(chain.end() == 5.0);
}

TEST_CASE("A quarter turn of the first pair takes its link to i") {
  const Rope<double> rope({.d_head = 2});
  const std::vector<double> x{1, 0};
  const std::complex<double> link = score_chain(rope, x, std::vector<double>{0, -1}, 0).links[0];
  CHECK(link == std::complex(0.0, 1.0));  // 1 · conj(−i)
}

TEST_CASE("A vector of another head is refused") {
  const Rope<double> rope({.d_head = 4});
  CHECK_THROWS_AS(score_chain(rope, std::vector<double>(6), std::vector<double>(4), 1), UsageError);
}

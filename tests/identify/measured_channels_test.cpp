// Channels that no released rope pairs, and lengths that xPos changes.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "core/encodings/xpos.h"
#include "core/random.h"
#include "experiments/identify/measured_channels.h"

using namespace orrery;

namespace {
namespace measured_channels {

constexpr Index rows = 24, heads = 2;

Matrix<double> random_rows(Random& random, Index channels) {
  Matrix<double> x(heads * rows, channels);
  for (Index i = 0; i < x.size(); ++i)
    x.data()[i] = static_cast<double>(static_cast<float>(random.normal()));
  return x;
}

RotationSample sampled(const Matrix<double>& before, const Matrix<double>& after,
                       Position first_position) {
  AxisPositions positions(rows, 1);
  for (Index n = 0; n < rows; ++n) positions(n, 0) = first_position + n;
  return sample_of({.heads = heads, .before = before, .after = after, .positions = positions}, rows,
                   heads);
}

/// As fp32 stores it.
Matrix<double> rounded(const Matrix<double>& x) { return x.cast<float>().cast<double>(); }

}  // namespace measured_channels
}  // namespace

TEST_CASE("Pairs are found wherever their channels lie, the fastest first") {
  using namespace measured_channels;
  for (const std::int64_t seed : {1, 2, 3}) {
    Random random(seed, "pairs");
    constexpr Index pairs = 12;
    std::vector<Index> order(2 * pairs + 3);  // three channels stay
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1],
                order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
    const Matrix<double> x = random_rows(random, 2 * pairs + 3);
    Matrix<double> y = x;
    for (Index t = 0; t < pairs; ++t) {
      const Index a = order[static_cast<std::size_t>(2 * t)],
                  b = order[static_cast<std::size_t>(2 * t + 1)];
      const double theta = std::pow(1000.0, -static_cast<double>(t) / pairs);
      for (Index i = 0; i < x.rows(); ++i) {
        const double angle = theta * static_cast<double>(5 + i % rows);
        y(i, a) = x(i, a) * std::cos(angle) - x(i, b) * std::sin(angle);
        y(i, b) = x(i, a) * std::sin(angle) + x(i, b) * std::cos(angle);
      }
    }
    const std::vector<ChannelPair> found = measured_pairs(sampled(x, rounded(y), 5));
    REQUIRE(found.size() == pairs);
    for (std::size_t t = 0; t < found.size(); ++t) {
      CHECK(found[t].a == order[2 * t]);
      CHECK(found[t].b == order[2 * t + 1]);
    }
  }
}

TEST_CASE("No pairs are found of what does not keep its length") {
  using namespace measured_channels;
  Random random(4, "no pairs");
  const Matrix<double> x = random_rows(random, 16), y = random_rows(random, 16);
  CHECK(measured_pairs(sampled(x, y, 0)).empty());
  CHECK(!measured_decay(sampled(x, y, 0)));
}

TEST_CASE("The decay of xPos is read off the lengths of pairs, of queries and of keys") {
  using namespace measured_channels;
  const auto [gamma, scale_base, centre] =
      GENERATE(std::tuple{0.4, 512.0, Position{12}}, std::tuple{0.4, 100.0, Position{0}},
               std::tuple{0.25, 800.0, Position{40}});
  const Xpos<double> xpos(
      {.d_head = 16, .scale_base = scale_base, .gamma = gamma, .centre = centre});
  Random random(5, "decay");
  const Matrix<double> x = random_rows(random, 16);
  Positions positions;
  for (Index i = 0; i < heads * rows; ++i) positions.push_back(7 + i % rows);
  for (const bool of_keys : {false, true}) {
    Matrix<double> y = x;
    if (of_keys)
      xpos.transform_keys(positions, y);
    else
      xpos.transform_queries(positions, y);
    const auto found = measured_decay(sampled(x, rounded(y), 7));
    REQUIRE(found);
    CHECK(found->slice.pairing == RopePairing::interleaved);
    CHECK(found->gamma == Approx(gamma).epsilon(1e-3));
    CHECK(found->scale_base == Approx(of_keys ? -scale_base : scale_base).epsilon(1e-3));
    CHECK(found->centre == Approx(static_cast<double>(centre)).margin(0.02));
  }
}

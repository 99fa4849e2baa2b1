// RoPE's pairs in bands, against sums over pairs that call none of the library.
#include <catch2/catch.hpp>

#include <complex>

#include "core/analysis/spectrum.h"
#include "core/attention/head.h"
#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"
#include "tests/verify/agreement.h"

using namespace orrery;
using test::check_agreement;

namespace {
namespace in_bands {

/// Σ Re h_t e^{i(m−n)θ_t}/√d over the pairs from `first` on, before `last`.
template <class T>
Rows score_of(const TokenCase<T>& c, Index first, Index last) {
  const Rows x = wide(c.x);
  return literal::pairs(x.rows(), x.rows(), [&](Index i, Index j) {
    const auto h = literal::pair_products(x.row(i), x.row(j));
    const Position r = c.at[static_cast<std::size_t>(i)] - c.at[static_cast<std::size_t>(j)];
    literal::Real sum = 0;
    for (Index t = first; t < last; ++t) {
      const auto angle = static_cast<literal::Real>(r) * literal::theta(t, c.d, paper_base);
      sum += (h[static_cast<std::size_t>(t)] * std::polar(1.0L, angle)).real();
    }
    return sum / std::sqrt(static_cast<literal::Real>(c.d));
  });
}

TEMPLATE_TEST_CASE("Without a muted band the score is that of the other pairs, and bands share it",
                   "", float, double) {
  RopeOptions options;
  options.muted[2] = true;
  for (const auto& c : token_cases<TestType>({.seed = test::drawn_seed(), .draws = 1})) {
    if (c.d < 64) continue;
    const Index pairs = c.d / 2;
    const double bound =
        rounding_bound<TestType>(roundings_of(c.d)) + averaged_angle_bound(1000, c.d);
    const auto muted = attention_from_qkv<TestType>(Rope<TestType>({.d_head = c.d}, options),
                                                    {c.x, c.x, c.x, c.at, c.at});
    check_agreement("band 2 of 8 muted", muted.logits,
                    score_of(c, 0, 2 * pairs / 8) + score_of(c, 3 * pairs / 8, pairs), bound);
    const Rope<TestType> rope({.d_head = c.d});
    const auto split =
        rope_decomposition<TestType>(rope, rope.turning_pairs(), c.x, c.x, c.at, c.at, 4);
    REQUIRE(split.bands.size() == 4);
    for (std::size_t b = 0; b < 4; ++b) {
      const Index first = static_cast<Index>(b) * pairs / 4;
      check_agreement("a band of 4", split.bands[b].logits, score_of(c, first, first + pairs / 4),
                      bound);
    }
  }
}

}  // namespace in_bands
}  // namespace

// Linear attention over several blocks of keys, against loops that call none of the library.
#include <catch2/catch.hpp>

#include <utility>

#include "core/attention/linear_attention.h"
#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"
#include "tests/verify/agreement.h"

using namespace orrery;

namespace {
namespace in_blocks {

constexpr Index d = 8;

/// Linear attention whose keys make several blocks of 64 and windows of 384, in no order and with
/// gaps; with `sizes` of queries and of keys beyond what products in fp32, or sums in fp64, hold.
template <class T>
void check_blocks(const std::string& what, Index queries, Index keys,
                  std::pair<double, double> sizes = {1, 1}) {
  constexpr Index d_v = 5;
  Random random(test::drawn_seed(), "blocks of linear attention");
  const auto places = [&](Index count, Index step) {
    Positions at;
    for (Index i = 0; i < count; ++i) at.push_back(3 * (i * step % count) + random.integer(3));
    return at;
  };
  const Positions m = places(queries, 7);
  Positions n = places(keys, 11);
  for (Position& key : n) key += 5;  // causal, some queries see none
  const Matrix<T> q = normal_matrix<T>(random, queries, d, sizes.first),
                  k = normal_matrix<T>(random, keys, d, sizes.second),
                  v = normal_matrix<T>(random, keys, d_v);
  const Rows phi_q = literal::elu_plus_one(wide(q)), phi_k = literal::elu_plus_one(wide(k));
  const Rows below = literal::scores(phi_q, phi_k, 1);
  const Rows above = literal::relative_scores(phi_q, phi_k, m, n, literal::whole(d));
  const Rope<T> rope({.d_head = d});
  const double bound =
      4 * rounding_bound<T>(roundings_of(d) + keys) + 4 * averaged_angle_bound(3 * keys, d);
  for (const bool causal : {false, true})
    for (const bool turned : {false, true}) {
      const auto expected = literal::kernel_attention(
          turned ? above : below, below, wide(v),
          [&](Index i, Index j) {
            return !causal || n[static_cast<std::size_t>(j)] <= m[static_cast<std::size_t>(i)];
          },
          0.25);
      const auto out =
          linear_attention<T>({q, k, v, m, n}, EluPlusOne<T>(), turned ? &rope : nullptr,
                              {.causal = causal, .epsilon = 0.25});
      test::check_agreement(what + ": output", out.output, expected.output, bound);
      test::check_agreement(what + ": Σ_n below the bar", out.normalizers, expected.denominators,
                            bound);
      test::check_agreement(what + ": Σ_n above the bar", out.numerators, expected.numerators,
                            bound);
    }
}

TEMPLATE_TEST_CASE("Linear attention block by block is that of (19)", "", float, double) {
  check_blocks<TestType>("blocks of keys", 150, 200);
}

TEMPLATE_TEST_CASE("Linear attention window by window is that of (19)", "", float, double) {
  check_blocks<TestType>("windows of keys", 10, 800);
}

TEMPLATE_TEST_CASE("Linear attention of features of 10^12 is that of (19)", "", float, double) {
  check_blocks<TestType>("features of 10^12", 30, 130, {1e12, 1e12});
}

TEST_CASE("Linear attention of keys of 10^200 is that of (19), in fp64") {
  check_blocks<double>("keys of 10^200", 20, 70, {1, 1e200});
}

}  // namespace in_blocks
}  // namespace

// What must hold of buckets, indices, slopes, masks and kernels, over generated cases.
#include <catch2/catch.hpp>

#include <rapidcheck.h>
#include <algorithm>
#include <cmath>

#include "core/analysis/largest.h"
#include "core/attention/linear_attention.h"
#include "core/attention/multi_head.h"
#include "core/encodings/alibi.h"
#include "core/encodings/deberta.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/tupe.h"
#include "core/random.h"

using namespace orrery;

namespace {

Position distance(Position most = Position{1} << 40) {
  return *rc::gen::oneOf(rc::gen::inRange<Position>(-most, most),
                         rc::gen::inRange<Position>(-600, 600));
}

T5Buckets buckets() {
  const int side = *rc::gen::inRange(2, 65);
  const bool bidirectional = *rc::gen::arbitrary<bool>();
  return {.buckets = bidirectional ? 2 * side : side,
          .max_distance = side / 2 + *rc::gen::inRange<Position>(1, 5000),
          .bidirectional = bidirectional};
}

Matrix<double> drawn(Index rows, Index columns) {
  Random random(*rc::gen::inRange(0, 1000000), "encoding properties");
  return normal_matrix<double>(random, rows, columns);
}

Positions positions(std::size_t count, Position most) {
  return *rc::gen::container<Positions>(count, rc::gen::inRange<Position>(0, most));
}

}  // namespace

TEST_CASE("T5's buckets grow with distance, start at 0 and end in the last of their side") {
  CHECK(rc::check([] {
    const T5Buckets config = buckets();
    const int side = config.bidirectional ? config.buckets / 2 : config.buckets;
    const Position r = std::abs(distance());
    const Index here = t5_bucket(r, config);
    RC_ASSERT(here >= 0 && here < side);
    RC_ASSERT(here <= t5_bucket(r + 1, config));
    RC_ASSERT(t5_bucket(0, config) == 0);
    if (r >= config.max_distance) RC_ASSERT(here == side - 1);
    if (r < side / 2) RC_ASSERT(here == r);
  }));
}

TEST_CASE("T5's buckets ahead mirror those behind, half a table further; causal has none ahead") {
  CHECK(rc::check([] {
    const T5Buckets config = buckets();
    const Position r = std::abs(distance()) + 1;
    if (config.bidirectional)
      RC_ASSERT(t5_bucket(-r, config) == t5_bucket(r, config) + config.buckets / 2);
    else
      RC_ASSERT(t5_bucket(-r, config) == 0);
  }));
}

TEST_CASE("In bf16 T5's buckets stay in the table, never fall, and are at most one off") {
  CHECK(rc::check([] {
    const StageRounding bf16(Precision::bf16, {Stage::log, Stage::distance});
    const T5Buckets config{.buckets = 32, .max_distance = *rc::gen::inRange<Position>(16, 2000)};
    const Position r = *rc::gen::inRange<Position>(0, 4000);
    const Index rounded = t5_bucket(r, config, bf16);
    RC_ASSERT(rounded >= 0 && rounded < 16);
    RC_ASSERT(std::abs(rounded - t5_bucket(r, config)) <= 1);
    RC_ASSERT(rounded <= t5_bucket(r + 1, config, bf16));
  }));
}

TEST_CASE("Shaw's rows: clip in the middle, antisymmetric about it, and constant beyond ±clip") {
  CHECK(rc::check([] {
    const Position clip = *rc::gen::inRange<Position>(0, 1000);
    const Position r = distance();
    RC_ASSERT(shaw_index(0, clip) == clip);
    RC_ASSERT(shaw_index(r, clip) + shaw_index(-r, clip) == 2 * clip);
    RC_ASSERT(shaw_index(r, clip) >= shaw_index(r + 1, clip));  // it counts key minus query
    if (r >= clip) RC_ASSERT(shaw_index(r, clip) == 0);
    if (r <= -clip) RC_ASSERT(shaw_index(r, clip) == 2 * clip);
  }));
}

TEST_CASE(
    "Shaw's rows with two clips: each direction keeps its own, and BERT's order is reversed") {
  CHECK(rc::check([] {
    const Position left = *rc::gen::inRange<Position>(0, 1000);
    const Position right = *rc::gen::inRange<Position>(0, 1000);
    const ShawOptions shaw{.left = left, .right = right};
    const ShawOptions bert{.left = left, .right = right, .rows = ShawRows::query_minus_key};
    const Position r = distance();
    RC_ASSERT(shaw_index(r, shaw) + shaw_index(r, bert) == left + right);
    RC_ASSERT(shaw_index(0, shaw) == left);
    if (r >= left) RC_ASSERT(shaw_index(r, shaw) == 0);
    if (r <= -right) RC_ASSERT(shaw_index(r, shaw) == left + right);
    if (r > -right && r < left) RC_ASSERT(shaw_index(r, shaw) == left - r);
  }));
}

TEST_CASE("DeBERTa's δ: δ(r) + δ(−r) = 2k inside the table, monotone, and 0 … 2k − 1 beyond") {
  CHECK(rc::check([] {
    const Position k = *rc::gen::inRange<Position>(1, 1000);
    const Position r = distance();
    const Index here = deberta_delta(r, k);
    RC_ASSERT(here >= 0 && here < 2 * k);
    RC_ASSERT(here <= deberta_delta(r + 1, k));
    if (std::abs(r) < k) RC_ASSERT(here + deberta_delta(-r, k) == 2 * k);
    if (r >= k) RC_ASSERT(here + deberta_delta(-r, k) == 2 * k - 1);
  }));
}

TEST_CASE("DeBERTa v2's buckets are odd, monotone, exact near 0, and never farther than r") {
  CHECK(rc::check([] {
    const Position half = *rc::gen::inRange<Position>(2, 200);
    const Position largest = half + *rc::gen::inRange<Position>(2, 5000);
    const auto clamp = *rc::gen::element(DebertaClamp::none, DebertaClamp::first);
    const auto bucket = [&](Position r) { return deberta_bucket(r, 2 * half, largest, clamp); };
    const Position r = distance(Position{1} << 30);
    RC_ASSERT(bucket(-r) == -bucket(r));
    RC_ASSERT(bucket(r) <= bucket(r + 1));
    if (std::abs(r) <= half) RC_ASSERT(bucket(r) == r);
    if (clamp == DebertaClamp::first) RC_ASSERT(std::abs(bucket(r)) <= 2 * half);
  }));
}

TEST_CASE("TUPE's released bias has 33 rows, T5's but for [CLS] at position 0") {
  CHECK(rc::check([] {
    const bool untied = *rc::gen::arbitrary<bool>();
    const Matrix<double> zero = Matrix<double>::Zero(1, 1);
    const Tupe<double> tupe({zero.replicate(2, 1), zero, zero, zero.replicate(33, 1)},
                            {untied, true, TupeVariant::released});
    const auto positions = [] {
      const Position first = *rc::gen::element(distance(), *rc::gen::inRange<Position>(-5, 1));
      const Position step = *rc::gen::element<Position>(1, 1, 3);
      return Positions{first, first + step, first + 2 * step, first + 3 * step};
    };
    const Positions m = positions(), n = positions();
    const IndexMatrix bucket = tupe.table_index(m, n);
    for (std::size_t i = 0; i < m.size(); ++i)
      for (std::size_t j = 0; j < n.size(); ++j) {
        const bool query = untied && m[i] == 0, key = untied && n[j] == 0;
        const Index expected = query ? 16 : key ? 32 : t5_bucket(m[i] - n[j], {});
        RC_ASSERT(bucket(static_cast<Index>(i), static_cast<Index>(j)) == expected);
      }
  }));
}

TEST_CASE(
    "ALiBi's slopes: one a head, distinct, in (2^-8, 1), and a power of two's are geometric") {
  CHECK(rc::check([] {
    const int heads = *rc::gen::inRange(1, 200);
    std::vector<double> slopes = alibi_slopes(heads);
    RC_ASSERT(slopes.size() == static_cast<std::size_t>(heads));
    std::sort(slopes.begin(), slopes.end());
    RC_ASSERT(slopes.front() >= std::exp2(-8.0) && slopes.back() < 1);
    RC_ASSERT(std::adjacent_find(slopes.begin(), slopes.end()) == slopes.end());
  }));
  CHECK(rc::check([] {
    const int power = *rc::gen::inRange(1, 8);
    const std::vector<double> slopes = alibi_slopes(1 << power);
    for (std::size_t h = 1; h < slopes.size(); ++h)
      RC_ASSERT(std::abs(slopes[h] / slopes[h - 1] - slopes.front()) < 1e-14);
  }));
}

TEST_CASE("ALiBi's symmetric bias is a negative multiple of a metric; its causal form is odd") {
  CHECK(rc::check([] {
    const Positions at = positions(3, Position{1} << 40);
    const Matrix<double> zero = Matrix<double>::Zero(3, 2);
    const AttentionInputs<double> in{zero, zero, zero, at, at, *rc::gen::inRange(0, 8)};
    const Matrix<double> d = -attention_from_qkv<double>(Alibi<double>(8), in).logits;
    RC_ASSERT(d == d.transpose());
    RC_ASSERT(d(0, 2) <= d(0, 1) + d(1, 2));
    const auto causal = attention_from_qkv<double>(Alibi<double>(8, AlibiForm::causal), in).logits;
    RC_ASSERT(causal == -causal.transpose());
  }));
}

TEST_CASE(
    "Sinusoids have length √(d/2), and p_m·p_n is Σ cos((m − n) θ): Toeplitz, though absolute") {
  CHECK(rc::check([] {
    const Index d = 2 * *rc::gen::inRange<Index>(1, 33);
    const Sinusoidal<double> sinusoidal(d);
    const Position shift = *rc::gen::inRange<Position>(0, Position{1} << 40);
    const Position m = *rc::gen::inRange<Position>(0, 5000),
                   n = *rc::gen::inRange<Position>(0, 5000);
    const Matrix<double> p = sinusoidal.table(Positions{m, n, m + shift, n + shift});
    const double width = static_cast<double>(d);
    RC_ASSERT(std::abs(p.row(2).squaredNorm() - width / 2) < 1e-14 * width);
    RC_ASSERT(std::abs(p.row(0).dot(p.row(1)) - p.row(2).dot(p.row(3))) < 1e-14 * width);
  }));
}

TEST_CASE(
    "Whatever the mask, weights of a row sum to 1 over what it sees, or to 0 if it sees none") {
  CHECK(rc::check([] {
    const Index n = *rc::gen::inRange<Index>(1, 12);
    const Positions at = positions(static_cast<std::size_t>(n), 30);
    const MaskSpec spec{.causal = *rc::gen::arbitrary<bool>(),
                        .window = *rc::gen::inRange<Position>(0, 20),
                        .key_is_real = *rc::gen::container<std::vector<bool>>(
                            static_cast<std::size_t>(n), rc::gen::arbitrary<bool>())};
    const Mask mask = spec.build(at, at);
    const Matrix<double> x = drawn(n, 4);
    const auto out =
        attention_from_qkv<double>(Rope<double>({.d_head = 4}), {x, x, x, at, at}, mask);
    Index blind = 0;
    for (Index i = 0; i < n; ++i) {
      bool sees = false;
      for (Index j = 0; j < n; ++j) {
        const bool visible =
            (!spec.causal || at[static_cast<std::size_t>(j)] <= at[static_cast<std::size_t>(i)]) &&
            (spec.window == 0 || std::abs(at[static_cast<std::size_t>(i)] -
                                          at[static_cast<std::size_t>(j)]) < spec.window) &&
            spec.key_is_real[static_cast<std::size_t>(j)];
        RC_ASSERT((out.weights(i, j) > 0) == visible);
        sees = sees || visible;
      }
      RC_ASSERT(std::abs(out.weights.row(i).sum() - (sees ? 1 : 0)) < 1e-14);
      if (!sees) ++blind;
    }
    RC_ASSERT(out.fully_masked_rows == blind);
  }));
}

TEST_CASE("Linear attention without a rotation is a mean of values, and linear in them with one") {
  CHECK(rc::check([] {
    const Index n = *rc::gen::inRange<Index>(1, 10);
    const Positions at = positions(static_cast<std::size_t>(n), 1000);
    const Matrix<double> q = drawn(n, 4), k = drawn(n, 4), v = drawn(n, 3), w = drawn(n, 3);
    const EluPlusOne<double> elu;
    const auto plain = linear_attention<double>({q, k, v, at, at}, elu, nullptr).output;
    RC_ASSERT(largest_entry<double>(plain) <= largest_entry<double>(v) + 1e-13);
    RC_ASSERT(smallest_entry<double>(plain) >= smallest_entry<double>(v) - 1e-13);
    const Rope<double> rope({.d_head = 4});
    const auto of = [&](const Matrix<double>& values) {
      return linear_attention<double>({q, k, values, at, at}, elu, &rope).output;
    };
    RC_ASSERT(largest_magnitude<double>(of(v + w) - of(v) - of(w)) < 1e-12);
  }));
}

// Positions at ±2^53, and distances of twice that: whole numbers to the end of every table.
#include "core/position.h"

#include <catch2/catch.hpp>
#include <limits>

#include "core/attention/mask.h"
#include "core/encodings/deberta.h"
#include "core/encodings/shaw.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "tests/support/three_tokens.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

constexpr Position beyond = std::numeric_limits<Position>::max();
const Positions ends{-max_position, max_position};

/// The rows that an encoding looks up for queries and keys at both ends: (same, ahead), (behind,
/// same).
std::vector<Index> rows_at_the_ends(const TableIndex& encoding) {
  const IndexMatrix index = encoding.table_index(ends, ends);
  return {index(0, 0), index(0, 1), index(1, 0), index(1, 1)};
}

TransformerXl<double> transformer_xl(Position clamp_len) {
  return TransformerXl<double>({matrix(1, 1, {1}), matrix(1, 1, {1}), matrix(2, 1, {1, 1})},
                               10000.0, {}, clamp_len);
}

}  // namespace

TEST_CASE("Positions lie within ±2^53, and the error names the one that does not") {
  CHECK_NOTHROW(check_positions(ends));
  CHECK_THROWS_WITH(check_positions(Positions{0, max_position + 1}),
                    Contains("position 9007199254740993: must lie within ±2^53"));
  CHECK_THROWS_AS(check_positions(Positions{-max_position - 1}), UsageError);
  CHECK_THROWS_AS(check_positions(Positions{-beyond - 1}), UsageError);
  CHECK_THROWS_WITH(check_positions(ends, 3), Contains("2 positions for 3 rows"));
}

TEST_CASE("Tables end with the farthest distances, 2^54 on either side") {
  CHECK(rows_at_the_ends(Shaw<double>(Matrix<double>::Zero(33, 1), {})) ==
        std::vector<Index>{16, 32, 0, 16});
  const ShawOptions bert{.left = 16, .right = 16, .rows = ShawRows::query_minus_key};
  CHECK(rows_at_the_ends(Shaw<double>(Matrix<double>::Zero(33, 1), {}, bert)) ==
        std::vector<Index>{16, 0, 32, 16});
  CHECK(rows_at_the_ends(T5<double>({}, Matrix<double>::Zero(32, 1))) ==
        std::vector<Index>{0, 31, 15, 0});
  const Matrix<double> one = matrix(1, 1, {1});
  const auto deberta = [&](const DebertaOptions& options) {
    return rows_at_the_ends(Deberta<double>({Matrix<double>::Zero(128, 1), one, one, 1}, options));
  };
  const std::vector<Index> rows{64, 0, 127, 64};
  CHECK(deberta({.span = 64}) == rows);
  CHECK(deberta({.span = 64, .log_buckets = true, .max_distance = 512}) == rows);
  const Tupe<double> tupe({Matrix<double>::Zero(4, 1), one, one, Matrix<double>::Zero(32, 1),
                           Matrix<double>::Zero(2, 1)},
                          {});
  CHECK(rows_at_the_ends(tupe) == std::vector<Index>{0, 31, 15, 0});
}

TEST_CASE("Tables and masks refuse positions whose distance would overflow") {
  const Positions far{beyond, -beyond - 1};
  CHECK_THROWS_WITH(Shaw<double>(Matrix<double>::Zero(3, 1), {}).table_index(far, far),
                    Contains("must lie within ±2^53"));
  CHECK_THROWS_WITH(T5<double>({}, Matrix<double>::Zero(32, 1)).table_index({{0}}, far),
                    Contains("must lie within ±2^53"));
  CHECK_THROWS_AS(Mask::causal(far, far), UsageError);
  CHECK_THROWS_AS(Mask::sliding_window(far, far, 3), UsageError);
}

TEST_CASE("Masks at ±2^53 are those of any positions") {
  const Mask causal = Mask::causal(ends, ends), window = Mask::sliding_window(ends, ends, 3);
  CHECK((causal.allows(0, 0) && !causal.allows(0, 1) && causal.allows(1, 0)));
  CHECK((window.allows(0, 0) && !window.allows(0, 1) && !window.allows(1, 0)));
}

TEST_CASE(
    "Masks find the keys that a query sees, of positions in a row, with gaps and twice the same") {
  const Positions all_keys[] = {{0, 1, 2, 3, 4}, {-2, -2, 0, 3, 7}, {5}, {}, {1, 1, 1}, {3, 2, 9}};
  const Positions m{-3, -2, 0, 1, 2, 4, 5, 8, 30};
  for (const Positions& n : all_keys)
    for (const Mask& mask : {Mask::causal(m, n), Mask::sliding_window(m, n, 3)})
      for (Index i = 0; i < static_cast<Index>(m.size()); ++i) {
        const auto keys = static_cast<Index>(n.size());
        const VisibleKeys seen = mask.keys_of(i, keys);
        for (Index j = 0; j < keys; ++j) {
          const bool within = seen.first <= j && j < seen.end;
          CHECK((seen.all ? within == mask.allows(i, j) : within || !mask.allows(i, j)));
        }
      }
}

TEST_CASE("Transformer-XL names the two positions that are too far apart for a sinusoid") {
  const Matrix<double> q = matrix(2, 1, {1, 1});
  const Positions at{-max_position, 1};
  CHECK_THROWS_WITH(
      attention_from_qkv<double>(transformer_xl(0), {q, q, q, at, at}),
      Contains("the distance -9007199254740993 between the query at -9007199254740992 and the key "
               "at 1: must lie within ±2^53") &&
          Contains("transformer_xl.clamp_len") && !Contains("position 9"));
  const Positions near{-max_position, 0};
  CHECK_NOTHROW(attention_from_qkv<double>(transformer_xl(0), {q, q, q, near, near}));
  CHECK_NOTHROW(attention_from_qkv<double>(transformer_xl(5), {q, q, q, ends, ends}));
}

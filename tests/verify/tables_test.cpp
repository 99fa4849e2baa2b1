// The tables that encodings look up, as the papers define them, and where encodings are defined: for
// which positions and which heads.
#include <catch2/catch.hpp>

#include <functional>
#include <memory>

#include "core/encodings/catalogue.h"
#include "core/encodings/relative_index.h"
#include "experiments/verify/cases.h"
#include "tests/support/refusals.h"
#include "tests/verify/setting_cases.h"

using namespace orrery;
using namespace orrery::test;

namespace {
namespace in_tables {

constexpr Index d = setting_d, d_model = setting_d_model;
constexpr int heads = setting_heads;

std::unique_ptr<Encoding> made(const std::string& name, const Words& words = {}) {
  const ParamSet params = params_with(name, words);
  return make_encoding<double>(name, {d_model, d, heads, params});
}

/// A table that an encoding looks up: its rows, and to what distance they differ, as its paper
/// says.
struct TableOfPaper {
  const char* encoding;
  Index rows{};
  Position reach{-1};  ///< −1 for none
  std::function<Index(Position m, Position n)> row;
  Words words{};
};

std::vector<TableOfPaper> tables_of_papers() {
  const auto t5 = [](Index buckets, Position most, bool both) {
    return [=](Position m, Position n) { return literal::t5_bucket(n - m, buckets, most, both); };
  };
  const auto tupe = [](Index of_query, Index of_key) {
    return [=](Position m, Position n) {
      return m == 0 ? of_query : n == 0 ? of_key : literal::t5_bucket(n - m, 32, 128, true);
    };
  };
  const auto shaw = [](const literal::ShawShape& shape) {
    return [=](Position m, Position n) { return shape.row_of(n - m); };
  };
  return {{"shaw", 33, 16, shaw({16, 16})},
          {"shaw", 15, 9, shaw({5, 9}), {{"shaw.clip", "5"}, {"shaw.clip_ahead", "9"}}},
          {"shaw",
           15,
           9,
           shaw({9, 5, true}),
           {{"shaw.clip", "9"}, {"shaw.clip_ahead", "5"}, {"shaw.rows", "query_minus_key"}}},
          {"t5", 32, 128, t5(32, 128, true)},
          {"t5",
           16,
           40,
           t5(16, 40, false),
           {{"t5.buckets", "16"}, {"t5.max_distance", "40"}, {"t5.bidirectional", "false"}}},
          {"tupe", 32, -1, tupe(-1, -1)},
          {"tupe", 33, -1, tupe(16, 32), {{"tupe.variant", "released"}}},
          {"deberta", 128, 64,
           [](Position m, Position n) { return literal::deberta_delta(m - n, 64); }},
          {"deberta",
           64,
           300,
           [](Position m, Position n) {
             return literal::deberta_delta(literal::deberta_bucket(m - n, 32, 300, false), 32);
           },
           {{"deberta.version", "v2"}, {"deberta.span", "32"}, {"deberta.max_distance", "300"}}}};
}

TEST_CASE("Pairs of tokens take the rows of tables that the papers say, to the distance they say") {
  const Positions consecutive{3, 4, 5, 6}, few{0, 7, 3, 450};
  for (const TableOfPaper& said : tables_of_papers()) {
    INFO(said.encoding << ", " << said.rows << " rows");
    const auto encoding = made(said.encoding, said.words);
    const auto& table = dynamic_cast<const TableIndex&>(*encoding);
    CHECK(table.table_rows() == said.rows);
    CHECK(table.stated_reach().value_or(-1) == said.reach);
    for (const auto& [m, n] : {std::pair{consecutive, few}, std::pair{few, consecutive},
                               std::pair{consecutive, Positions{1, 2, 3, 4, 5}}}) {
      const IndexMatrix index = table.table_index(m, n);
      for (Index i = 0; i < index.rows(); ++i)
        for (Index j = 0; j < index.cols(); ++j)
          CHECK(index(i, j) ==
                said.row(m[static_cast<std::size_t>(i)], n[static_cast<std::size_t>(j)]));
    }
  }
}

bool is_taken(const Encoding& encoding, Position m, Position n, int head = 0, Index channels = d) {
  const Positions query{m}, keys{0, n};
  return test::refusal([&] {
           if (const auto* added = dynamic_cast<const InputTerm<double>*>(&encoding)) {
             Rows x = Rows::Zero(2, d_model);
             added->add_to_input(keys, x);
           } else {
             const Rows q = Rows::Ones(1, channels), k = Rows::Ones(2, channels);
             attention_from_qkv<double>(encoding, {q, k, k, query, keys, head});
           }
         })
      .empty();
}

/// Consecutive tokens, so that factors are asked for.
bool is_taken_without_map(const Encoding& encoding, int head) {
  const Positions at{1, 2};
  const Rows x = Rows::Ones(2, d);
  return test::refusal([&] {
           attention_output<double>({x, x, x, at, at, head}, SoftmaxDoors<double>::of(encoding));
         })
      .empty();
}

void check_ends(const std::string& name, Position first, Position last, const Words& words = {}) {
  constexpr Position most = Position{1} << 53;
  const auto encoding = made(name, words);
  for (const Position n : {-most - 1, -most, Position{-1}, Position{0}, Position{511},
                           Position{512}, most, most + 1}) {
    INFO(name << " at " << n);
    CHECK(is_taken(*encoding, 0, n) == (first <= n && n <= last));
  }
}

TEST_CASE("Encodings take positions to ±2^53 or to a table's last, and distances with a sinusoid") {
  constexpr Position most = Position{1} << 53;
  for (const char* name : {"none", "sinusoidal", "shaw", "transformer_xl", "t5", "deberta", "rope"})
    check_ends(name, -most, most);
  check_ends("learned", 0, 511);
  check_ends("tupe", 0, 511);
  check_ends("tupe", 0, 511, {{"tupe.variant", "released"}});
  const auto far = made("transformer_xl");
  const auto near = made("transformer_xl", {{"transformer_xl.clamp_len", "9"}});
  CHECK_FALSE(is_taken(*far, most, -1));
  CHECK(is_taken(*far, most, 1));
  CHECK_FALSE(is_taken(*far, -most, 1));
  CHECK(is_taken(*near, most, -most));
}

TEST_CASE("Encodings whose heads differ take those they were made for, and none without channels") {
  for (const char* name : {"transformer_xl", "t5", "tupe", "deberta"}) {
    const auto encoding = made(name);
    for (int head = -1; head <= 20; ++head) {
      INFO(name << " head " << head);
      CHECK(is_taken(*encoding, 1, 3, head) == (head == 0 || head == 1));
      CHECK(is_taken_without_map(*encoding, head) == (head == 0 || head == 1));
    }
  }
  for (const char* name : {"none", "shaw", "t5", "deberta"}) {
    INFO(name);
    CHECK_FALSE(is_taken(*made(name), 1, 3, 0, 0));
  }
}

}  // namespace in_tables
}  // namespace

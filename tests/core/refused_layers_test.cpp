// What layers of heads take and refuse: how many heads, which masks, windows, segments and sinks.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "core/attention/feature_map.h"
#include "core/attention/head.h"
#include "core/attention/linear_attention.h"
#include "core/attention/multi_head.h"
#include "core/encodings/deberta.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/learned.h"
#include "core/encodings/none.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "tests/support/approved.h"
#include "tests/support/refusals.h"

using namespace orrery;

namespace {

template <class Call>
bool is_taken(const Call& call) {
  return test::refusal(call).empty();
}

template <class Call>
void check_refusal(const Call& call, const std::string& words) {
  CHECK_THAT(test::refusal(call), Catch::Contains(words));
}

const Positions two_positions{0, 1};
const Matrix<double> two_rows = Matrix<double>::Ones(2, 4);

LayerInputs<double> layer_of(std::size_t q, std::size_t k, std::size_t v) {
  return {.q = std::vector(q, two_rows),
          .k = std::vector(k, two_rows),
          .v = std::vector(v, two_rows),
          .m = two_positions,
          .n = two_positions};
}

bool is_taken_with(const MaskSpec& visible) {
  return is_taken(
      [&] { multi_head_attention<double>(NoEncoding<double>(), layer_of(2, 1, 1), visible); });
}

bool is_taken_linearly(const MaskSpec& visible) {
  return is_taken(
      [&] { multi_head_linear_attention<double>({}, Relu<double>(), layer_of(2, 1, 1), visible); });
}

bool is_taken_with_sinks(int head, const Scoring& scoring) {
  return is_taken([&] {
    softmax_attention<double>({two_rows, two_rows, two_rows, two_positions, two_positions, head},
                              {}, {}, scoring);
  });
}

}  // namespace

TEST_CASE("Layers of heads refuse what does not fit, in the sentences that were approved") {
  test::Refusals refusals;
  const NoEncoding<double> none;
  const Matrix<double>& x = two_rows;
  const Positions& at = two_positions;
  const auto note = [&](const std::string& call, const auto& make) {
    const std::string sentence = test::refusal(make);
    CHECK(sentence != "");
    refusals.note(sentence, call);
  };
  note("3 heads over 2", [] { HeadGroups groups(3, 2); });
  note("0 heads", [] { HeadGroups groups(0, 1); });
  note("1 head over 0", [] { HeadGroups groups(1, 0); });
  note("k without v", [&] { multi_head_attention<double>(none, layer_of(2, 2, 1)); });
  note("one flag", [&] { MaskSpec{.key_is_real = {true}}.build(at, at); });
  note("a window of -1", [&] { MaskSpec{.window = -1}.build(at, at); });
  note("a window of 0", [&] { Mask::sliding_window(at, at, 0); });
  note("masks of 3 heads", [&] {
    multi_head_attention<double>(none, layer_of(2, 2, 2), {.head_masks = std::vector<Mask>(3)});
  });
  const LinearDoors<double> doors;
  note("a window in linear attention", [&] {
    multi_head_linear_attention<double>(doors, Relu<double>(), layer_of(1, 1, 1), {.window = 1});
  });
  note("a mask in linear attention", [&] {
    multi_head_linear_attention<double>(doors, Relu<double>(), layer_of(1, 1, 1),
                                        {.mask = Mask(Mask::Matrix::Ones(2, 2))});
  });
  const std::vector<std::int32_t> segments{0, 1};
  LayerInputs<double> in = layer_of(1, 1, 1);
  in.segments = {segments, segments};
  note("segments in linear attention",
       [&] { multi_head_linear_attention<double>(doors, Relu<double>(), in); });
  note("segments", [&] { multi_head_attention<double>(none, in); });
  note("a sinusoid after the projections", [&] {
    attention_from_qkv<double>(Sinusoidal<double>(4, 10000), {x, x, x, at, at});
  });
  note("an unknown feature map", [] { feature_named("gelu"); });
  for (const Index channels : {-1, 0, 1, 7})
    note(fmt::format("frequencies of {} channels", channels),
         [&] { static_cast<void>(inverse_frequencies(channels, 10000)); });
  for (const double base : {1.0, 0.0, std::numeric_limits<double>::infinity()})
    note(fmt::format("frequencies of base {}", base),
         [&] { static_cast<void>(inverse_frequencies(4, base)); });
  note("no features", [] { Favor<double>::orthogonal(1, 0, 4); });
  note("no channels", [] { Favor<double>::orthogonal(1, 4, 0); });
  for (const LogitRule& rule :
       {LogitRule{.kind = LogitRuleKind::llama4, .length = 0},
        LogitRule{.kind = LogitRuleKind::llama4, .length = std::numeric_limits<double>::infinity()},
        LogitRule{.kind = LogitRuleKind::llama4, .strength = std::nan("")},
        LogitRule{.kind = LogitRuleKind::llama4, .offset = std::nan("")}})
    note(fmt::format("length {} strength {} offset {}", rule.length, rule.strength, rule.offset),
         [&] {
           attention_from_qkv<double>(none, {x, x, x, at, at}, {}, {.rule = rule});
         });
  CHECK(test::difference_from_approved("core/layers.txt", refusals.text()) == "");
}

TEST_CASE("Windows and groups of the smallest sizes are taken") {
  const Positions at{0, 1};
  CHECK(HeadGroups(4, 1).kv_head(3) == 0);
  CHECK(HeadGroups(4, 2).kv_head(2) == 1);
  CHECK(HeadGroups(1, 1).kv_head(0) == 0);
  const Mask own = MaskSpec{.window = 1}.build(at, at);
  CHECK(own.allows(1, 1));
  CHECK(!own.allows(1, 0));
}

TEST_CASE("Heads are shared evenly, and each head of a layer has one mask of the layer's tokens") {
  for (const auto& [heads, kv_heads] : {std::pair<Index, Index>{4, 3}, {2, 4}, {0, 1}, {4, 0}})
    CHECK_FALSE(is_taken([&, h = heads, kv = kv_heads] { HeadGroups groups(h, kv); }));
  CHECK(HeadGroups(4, 4).kv_head(3) == 3);
  const Mask causal = Mask::causal(two_positions, two_positions);
  CHECK(is_taken_with({}));
  CHECK(is_taken_with({.key_is_real = {true, false}}));
  CHECK_FALSE(is_taken_with({.key_is_real = {true}}));
  CHECK_FALSE(is_taken_with({.key_is_real = {true, true, true}}));
  CHECK(is_taken_with({.head_masks = {causal, causal}}));
  CHECK_FALSE(is_taken_with({.head_masks = {causal}}));
  CHECK_FALSE(is_taken_with({.mask = Mask::causal(two_positions, Positions{0})}));
  CHECK_FALSE(is_taken_with({.mask = Mask::causal(Positions{0}, two_positions)}));
  CHECK_FALSE(is_taken_with({.window = -1}));
}

TEST_CASE("Linear attention takes causal masks and padding, and no masks of heads") {
  const Mask causal = Mask::causal(two_positions, two_positions);
  CHECK(is_taken_linearly({.causal = true, .key_is_real = {true, false}}));
  CHECK_FALSE(is_taken_linearly({.window = 2}));
  CHECK_FALSE(is_taken_linearly({.mask = causal}));
  CHECK_FALSE(is_taken_linearly({.head_masks = {causal, causal}}));
}

TEST_CASE("A head has its own sink, and sticks that break have none") {
  const std::vector<double> sinks{0, 1};
  CHECK(is_taken_with_sinks(1, {.sinks = sinks}));
  CHECK_FALSE(is_taken_with_sinks(2, {.sinks = sinks}));
  CHECK_FALSE(is_taken_with_sinks(-1, {.sinks = sinks}));
  Scoring sticks{.sinks = sinks};
  sticks.weights = WeightRule::stick_breaking;
  CHECK_FALSE(is_taken_with_sinks(0, sticks));
}

TEST_CASE("T5 has a row per bucket, in both directions an even number and four or more") {
  const auto taken = [](const T5Buckets& buckets, Index rows) {
    return is_taken([&] { T5<double> made(buckets, Matrix<double>::Zero(rows, 2)); });
  };
  CHECK(taken({.buckets = 32}, 32));
  CHECK_FALSE(taken({.buckets = 32}, 31));
  CHECK_FALSE(taken({.buckets = 31}, 31));
  CHECK(taken({.buckets = 31, .bidirectional = false}, 31));
  CHECK_FALSE(taken({.buckets = 2}, 2));
  CHECK_FALSE(taken({.buckets = 1, .bidirectional = false}, 1));
}

TEST_CASE("XLNet takes segments of every token or none, and both of its tables or none") {
  const Matrix<double> u = Matrix<double>::Ones(1, 4), W_kR = Matrix<double>::Ones(4, 4);
  const TransformerXl<double> xlnet({u, u, W_kR, u, Matrix<double>::Ones(2, 4)}, 10000);
  const std::vector<std::int32_t> ids(4, 0);
  for (std::size_t of_queries = 0; of_queries <= 4; ++of_queries)
    for (std::size_t of_keys = 0; of_keys <= 4; ++of_keys) {
      INFO(of_queries << " and " << of_keys << " segments");
      const SegmentsIn segments{std::span(ids).first(of_queries), std::span(ids).first(of_keys)};
      CHECK(is_taken([&] {
              attention_from_qkv<double>(
                  xlnet, {two_rows, two_rows, two_rows, two_positions, two_positions, 0, segments});
            }) == (of_queries == of_keys && (of_queries == 0 || of_queries == 2)));
    }
  for (const Index heads : {1, 3})
    for (const bool segments : {true, false}) {
      const Matrix<double> of_heads = Matrix<double>::Ones(heads, 4), none;
      const Matrix<double> g = Matrix<double>::Ones(2, heads * 4);
      CHECK_FALSE(is_taken([&] {
        TransformerXl<double> made({of_heads, of_heads, Matrix<double>::Ones(2, heads * 4),
                                    segments ? none : of_heads, segments ? g : none},
                                   10000);
      }));
    }
}

TEST_CASE("DeBERTa's heads have as many channels as divide the columns of its projections") {
  const Matrix<double> table = Matrix<double>::Ones(6, 3), W = Matrix<double>::Ones(3, 8);
  for (const Index width : {-2, -1, 0, 1, 2, 3, 4, 5, 8, 9, 16}) {
    INFO(width << " channels");
    CHECK(is_taken([&] {
            Deberta<double> made({table, W, W, width, {}, {}}, {.span = 3});
          }) == (width > 0 && 8 % width == 0));
  }
}

TEST_CASE("Sentences name the heads and channels that something was made for") {
  const Positions& at = two_positions;
  for (const Index heads : {1, 2, 3}) {
    const T5<double> t5({.buckets = 8}, Matrix<double>::Ones(8, heads));
    check_refusal(
        [&] {
          attention_from_qkv<double>(
              t5, {two_rows, two_rows, two_rows, at, at, static_cast<int>(heads)});
        },
        fmt::format("made for {} head{}, c", heads, heads == 1 ? "" : "s"));
  }
  Matrix<double> x = Matrix<double>::Ones(2, 6);
  check_refusal([&] { Sinusoidal<double>(4, 10000).add_to_input(at, x); },
                "x with 6 channels: sinusoidal positions were made for d_model=4");
  check_refusal([&] { Learned<double>(Matrix<double>::Ones(8, 4)).add_to_input(at, x); },
                "x with 6 channels: the learned table has d_model=4");
}

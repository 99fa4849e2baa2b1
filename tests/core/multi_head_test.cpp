#include "core/attention/multi_head.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/encodings/alibi.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/encodings/sinusoidal.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

constexpr Index head_width = 4;

std::vector<Matrix<double>> draw(const char* what, int heads, Index rows) {
  Random random(5, what);
  std::vector<Matrix<double>> out;
  for (int h = 0; h < heads; ++h) out.push_back(normal_matrix<double>(random, rows, head_width));
  return out;
}

LayerInputs<double> layer(int heads, int kv_heads, Index queries, Index keys) {
  return {draw("q", heads, queries), draw("k", kv_heads, keys), draw("v", kv_heads, keys),
          consecutive_positions(queries, 10 + keys - queries), consecutive_positions(keys, 10)};
}

}  // namespace

TEST_CASE("Query heads share key heads in equal groups") {
  const HeadGroups groups(6, 2);
  for (int h = 0; h < 6; ++h) CHECK(groups.kv_head(h) == (h < 3 ? 0 : 1));
  CHECK(HeadGroups(4, 4).kv_head(3) == 3);
  CHECK(HeadGroups(4, 1).kv_head(3) == 0);
  CHECK_THROWS_WITH(HeadGroups(6, 4), Contains("6 query heads over 4 key heads: the heads of q"));
  CHECK_THROWS_WITH(HeadGroups(0, 1), Contains("multiple"));
  CHECK_THROWS_WITH(HeadGroups(2, 0), Contains("multiple"));
  CHECK_THROWS_WITH(HeadGroups(2, 4), Contains("multiple"));
}

TEST_CASE("By hand: four query heads over two key heads, one channel, one key each") {
  LayerInputs<double> in{{}, {}, {}, {0}, {0}};
  for (const double q : {1, 2, 3, 4}) in.q.push_back(Matrix<double>::Constant(1, 1, q));
  for (const double k : {10, 100}) {
    in.k.push_back(Matrix<double>::Constant(1, 1, k));
    in.v.push_back(Matrix<double>::Constant(1, 1, -k));
  }
  const auto out = multi_head_attention<double>(Alibi<double>(4), in);
  const double logits[] = {10, 20, 300, 400}, outputs[] = {-10, -10, -100, -100};
  for (std::size_t h = 0; h < 4; ++h) {
    CHECK(out[h].logits(0, 0) == logits[h]);
    CHECK(out[h].output(0, 0) == outputs[h]);
  }
  CHECK(concatenated<double>(out) == (Matrix<double>(1, 4) << -10, -10, -100, -100).finished());
}

TEST_CASE("Every head is the head alone, with its own number in the layer") {
  const LayerInputs<double> in = layer(4, 2, 3, 5);
  const Alibi<double> alibi(4);
  const Mask mask = Mask::causal(in.m, in.n) & Mask::sliding_window(in.m, in.n, 3);
  const auto heads = multi_head_attention<double>(alibi, in, {.causal = true, .window = 3});
  for (int h = 0; h < 4; ++h) {
    const auto kv = static_cast<std::size_t>(h / 2);
    const auto alone = attention_from_qkv<double>(
        alibi, {in.q[static_cast<std::size_t>(h)], in.k[kv], in.v[kv], in.m, in.n, h}, mask);
    CHECK(heads[static_cast<std::size_t>(h)].output == alone.output);
    CHECK(heads[static_cast<std::size_t>(h)].logits == alone.logits);
  }
  LayerInputs<double> tail = in;
  tail.q.erase(tail.q.begin(), tail.q.begin() + 2);
  tail.k.erase(tail.k.begin());
  tail.v.erase(tail.v.begin());
  tail.first_head = 2;
  CHECK(multi_head_attention<double>(alibi, tail)[1].logits ==
        multi_head_attention<double>(alibi, in)[3].logits);
}

TEST_CASE("A layer that is read head by head has the bits of one in memory, each array read once") {
  const LayerInputs<double> in = layer(6, 2, 5, 9);
  std::string asked;
  const auto read = [&asked](const char* name, const std::vector<Matrix<double>>& heads) {
    return [&asked, name, &heads](int head) {
      asked += name + std::to_string(head) + " ";
      return heads[static_cast<std::size_t>(head)];
    };
  };
  const LayerSource<double> source{
      HeadGroups(6, 2), read("q", in.q), read("k", in.k), read("v", in.v), in.m, in.n,
      in.first_head};
  const auto outputs = [&](const auto& inputs) {
    std::vector<Matrix<double>> all;
    multi_head_by_rows<double>(
        Alibi<double>(6), inputs, {.causal = true}, {},
        {[&](int, Index, AttentionOutput<double>& part) { all.push_back(part.output); }});
    return all;
  };
  const std::vector<Matrix<double>> whole = outputs(in), sliced = outputs(source);
  REQUIRE(sliced.size() == whole.size());
  for (std::size_t h = 0; h < whole.size(); ++h) CHECK(sliced[h] == whole[h]);
  CHECK(asked == "k0 v0 q0 q1 q2 k1 v1 q3 q4 q5 ");
}

TEST_CASE("Decoding a query at a time with cached keys equals the layer in one piece") {
  const LayerInputs<double> whole = layer(4, 2, 6, 6);
  const Rope<double> rope({.d_head = head_width});
  const auto at_once = multi_head_attention<double>(rope, whole, {.causal = true, .window = 4});
  for (Index i = 0; i < 6; ++i) {
    LayerInputs<double> step{{}, {}, {}, {10 + i}, consecutive_positions(i + 1, 10)};
    for (const auto& q : whole.q) step.q.push_back(q.row(i));
    for (const auto& k : whole.k) step.k.push_back(k.topRows(i + 1));
    for (const auto& v : whole.v) step.v.push_back(v.topRows(i + 1));
    const auto heads = multi_head_attention<double>(rope, step, {.causal = true, .window = 4});
    for (std::size_t h = 0; h < 4; ++h)
      CHECK(largest_difference(heads[h].output, at_once[h].output.row(i)) < 1e-14);
  }
}

TEST_CASE("What a layer sees: causal, a window, padding, any mask, and all at once") {
  const Positions m{2, 3}, n{0, 1, 2, 3};
  Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> any(2, 4);
  any << true, true, false, true, true, true, true, true;
  const MaskSpec spec{
      .causal = true, .window = 3, .key_is_real = {true, false, true, true}, .mask = Mask(any)};
  const Mask all = spec.build(m, n);
  const bool expected[2][4] = {{true, false, false, false}, {false, false, true, true}};
  for (Index i = 0; i < 2; ++i)
    for (Index j = 0; j < 4; ++j) CHECK(all.allows(i, j) == expected[i][j]);
  CHECK(MaskSpec{}.build(m, n).allows_everything());
  CHECK_THROWS_WITH((MaskSpec{.window = -1}.build(m, n)), Contains("window width -1"));
  CHECK_THROWS_WITH((MaskSpec{.key_is_real = {true}}.build(m, n)),
                    Contains("1 padding flags for 4 keys"));
}

TEST_CASE("A layer from contents equals its heads, and what projected() makes of them") {
  Random random(6, "layer");
  const Matrix<double> x = normal_matrix<double>(random, 5, 6);
  const Positions at = consecutive_positions(5, 3);
  const LayerProjections<double> w{normal_matrix<double>(random, 6, 4 * head_width),
                                   normal_matrix<double>(random, 6, 2 * head_width),
                                   normal_matrix<double>(random, 6, 2 * head_width),
                                   {4, 2}};
  const Sinusoidal<double> added(6);
  const auto heads = multi_head_attention<double>(added, w, {x, x, at, at}, {.causal = true});
  const Projections<double> third{w.W_q.middleCols(2 * head_width, head_width),
                                  w.W_k.middleCols(head_width, head_width),
                                  w.W_v.middleCols(head_width, head_width)};
  const auto alone = attention_head<double>(added, third, {x, x, at, at, 2}, Mask::causal(at, at));
  CHECK(heads[2].output == alone.output);
  CHECK(heads[2].terms.size() == 4);  // of eq. (6)

  const Matrix<double> sum = x + added.table(at);
  const LayerInputs<double> made = projected<double>(&added, w, {x, x, at, at});
  CHECK(made.k.size() == 2);
  CHECK(largest_difference<double>(made.q[3], sum * w.W_q.rightCols(head_width)) < 1e-13);
  CHECK(largest_difference<double>(made.v[1], sum * w.W_v.rightCols(head_width)) < 1e-13);

  LayerProjections<double> odd = w;
  odd.groups = HeadGroups(3, 1);
  CHECK_THROWS_WITH(odd.of_head(0), Contains("W_q of shape [6, 16]: its columns must divide by 3"));
  const Matrix<double> wide = Matrix<double>::Zero(5, 7);
  CHECK_THROWS_WITH(projected<double>(nullptr, w, {wide, wide, at, at}),
                    Contains("x with 7 and 7 channels"));
}

TEST_CASE("By hand: biases of q, k and v, and the four terms of eq. (6) that hold them") {
  // One channel and x = 1: q = 2x + 1, k = 3x − 1, v = x + 10.
  const auto one = [](double value) { return Matrix<double>::Constant(1, 1, value); };
  const Projections<double> w{one(2), one(3), one(1), one(1), one(-1), one(10)};
  const Matrix<double> x = one(1);
  const Positions at{5};
  const auto plain = attention_head<double>(NoEncoding<double>(), w, {x, x, at, at});
  CHECK(plain.logits(0, 0) == 3 * 2);
  CHECK(plain.output(0, 0) == 11);

  Random random(7, "biases");
  const Matrix<double> contents = normal_matrix<double>(random, 3, 4);
  const Positions three{0, 1, 2};
  Projections<double> wide = random_projections<double>(1, 0, 4, 4);
  wide.b_q = normal_matrix<double>(random, 1, 4);
  wide.b_k = normal_matrix<double>(random, 1, 4);
  Matrix<double> values = Matrix<double>::Zero(3, 3);
  values(2, 1) = -0.75;
  const auto out = attention_head<double>(
      Sinusoidal<double>(4), wide, {contents, contents, three, three}, Mask::additive(values));
  REQUIRE(out.terms.size() == 5);
  Matrix<double> sum = Matrix<double>::Zero(3, 3);
  for (const auto& term : out.terms) sum += term.logits;
  CHECK(largest_difference<double>(sum, out.logits) < 1e-14);
  const Matrix<double> q = (contents * wide.W_q).rowwise() + wide.b_q.row(0);
  const Matrix<double> k = (contents * wide.W_k).rowwise() + wide.b_k.row(0);
  CHECK(largest_difference<double>(out.terms[0].logits, q * k.transpose() / 2) < 1e-14);

  wide.b_k = normal_matrix<double>(random, 1, 5);
  CHECK_THROWS_WITH(
      attention_head<double>(NoEncoding<double>(), wide, {contents, contents, three, three}),
      Contains("b_k of shape [1, 5]: must have one number per column"));
}

TEST_CASE("A layer splits its biases as it splits its projections") {
  Random random(8, "layer biases");
  const Matrix<double> x = normal_matrix<double>(random, 3, 6);
  const Positions at = consecutive_positions(3);
  LayerProjections<double> w{normal_matrix<double>(random, 6, 4 * head_width),
                             normal_matrix<double>(random, 6, 2 * head_width),
                             normal_matrix<double>(random, 6, 2 * head_width),
                             {4, 2},
                             normal_matrix<double>(random, 1, 4 * head_width),
                             normal_matrix<double>(random, 1, 2 * head_width),
                             normal_matrix<double>(random, 1, 2 * head_width)};
  const LayerInputs<double> made = projected<double>(nullptr, w, {x, x, at, at});
  const Matrix<double> q = (x * w.W_q).rowwise() + w.b_q.row(0);
  const Matrix<double> k = (x * w.W_k).rowwise() + w.b_k.row(0);
  const Matrix<double> v = (x * w.W_v).rowwise() + w.b_v.row(0);
  CHECK(largest_difference<double>(made.q[3], q.rightCols(head_width)) < 1e-14);
  CHECK(largest_difference<double>(made.k[1], k.rightCols(head_width)) < 1e-14);
  CHECK(largest_difference<double>(made.v[0], v.leftCols(head_width)) < 1e-14);
}

TEST_CASE("Each head sees what its own mask shows of what all of them see") {
  LayerInputs<double> in = layer(2, 1, 2, 3);
  const Mask first = Mask::padding(2, {true, false, true});
  const auto heads = multi_head_attention<double>(NoEncoding<double>(), in,
                                                  {.causal = true, .head_masks = {first, Mask()}});
  CHECK(heads[0].weights.col(1).isZero(0));
  CHECK(heads[1].weights(0, 1) > 0);
  CHECK(heads[0].weights(0, 2) == 0);
  CHECK(heads[1].weights(0, 2) == 0);
  CHECK_THROWS_WITH(multi_head_attention<double>(NoEncoding<double>(), in, {.head_masks = {first}}),
                    Contains("1 masks for 2 heads"));
  CHECK_THROWS_WITH(multi_head_linear_attention<double>({}, EluPlusOne<double>(), in,
                                                        {.head_masks = {first, first}}),
                    Contains("a window or mask with linear attention"));
}

TEST_CASE("Linear attention of a layer: heads alone, and padded keys left out") {
  const LayerInputs<double> in = layer(4, 2, 3, 5);
  const Rope<double> rope({.d_head = head_width});
  const EluPlusOne<double> elu;
  const auto heads =
      multi_head_linear_attention<double>({nullptr, &rope}, elu, in, {.causal = true});
  const auto alone = linear_attention<double>({in.q[3], in.k[1], in.v[1], in.m, in.n}, elu, &rope,
                                              {.causal = true});
  CHECK(heads[3].output == alone.output);

  const auto padded = multi_head_linear_attention<double>(
      {nullptr, &rope}, elu, in, {.key_is_real = {true, true, false, true, false}});
  const Mask mask = Mask::padding(3, {true, true, false, true, false});
  const AttentionInputs<double> head{in.q[0], in.k[0], in.v[0], in.m, in.n};
  Matrix<double> v = in.v[0];
  v.row(2).setZero();
  v.row(4).setZero();
  const auto weights = linear_attention_weights<double>(head, elu, &rope);
  const auto plain = linear_attention<double>(head, elu, &rope);
  // The numerator loses what the padded keys put into it, the normaliser their similarity.
  for (Index i = 0; i < 3; ++i) {
    const Matrix<double> above = weights.row(i) * plain.normalizers(i, 0) * v;
    const Matrix<double> expected = above / padded[0].normalizers(i, 0);
    CHECK(largest_difference(padded[0].output.row(i), expected) < 1e-13);
    CHECK(padded[0].normalizers(i, 0) < plain.normalizers(i, 0));
  }
  CHECK_THROWS_WITH(multi_head_linear_attention<double>({nullptr, &rope}, elu, in, {.window = 2}),
                    Contains("cannot drop a key"));
  CHECK_THROWS_WITH(multi_head_linear_attention<double>({nullptr, &rope}, elu, in, {.mask = mask}),
                    Contains("a window or mask with linear attention"));
}

TEST_CASE("Heads of keys and values that do not pair up are refused") {
  LayerInputs<double> in = layer(4, 2, 3, 5);
  in.v.pop_back();
  CHECK_THROWS_WITH(multi_head_attention<double>(Alibi<double>(4), in),
                    Contains("2 heads of k and 1 of v"));
}

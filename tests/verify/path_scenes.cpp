#include "tests/verify/path_scenes.h"

#include <cmath>

#include "experiments/verify/cases.h"

namespace orrery::test {
namespace {
namespace in_path_scenes {

std::vector<bool> all_but_every_fifth(Index count) {
  std::vector<bool> real(static_cast<std::size_t>(count));
  for (std::size_t j = 0; j < real.size(); ++j) real[j] = j % 5 != 2;
  return real;
}

/// With the fraction cut off after 4 bits, which bf16 and fp32 hold.
float first_bits(float value) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(fraction * 16) / 16, exponent);
}

/// Of the logits of a query: Ministral's 1 + a ln(1 + ⌊m/L⌋), or a ln n + b of the n keys it sees.
double factor_of(const PathScene& scene, Index i) {
  const LogitRule& rule = scene.scoring.rule;
  if (rule.kind == LogitRuleKind::mistral) {
    const Position m = scene.m[static_cast<std::size_t>(i)];
    const Position times = m / static_cast<Position>(rule.length);
    return 1 + rule.strength * std::log(1 + static_cast<double>(times));
  }
  double seen = 0;
  for (Index j = 0; j < static_cast<Index>(scene.n.size()); ++j) seen += scene.sees(i, j) ? 1 : 0;
  return rule.strength * std::log(seen) + rule.offset;
}

}  // namespace in_path_scenes
}  // namespace

std::vector<PathScene> scenes() {
  using namespace in_path_scenes;
  return {
      {.m = consecutive_positions(60, 40),
       .n = consecutive_positions(60, 40),
       .visible = {.causal = true},
       .rows_at_once = 16,
       .threads = 3,
       .own_keys = true},
      {consecutive_positions(50), consecutive_positions(53)},
      {consecutive_positions(50),
       consecutive_positions(21, 30),
       {.causal = true}},  // most queries see no key
      {consecutive_positions(5, 523), consecutive_positions(560, 7), {}, 6},
      {consecutive_positions(9, 531), consecutive_positions(550), {.causal = true, .window = 25}},
      {consecutive_positions(9, 531),
       consecutive_positions(550),
       {.causal = true, .window = 25, .key_is_real = all_but_every_fifth(550)}},
      {consecutive_positions(50),
       consecutive_positions(21, 30),
       {.causal = true, .window = 0, .key_is_real = all_but_every_fifth(21)}},
      {{33, 0, 999, 47},
       {12, 500, 3, 0, 990, 47, 46, 33, 34, 800, 8},
       {.causal = true, .window = 300}},
      {consecutive_positions(2, 1020), consecutive_positions(1023), {.causal = true}, 8, {}, 0.25},
      {consecutive_positions(50, 3), consecutive_positions(53), {.causal = true}, 60, {}, 0, true},
  };
}

std::vector<PathScene> long_scenes() {
  PathScene rounded{consecutive_positions(2, 8200),
                    consecutive_positions(8300),
                    {.causal = true, .window = 5000},
                    4};
  rounded.narrow = true;
  for (const Stage stage : {Stage::qk, Stage::value})
    rounded.scoring.rounding.set(stage, Precision::bf16);
  return {rounded, {consecutive_positions(3, 8290), consecutive_positions(8300), {.window = 60}}};
}

std::vector<PathScene> edge_scenes() {
  std::vector<PathScene> scenes;
  for (Position ahead = -64; ahead <= 64; ++ahead)
    if (std::abs(ahead) < 4 || std::abs(ahead) > 36)
      scenes.push_back({consecutive_positions(3, 100), consecutive_positions(4, 100 + ahead), {}});
  return scenes;
}

std::vector<PathScene> ruled_scenes() {
  PathScene scaled{consecutive_positions(30, 50), consecutive_positions(45, 40), {.causal = true}};
  scaled.scoring.scale = 0.3;
  scaled.scoring.rule = {.kind = LogitRuleKind::mistral, .strength = 0.5, .length = 16};
  std::vector<PathScene> all{scaled};
  for (const Position window : {0, 9}) {
    PathScene& counting = all.emplace_back(PathScene{
        consecutive_positions(30, 50), consecutive_positions(45, 40), {.window = window}});
    counting.scoring.rule = {
        .kind = LogitRuleKind::scalable_softmax, .strength = 0.5, .offset = 0.25};
  }
  return all;
}

SceneContents::SceneContents(Random& random, const PathScene& scene) {
  using namespace in_path_scenes;
  const auto draw = [&](const Positions& at, double size = 1) {
    Matrix<float> x = normal_matrix<float>(random, static_cast<Index>(at.size()), path_d, size);
    if (scene.narrow) x = x.unaryExpr([](float value) { return first_bits(value); }).eval();
    return x;
  };
  for (Index h = 0; h < path_heads; ++h) in.q.push_back(draw(scene.m, scene.size));
  for (Index h = 0; h < (scene.own_keys ? path_heads : 1); ++h) {
    in.k.push_back(draw(scene.n));
    in.v.push_back(draw(scene.n));
  }
  if (scene.equal)
    for (std::vector<Matrix<float>>* side : {&in.q, &in.k})
      for (Matrix<float>& x : *side) x.colwise() = Eigen::VectorXf(x.col(0));
  if (scene.rising != 0)
    for (Index j = 0; j < in.k[0].rows(); ++j)
      in.k[0](j, 0) += static_cast<float>(scene.rising * static_cast<double>(j));
  in.m = scene.m;
  in.n = scene.n;
}

literal::Head SceneContents::head(Index h) const {
  using namespace in_path_scenes;
  const auto at = static_cast<std::size_t>(h), of_key = in.k.size() == 1 ? 0 : at;
  return {wide(in.q[at]), wide(in.k[of_key]), wide(in.v[of_key]), in.m, in.n};
}

template <class T>
LayerInputs<T> SceneContents::as() const {
  LayerInputs<T> out{{}, {}, {}, in.m, in.n};
  const auto cast = [](const std::vector<Matrix<float>>& from, std::vector<Matrix<T>>& to) {
    for (const Matrix<float>& x : from) to.push_back(x.cast<T>());
  };
  cast(in.q, out.q);
  cast(in.k, out.k);
  cast(in.v, out.v);
  return out;
}

template LayerInputs<double> SceneContents::as() const;
template LayerInputs<float> SceneContents::as() const;

Expected expected_of(const PathSubject& subject, const PathScene& scene,
                     const SceneContents& contents) {
  using namespace in_path_scenes;
  Expected out;
  for (int h = 0; h < path_heads; ++h) {
    const literal::Head head = contents.head(h);
    Rows logits = literal::sum_of(subject.terms(head, h));
    if (scene.scoring.scale) logits *= *scene.scoring.scale * subject.root;
    if (scene.scoring.rule.given())
      for (Index i = 0; i < logits.rows(); ++i) logits.row(i) *= factor_of(scene, i);
    out.logits.push_back(logits);
    out.weights.push_back(
        literal::softmax(logits, [&](Index i, Index j) { return scene.sees(i, j); }));
    out.output.push_back(subject.output ? subject.output(head, out.weights.back())
                                        : literal::product(out.weights.back(), head.v));
  }
  return out;
}

}  // namespace orrery::test

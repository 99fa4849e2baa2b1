// The two ways of attention, of a map and without one, over texts longer than a tile: what each
// encoding gives there, with offsets, gaps, masks and heads that share keys.
#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <limits>

#include "core/attention/logit_factors.h"
#include "core/encodings/learned.h"
#include "core/encodings/sinusoidal.h"
#include "experiments/verify/cases.h"
#include "tests/verify/path_scenes.h"

using namespace orrery;
using namespace orrery::test;

namespace {
namespace in_paths {

using Subject = PathSubject;
using Scene = PathScene;

constexpr Index heads = path_heads, d = path_d, d_model = path_d_model;

/// The largest logit that is not hidden: of the others nothing depends.
double softmax_bound_of(const Rows& logits, const Scene& scene, double bound) {
  Rows seen = Rows::Zero(logits.rows(), logits.cols());
  for (Index i = 0; i < seen.rows(); ++i)
    for (Index j = 0; j < seen.cols(); ++j)
      if (scene.sees(i, j)) seen(i, j) = logits(i, j);
  return softmax_bound(seen, bound);
}

template <class T>
struct Attended {
  std::vector<AttentionOutput<T>> by_rows, alone;
};

/// Attention of a layer through `run`, which takes a LayerReader.
template <class T, class Run>
Attended<T> attended(const Scene& scene, const Run& run) {
  Attended<T> out;
  out.by_rows.resize(heads);
  const auto gather = [&](int h, Index first, AttentionOutput<T>& part) {
    AttentionOutput<T>& all = out.by_rows[static_cast<std::size_t>(h)];
    const auto queries = static_cast<Index>(scene.m.size());
    const auto take = [&](Matrix<T>& whole, const Matrix<T>& rows) {
      whole.conservativeResize(queries, rows.cols());
      whole.middleRows(first, rows.rows()) = rows;
    };
    take(all.logits, part.logits);
    take(all.weights, part.weights);
    take(all.output, part.output);
    all.fully_masked_rows += part.fully_masked_rows;
  };
  run(LayerReader<T>{gather, scene.rows_at_once, true, scene.threads});
  run(LayerReader<T>{[&](int, Index, AttentionOutput<T>& part) { out.alone.push_back(part); },
                     tile_queries, false});
  return out;
}

template <class T>
void check(const std::string& name, const Scene& scene, const Attended<T>& found,
           const Expected& expected, double angle) {
  const double keys = static_cast<double>(scene.n.size());
  const double bound = rounding_bound<T>(roundings_of(d_model) + static_cast<Index>(keys)) + angle;
  for (std::size_t h = 0; h < heads; ++h) {
    const double weighed = softmax_bound_of(expected.logits[h], scene, 2 * bound);
    check_agreement(name + ": logits", found.by_rows[h].logits, expected.logits[h], bound);
    check_agreement(name + ": weights", found.by_rows[h].weights, expected.weights[h], weighed);
    check_agreement(name + ": output of a map", found.by_rows[h].output, expected.output[h],
                    weighed);
    check_agreement(name + ": output without a map", found.alone[h].output, expected.output[h],
                    weighed);
  }
}

/// The same layer, read head by head.
template <class T>
LayerSource<T> source_of(const LayerInputs<T>& in) {
  const auto of = [](const std::vector<Matrix<T>>& all) {
    return [&all](int head) { return all[static_cast<std::size_t>(head)]; };
  };
  const auto count = [](const auto& all) { return static_cast<Index>(all.size()); };
  return {HeadGroups(count(in.q), count(in.k)),
          of(in.q),
          of(in.k),
          of(in.v),
          in.m,
          in.n,
          in.first_head,
          in.segments};
}

/// l_mn = q_m·k_n + q'_m·a_r + k_n·b_r + c_r, r = n − m.
template <class T>
Rows logits_of(const LogitFactors<T>& f, const Matrix<T>& k, const Distances& distances) {
  const Rows q = wide(f.q), of_distance = f.q_of_distance.size() == 0 ? q : wide(f.q_of_distance),
             own_k = wide(k), keys = f.k.size() == 0 ? own_k : wide(f.k), a = wide(f.by_query.rows),
             b = wide(f.by_key.rows);
  const auto row_of = [](const DistanceVectors<T>& vectors, Position r) {
    return std::clamp<Index>(r - vectors.first, 0, vectors.rows.rows() - 1);
  };
  return literal::pairs(q.rows(), keys.rows(), [&](Index i, Index j) {
    const Position r = distances.first + q.rows() - 1 - i + j;
    literal::Real sum = literal::dot(q, i, keys, j);
    if (f.by_query.given()) sum += literal::dot(of_distance, i, a, row_of(f.by_query, r));
    if (f.by_key.given()) sum += literal::dot(own_k, j, b, row_of(f.by_key, r));
    if (f.bias.size() > 0) sum += static_cast<literal::Real>(f.bias(0, r - distances.first));
    return sum;
  });
}

/// What the terms are made of, where queries and keys are consecutive.
template <class T>
void check_factors(const Subject& subject, const Scene& scene, const LayerInputs<T>& in,
                   const Expected& expected) {
  const auto* terms =
      dynamic_cast<const ScoreTerms<T>*>(&subject.encoding(sizeof(T) == sizeof(double)));
  const auto distances = consecutive_distances(in.m, in.n);
  if (!terms || !distances || subject.segmented || scene.n.size() > 100) return;
  if (scene.scoring.rule.given()) return;
  for (std::size_t h = 0; h < heads; ++h) {
    const Matrix<T>& k = in.k[in.k.size() == 1 ? 0 : h];
    const auto factors = terms->logit_factors(
        {in.q[h], k, in.m, in.n, static_cast<int>(h), scene.scoring}, *distances);
    const Rows found = factors ? logits_of(*factors, k, *distances) : Rows();
    check_agreement<T>(subject.name + ": logits of its factors", found.template cast<T>(),
                       expected.logits[h],
                       2 * rounding_bound<T>(roundings_of(d_model)) + subject.angle);
  }
}

template <class T>
void check(const Subject& subject, const Scene& scene, const SceneContents& contents,
           const Expected& expected) {
  LayerInputs<T> in = contents.as<T>();
  const literal::Ids of_queries = path_segments(in.m), of_keys = path_segments(in.n);
  if (subject.segmented) in.segments = {of_queries, of_keys};
  const Encoding& encoding = subject.encoding(sizeof(T) == sizeof(double));
  const auto found = attended<T>(scene, [&](const LayerReader<T>& reader) {
    if (reader.map)
      multi_head_by_rows<T>(encoding, in, scene.visible, scene.scoring, reader);
    else
      multi_head_by_rows<T>(encoding, source_of(in), scene.visible, scene.scoring, reader);
  });
  check_factors(subject, scene, in, expected);
  check(subject.name, scene, found, expected, subject.angle * (scene.n.size() > 8000 ? 9 : 1));
}

void check(const Subject& subject, const std::vector<Scene>& of, Random& random) {
  for (std::size_t i = 0; i < of.size(); ++i) {
    INFO("scene " << i);
    const SceneContents contents(random, of[i]);
    const Expected expected = expected_of(subject, of[i], contents);
    check<double>(subject, of[i], contents, expected);
    check<float>(subject, of[i], contents, expected);
  }
}

/// What is rounded on the way from the products to the output is so on both ways: the same bits, but
/// where an encoding adds to values tile by tile.
template <class T>
void check_rounded(const Subject& subject, Precision format, Random& random) {
  const Encoding& encoding = subject.encoding(sizeof(T) == sizeof(double));
  for (const Stage stage :
       {Stage::term, Stage::scale, Stage::logits, Stage::weights, Stage::output}) {
    INFO(subject.name << " rounded at " << name(stage));
    Scene scene{consecutive_positions(20, 50), consecutive_positions(30, 40), {.causal = true}};
    scene.scoring.rounding.set(stage, format);
    const LayerInputs<T> in = SceneContents(random, scene).as<T>();
    const auto found = attended<T>(scene, [&](const LayerReader<T>& reader) {
      multi_head_by_rows<T>(encoding, in, scene.visible, scene.scoring, reader);
    });
    const double bound = !subject.output          ? 0
                         : stage == Stage::output ? 2 * unit_roundoff(format)
                                                  : 2 * rounding_bound<T>(roundings_of(d_model));
    for (std::size_t h = 0; h < heads; ++h)
      check_agreement("output", found.alone[h].output, wide(found.by_rows[h].output), bound);
  }
}

TEST_CASE("Over longer texts the papers' encodings give what they define, on both ways") {
  Random random(drawn_seed(), "both ways");
  for (const Subject& subject : path_subjects(random)) {
    check(subject, scenes(), random);
    if (subject.segmented) continue;  // with a map on both ways
    if (subject.root > 0) check(subject, ruled_scenes(), random);
    if (subject.name.starts_with("shaw") || subject.name.starts_with("deberta"))
      check(subject, edge_scenes(), random);
    for (const Precision format : {Precision::bf16, Precision::fp16, Precision::fp32})
      check_rounded<double>(subject, format, random);
    check_rounded<float>(subject, Precision::bf16, random);
    if (subject.name != "none" && subject.name != "alibi" && subject.name != "deberta_code")
      check(subject, long_scenes(), random);
  }
}

// As 0·NaN is NaN.
TEST_CASE("A value that is NaN reaches its channel of every query on both ways, and no other") {
  constexpr Index at_key = 50, channel = 3;
  const Scene scene{consecutive_positions(60), consecutive_positions(60), {.causal = true}};
  Random random(drawn_seed(), "both ways, NaN");
  for (const Subject& subject : path_subjects(random)) {
    if (subject.segmented || subject.turns_values) continue;
    INFO(subject.name);
    LayerInputs<double> in = SceneContents(random, scene).as<double>();
    in.v[0](at_key, channel) = std::numeric_limits<double>::quiet_NaN();
    const auto found = attended<double>(scene, [&](const LayerReader<double>& reader) {
      multi_head_by_rows<double>(subject.encoding(true), in, scene.visible, scene.scoring, reader);
    });
    for (const auto* heads_found : {&found.by_rows, &found.alone})
      for (const AttentionOutput<double>& out : *heads_found)
        for (Index c = 0; c < d; ++c)
          CHECK(out.output.col(c).array().isNaN().count() ==
                (c == channel ? out.output.rows() : 0));
  }
}

// A distance may lie beyond ±2^53, or a key at the least distance from the first query.
TEST_CASE("Distances of consecutive positions are known up to ±2^53, and of others not") {
  constexpr Position most = Position{1} << 53;
  for (const Position m : {Position{0}, Position{5}, most / 2, most - 3, most - 2, -most, 1 - most})
    for (const Position n : {Position{0}, Position{-4}, -most / 2, 1 - most, most - 1, -most})
      for (const Index queries : {1, 2, 4})
        for (const Index keys : {1, 3}) {
          INFO(queries << " queries from " << m << ", " << keys << " keys from " << n);
          const Position last_m = m + queries - 1, last_n = n + keys - 1;
          const bool near = std::max<Position>(last_m, last_n) <= most &&
                            std::abs(n - last_m) <= most && std::abs(last_n - m) <= most &&
                            std::abs(m + n - last_m) <= most;
          const auto found = consecutive_distances(consecutive_positions(queries, m),
                                                   consecutive_positions(keys, n));
          CHECK(found.has_value() == near);
          if (!found) continue;
          CHECK(found->first == n - last_m);
          CHECK(found->count == queries + keys - 1);
        }
  for (const Positions& gap : {Positions{0, 2}, Positions{1, 0}, Positions{0, 1, 3}, Positions{}}) {
    CHECK_FALSE(consecutive_distances(gap, Positions{0}).has_value());
    CHECK_FALSE(consecutive_distances(Positions{0}, gap).has_value());
  }
}

/// Encodings that add to the input: the layer from its contents, with its projections.
template <class T>
void check_added(const std::string& name, const Encoding& encoding,
                 const std::function<Rows(const Positions&)>& p, Random& random, double angle) {
  const LayerProjections<T> w{weights<T>(random, d_model, heads * d),
                              weights<T>(random, d_model, d), weights<T>(random, d_model, d),
                              HeadGroups(heads, 1)};
  for (const Scene& scene : scenes()) {
    const auto draw = [&](const Positions& at) {
      return normal_matrix<T>(random, static_cast<Index>(at.size()), d_model);
    };
    const Matrix<T> x_q = draw(scene.m), x_k = draw(scene.n);
    const Rows added_q = wide(x_q) + p(scene.m), added_k = wide(x_k) + p(scene.n);
    Expected expected;
    for (Index h = 0; h < heads; ++h) {
      const Rows q = literal::product(added_q, literal::head_columns(wide(w.W_q), h, d));
      const Rows k = literal::product(added_k, wide(w.W_k));
      expected.logits.push_back(literal::scores(q, k, std::sqrt(double{d})));
      expected.weights.push_back(literal::softmax(
          expected.logits.back(), [&](Index i, Index j) { return scene.sees(i, j); }));
      expected.output.push_back(
          literal::product(expected.weights.back(), literal::product(added_k, wide(w.W_v))));
    }
    const auto found = attended<T>(scene, [&](const LayerReader<T>& reader) {
      multi_head_by_rows<T>(encoding, w, {x_q, x_k, scene.m, scene.n}, scene.visible, {}, reader);
    });
    check(name, scene, found, expected, angle);
  }
}

TEMPLATE_TEST_CASE("Over longer texts added positions give what they define, on both ways", "",
                   float, double) {
  Random random(drawn_seed(), "both ways, from contents");
  check_added<TestType>(
      "sinusoidal", Sinusoidal<TestType>(d_model),
      [](const Positions& at) { return literal::sinusoids(at, d_model, paper_base); }, random,
      2 * angle_bound(1000));
  const Matrix<TestType> table = normal_matrix<TestType>(random, 1100, d_model);
  check_added<TestType>(
      "learned", Learned<TestType>(table),
      [&](const Positions& at) { return literal::rows_at(wide(table), at); }, random, 0);
}

}  // namespace in_paths
}  // namespace

// The two ways of attention, of a map and without one, over texts longer than a tile: what each
// encoding gives there, with offsets, gaps, masks and heads that share keys.
#include <algorithm>
#include <functional>
#include <limits>

#include "core/attention/logit_factors.h"
#include "core/encodings/learned.h"
#include "core/encodings/sinusoidal.h"
#include "experiments/verify/path_subjects.h"

namespace orrery::verify {
namespace {
namespace in_equations_paths {

const Paper both_ways{ClaimKind::property, "(2)", "Attention of a map, and without one"};

using Subject = PathSubject;

constexpr Index heads = path_heads, d = path_d, d_model = path_d_model;

/// Where queries and keys stand, and what hides keys.
struct Scene {
  Positions m, n;
  MaskSpec visible{};
  double size{1};         ///< of the queries: from about 8 on no product is near
  Scoring scoring{};      ///< with a scale or rule, of encodings whose terms are products alone
  double rising{0};       ///< what each key's first channel gains, times its place
  bool equal{false};      ///< whether the channels of a token are, and lengths far from their sums
  Index rows_at_once{7};  ///< of the map
  int threads{1};
  bool own_keys{false};  ///< whether each head has keys and values of its own
  bool narrow{false};    ///< whether bf16 holds the contents, so that rounding q, k, v leaves them

  bool sees(Index i, Index j) const {
    const Position r = m[static_cast<std::size_t>(i)] - n[static_cast<std::size_t>(j)];
    if (visible.causal && r < 0) return false;
    if (visible.window > 0 && (r >= visible.window || -r >= visible.window)) return false;
    return visible.key_is_real.empty() || visible.key_is_real[static_cast<std::size_t>(j)];
  }
};

std::vector<bool> all_but_every_fifth(Index count) {
  std::vector<bool> real(static_cast<std::size_t>(count));
  for (std::size_t j = 0; j < real.size(); ++j) real[j] = j % 5 != 2;
  return real;
}

/// A tile has 48 queries and 512 keys; factors of terms are made of 4096 keys at a time where there
/// are more than 8192.
std::vector<Scene> scenes() {
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

/// Queries among 8300 keys, in the last of the parts that factors are made of.
std::vector<Scene> long_scenes() {
  Scene rounded{consecutive_positions(2, 8200),
                consecutive_positions(8300),
                {.causal = true, .window = 5000},
                4};
  rounded.narrow = true;
  for (const Stage stage : {Stage::qk, Stage::value})
    rounded.scoring.rounding.set(stage, Precision::bf16);
  return {rounded, {consecutive_positions(3, 8290), consecutive_positions(8300), {.window = 60}}};
}

/// Few tokens at every distance around those from which on Shaw's and DeBERTa's tables have one
/// row.
std::vector<Scene> edge_scenes() {
  std::vector<Scene> scenes;
  for (Position ahead = -64; ahead <= 64; ++ahead)
    if (std::abs(ahead) < 4 || std::abs(ahead) > 36)
      scenes.push_back({consecutive_positions(3, 100), consecutive_positions(4, 100 + ahead), {}});
  return scenes;
}

/// With the fraction cut off after 4 bits, which bf16 and fp32 hold.
float first_bits(float value) {
  int exponent = 0;
  const float fraction = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(fraction * 16) / 16, exponent);
}

/// Contents that fp32 holds, so that one literal evaluation serves both precisions.
struct Contents {
  LayerInputs<float> in;

  Contents(Random& random, const Scene& scene) {
    const auto draw = [&](const Positions& at, double size = 1) {
      Matrix<float> x = normal_matrix<float>(random, static_cast<Index>(at.size()), d, size);
      if (scene.narrow) x = x.unaryExpr([](float value) { return first_bits(value); }).eval();
      return x;
    };
    for (Index h = 0; h < heads; ++h) in.q.push_back(draw(scene.m, scene.size));
    for (Index h = 0; h < (scene.own_keys ? heads : 1); ++h) {
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

  literal::Head head(Index h) const {
    const auto at = static_cast<std::size_t>(h), of_key = in.k.size() == 1 ? 0 : at;
    return {wide(in.q[at]), wide(in.k[of_key]), wide(in.v[of_key]), in.m, in.n};
  }
  template <class T>
  LayerInputs<T> as() const {
    LayerInputs<T> out{{}, {}, {}, in.m, in.n};
    const auto cast = [](const std::vector<Matrix<float>>& from, std::vector<Matrix<T>>& to) {
      for (const Matrix<float>& x : from) to.push_back(x.cast<T>());
    };
    cast(in.q, out.q);
    cast(in.k, out.k);
    cast(in.v, out.v);
    return out;
  }
};

/// What a scene must give, head by head.
struct Expected {
  std::vector<Rows> logits, weights, output;
};

/// Of the logits of a query: Ministral's 1 + a ln(1 + ⌊m/L⌋), or a ln n + b of the n keys it sees.
double factor_of(const Scene& scene, Index i) {
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

Expected expected_of(const Subject& subject, const Scene& scene, const Contents& contents) {
  Expected out;
  for (int h = 0; h < heads; ++h) {
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
void see(Ledger<T>& ledger, const std::string& name, const std::string& label, const Scene& scene,
         const Attended<T>& found, const Expected& expected, double angle) {
  const double keys = static_cast<double>(scene.n.size());
  const double bound = rounding_bound<T>(roundings_of(d_model) + static_cast<Index>(keys)) + angle;
  for (std::size_t h = 0; h < heads; ++h) {
    const double weighed = softmax_bound_of(expected.logits[h], scene, 2 * bound);
    const std::string of = label + ", longer texts: ";
    ledger.compare(both_ways, name + "_map_logits", of + "logits of a map", found.by_rows[h].logits,
                   expected.logits[h], bound);
    ledger.compare(both_ways, name + "_map_weights", of + "weights of a map",
                   found.by_rows[h].weights, expected.weights[h], weighed);
    ledger.compare(both_ways, name + "_map_output", of + "output of a map", found.by_rows[h].output,
                   expected.output[h], weighed);
    ledger.compare(both_ways, name + "_output_alone", of + "output without a map",
                   found.alone[h].output, expected.output[h], weighed);
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
void see_factors(Ledger<T>& ledger, const Subject& subject, const Scene& scene,
                 const LayerInputs<T>& in, const Expected& expected) {
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
    ledger.compare(both_ways, subject.name + "_factors",
                   subject.label + ", longer texts: its factors", found.template cast<T>(),
                   expected.logits[h],
                   2 * rounding_bound<T>(roundings_of(d_model)) + subject.angle);
  }
}

template <class T>
void see(Ledger<T>& ledger, const Subject& subject, const Scene& scene, const Contents& contents,
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
  see_factors(ledger, subject, scene, in, expected);
  see(ledger, subject.name, subject.label, scene, found, expected,
      subject.angle * (scene.n.size() > 8000 ? 9 : 1));
}

/// Ledgers of both precisions.
struct Both {
  Ledger<double> fp64;
  Ledger<float> fp32;
};

void see(Both& ledgers, const Subject& subject, const Scene& scene, Random& random) {
  const Contents contents(random, scene);
  const Expected expected = expected_of(subject, scene, contents);
  see<double>(ledgers.fp64, subject, scene, contents, expected);
  see<float>(ledgers.fp32, subject, scene, contents, expected);
}

/// The scale of Scoring in place of the paper's, and a factor of each query.
Scene scaled_scene() {
  Scene scene{consecutive_positions(30, 50), consecutive_positions(45, 40), {.causal = true}};
  scene.scoring.scale = 0.3;
  scene.scoring.rule = {.kind = LogitRuleKind::mistral, .strength = 0.5, .length = 16};
  return scene;
}

/// A factor of the keys that a query sees: all, or those of a window.
Scene counting_scene(Position window) {
  Scene scene{consecutive_positions(30, 50), consecutive_positions(45, 40), {.window = window}};
  scene.scoring.rule = {.kind = LogitRuleKind::scalable_softmax, .strength = 0.5, .offset = 0.25};
  return scene;
}

/// What is rounded on the way from the products to the output is so on both ways: the same bits.
template <class T>
void rounded_claims(Ledger<T>& ledger, const Subject& subject, Precision format, Random& random) {
  const Encoding& encoding = subject.encoding(sizeof(T) == sizeof(double));
  for (const Stage stage :
       {Stage::term, Stage::scale, Stage::logits, Stage::weights, Stage::output}) {
    Scene scene{consecutive_positions(20, 50), consecutive_positions(30, 40), {.causal = true}};
    scene.scoring.rounding.set(stage, format);
    const LayerInputs<T> in = Contents(random, scene).as<T>();
    const auto found = attended<T>(scene, [&](const LayerReader<T>& reader) {
      multi_head_by_rows<T>(encoding, in, scene.visible, scene.scoring, reader);
    });
    for (std::size_t h = 0; h < heads; ++h)
      ledger.compare(both_ways, subject.name + "_rounded_output_alone",
                     subject.label + ", rounded on the way: output without a map",
                     found.alone[h].output, wide(found.by_rows[h].output), 0);
  }
}

void subject_claims(Both& ledgers, std::int64_t seed) {
  Random random(seed, "both ways");
  for (const Subject& subject : path_subjects(random)) {
    for (const Scene& scene : scenes()) see(ledgers, subject, scene, random);
    if (subject.segmented) continue;  // with a map on both ways
    if (subject.root > 0)
      for (const Scene& scene : {scaled_scene(), counting_scene(0), counting_scene(9)})
        see(ledgers, subject, scene, random);
    if (subject.name.starts_with("shaw") || subject.name.starts_with("deberta"))
      for (const Scene& scene : edge_scenes()) see(ledgers, subject, scene, random);
    for (const Precision format : {Precision::bf16, Precision::fp16, Precision::fp32})
      rounded_claims<double>(ledgers.fp64, subject, format, random);
    rounded_claims<float>(ledgers.fp32, subject, Precision::bf16, random);
    if (subject.name != "none" && subject.name != "alibi" && subject.name != "deberta_code")
      for (const Scene& scene : long_scenes()) see(ledgers, subject, scene, random);
  }
}

/// A value that is no number reaches its channel of every query, as 0·NaN is NaN, and no other.
double misplaced_nans(const Subject& subject, Random& random) {
  constexpr Index at_key = 50, channel = 3;
  const Scene scene{consecutive_positions(60), consecutive_positions(60), {.causal = true}};
  LayerInputs<double> in = Contents(random, scene).as<double>();
  in.v[0](at_key, channel) = std::numeric_limits<double>::quiet_NaN();
  const auto found = attended<double>(scene, [&](const LayerReader<double>& reader) {
    multi_head_by_rows<double>(subject.encoding(true), in, scene.visible, scene.scoring, reader);
  });
  double count = 0;
  for (const auto* heads_found : {&found.by_rows, &found.alone})
    for (const AttentionOutput<double>& out : *heads_found)
      for (Index i = 0; i < out.output.rows(); ++i)
        for (Index c = 0; c < d; ++c) count += std::isnan(out.output(i, c)) != (c == channel);
  return count;
}

/// Consecutive positions near ±2^53, where a distance may lie beyond it, or a key at the least
/// distance from the first query.
double misjudged_distances() {
  constexpr Position most = Position{1} << 53;
  double count = 0;
  for (const Position m : {Position{0}, Position{5}, most / 2, most - 3, most - 2, -most, 1 - most})
    for (const Position n : {Position{0}, Position{-4}, -most / 2, 1 - most, most - 1, -most})
      for (const Index queries : {1, 2, 4})
        for (const Index keys : {1, 3}) {
          const Position last_m = m + queries - 1, last_n = n + keys - 1;
          const Index distances = queries + keys - 1;
          const bool near = std::max({last_m, last_n}) <= most && std::abs(n - last_m) <= most &&
                            std::abs(last_n - m) <= most && std::abs(m + n - last_m) <= most;
          const auto found = consecutive_distances(consecutive_positions(queries, m),
                                                   consecutive_positions(keys, n));
          count += found.has_value() != near ||
                   (near && (found->first != n - last_m || found->count != distances));
        }
  for (const Positions& gap : {Positions{0, 2}, Positions{1, 0}, Positions{0, 1, 3}, Positions{}}) {
    count += consecutive_distances(gap, Positions{0}).has_value();
    count += consecutive_distances(Positions{0}, gap).has_value();
  }
  return count;
}

void fact_claims(std::int64_t seed, std::vector<Claim>& claims) {
  Facts facts("60 queries and keys, causal", claims);
  Random random(seed, "both ways, NaN");
  double misplaced = 0;
  for (const Subject& subject : path_subjects(random))
    if (!subject.segmented && !subject.turns_values) misplaced += misplaced_nans(subject, random);
  facts.equals(both_ways, "nan_values",
               "a value that is NaN reaches its channel alone, on both ways: numbers misjudged",
               misplaced, 0);
  facts.equals(both_ways, "consecutive_distances",
               "distances of consecutive positions, to ±2^53: misjudged", misjudged_distances(), 0);
}

/// Encodings that add to the input: the layer from its contents, with its projections.
template <class T, class Added>
void input_claims(Ledger<T>& ledger, const std::string& name, const std::string& label,
                  const Added& encoding, const std::function<Rows(const Positions&)>& p,
                  Random& random, double angle) {
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
    see(ledger, name, label, scene, found, expected, angle);
  }
}

template <class T>
void input_claims(Ledger<T>& ledger, std::int64_t seed) {
  Random random(seed, "both ways, from contents");
  input_claims<T>(
      ledger, "sinusoidal", "sinusoids", Sinusoidal<T>(d_model),
      [](const Positions& at) { return literal::sinusoids(at, d_model, paper_base); }, random,
      2 * angle_bound(1000));
  const Matrix<T> table = normal_matrix<T>(random, 1100, d_model);
  input_claims<T>(
      ledger, "learned", "learned positions", Learned<T>(table),
      [&](const Positions& at) { return literal::rows_at(wide(table), at); }, random, 0);
}

}  // namespace in_equations_paths
}  // namespace

void path_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_paths;
  const std::string over = "2 heads over 1, d = 8, to 60 queries and 8300 keys, 1 draw";
  Both ledgers{{over, claims}, {over, claims}};
  subject_claims(ledgers, options.seed);
  input_claims<double>(ledgers.fp64, options.seed);
  input_claims<float>(ledgers.fp32, options.seed);
  fact_claims(options.seed, claims);
}

}  // namespace orrery::verify

// The two ways of attention, of a map and without one, over texts longer than a tile: what each
// encoding gives there, with offsets, gaps, masks and heads that share keys.
#include <functional>
#include <memory>
#include <numeric>

#include "core/encodings/alibi.h"
#include "core/encodings/deberta.h"
#include "core/encodings/learned.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "experiments/verify/cases.h"

namespace orrery::verify {
namespace {

const Paper both_ways{ClaimKind::property, "(2)", "Attention of a map, and without one"};

constexpr Index heads = 2, d = 8, d_model = 12;

Positions count_from(Position first, Index count) {
  Positions at(static_cast<std::size_t>(count));
  std::iota(at.begin(), at.end(), first);
  return at;
}

/// Where queries and keys stand, and what hides keys.
struct Scene {
  Positions m, n;
  MaskSpec visible{};
  double size{1};         ///< of the queries: from about 8 on no product is near
  Scoring scoring{};      ///< with a scale or rule, of encodings whose terms are products alone
  double rising{0};       ///< what each key's first channel gains, times its place
  bool equal{false};      ///< whether the channels of a token are, and lengths far from their sums
  Index rows_at_once{7};  ///< of the map

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
      {count_from(40, 60), count_from(40, 60), {.causal = true}},
      {count_from(523, 5), count_from(7, 560), {}, 6},
      {count_from(531, 9), count_from(0, 550), {.causal = true, .window = 25}},
      {count_from(0, 50),
       count_from(30, 21),
       {.causal = true, .window = 0, .key_is_real = all_but_every_fifth(21)}},
      {{33, 0, 999, 47},
       {12, 500, 3, 0, 990, 47, 46, 33, 34, 800, 8},
       {.causal = true, .window = 300}},
      {count_from(1020, 2), count_from(0, 1023), {.causal = true}, 8, {}, 0.25},
      {count_from(3, 50), count_from(0, 53), {.causal = true}, 60, {}, 0, true},
  };
}

/// Queries among 8300 keys, in the last of the parts that factors are made of.
std::vector<Scene> long_scenes() {
  return {{count_from(8200, 2), count_from(0, 8300), {.causal = true, .window = 5000}, 4},
          {count_from(8290, 3), count_from(0, 8300), {.window = 60}}};
}

/// Few tokens at every distance around those from which on Shaw's and DeBERTa's tables have one
/// row.
std::vector<Scene> edge_scenes() {
  std::vector<Scene> scenes;
  for (Position ahead = -64; ahead <= 64; ++ahead)
    if (std::abs(ahead) < 4 || std::abs(ahead) > 36)
      scenes.push_back({count_from(100, 3), count_from(100 + ahead, 4), {}});
  return scenes;
}

/// Contents that fp32 holds, so that one literal evaluation serves both precisions.
struct Contents {
  LayerInputs<float> in;

  Contents(Random& random, const Scene& scene, bool own_keys = false) {
    const auto draw = [&](const Positions& at, double size = 1) {
      return normal_matrix<float>(random, static_cast<Index>(at.size()), d, size);
    };
    for (Index h = 0; h < heads; ++h) in.q.push_back(draw(scene.m, scene.size));
    for (Index h = 0; h < (own_keys ? heads : 1); ++h) {
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
    return {wide(in.q[static_cast<std::size_t>(h)]), wide(in.k[0]), wide(in.v[0]), in.m, in.n};
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

/// An encoding by its name in claims, in both precisions, and as its paper has it.
struct Subject {
  std::string name, label;
  std::function<const Encoding&(bool wide)> encoding;
  std::function<literal::Terms(const literal::Head&, int h)> terms;
  /// What the weighted values gain, where that is not 0.
  std::function<Rows(const literal::Head&, const Rows& weights)> output{};
  /// √ of what the paper divides each product by, where every term is one; 0 elsewhere.
  double root{0};
  double angle{0};  ///< the loss of angles at distances to 1000
};

Expected expected_of(const Subject& subject, const Scene& scene, const Contents& contents) {
  Expected out;
  for (int h = 0; h < heads; ++h) {
    const literal::Head head = contents.head(h);
    Rows logits = literal::sum_of(subject.terms(head, h));
    if (scene.scoring.scale) logits *= *scene.scoring.scale * subject.root;
    if (scene.scoring.rule.given())  // Ministral's
      for (Index i = 0; i < logits.rows(); ++i) {
        const Position m = scene.m[static_cast<std::size_t>(i)];
        const Position times = m / static_cast<Position>(scene.scoring.rule.length);
        logits.row(i) *= 1 + scene.scoring.rule.strength * std::log(1 + static_cast<double>(times));
      }
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
  run(LayerReader<T>{gather, scene.rows_at_once});
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

template <class T>
void see(Ledger<T>& ledger, const Subject& subject, const Scene& scene, const Contents& contents,
         const Expected& expected) {
  const LayerInputs<T> in = contents.as<T>();
  const Encoding& encoding = subject.encoding(sizeof(T) == sizeof(double));
  const auto found = attended<T>(scene, [&](const LayerReader<T>& reader) {
    multi_head_by_rows<T>(encoding, in, scene.visible, scene.scoring, reader);
  });
  see(ledger, subject.name, subject.label, scene, found, expected,
      subject.angle * (scene.n.size() > 8000 ? 9 : 1));
}

/// Both precisions of an encoding, from tables that fp32 holds.
template <template <class> class E, class Make>
std::function<const Encoding&(bool)> both(const Make& make) {
  std::shared_ptr<const Encoding> narrow = make(float{}), wide_one = make(double{});
  return [narrow, wide_one](bool wide) -> const Encoding& { return wide ? *wide_one : *narrow; };
}

Subject plain_subject() {
  return {"none",
          "no encoding",
          both<NoEncoding>([]<class T>(T) { return std::make_shared<NoEncoding<T>>(); }),
          [](const literal::Head& head, int) -> literal::Terms {
            return {{"content", literal::scores(head.q, head.k, std::sqrt(double{d}))}};
          },
          {},
          std::sqrt(double{d})};
}

Subject rope_subject() {
  return {"rope",
          "RoPE",
          both<Rope>([]<class T>(T) { return std::make_shared<Rope<T>>(RopeConfig{.d_head = d}); }),
          [](const literal::Head& head, int) -> literal::Terms {
            return {{"content",
                     literal::relative_scores(head.q, head.k, head.m, head.n, literal::whole(d)) /
                         std::sqrt(double{d})}};
          },
          {},
          std::sqrt(double{d}),
          averaged_angle_bound(1000, d)};
}

Subject shaw_subject(Random& random) {
  constexpr Position clip = 40;
  const Matrix<float> keys = weights<float>(random, 2 * clip + 1, d);
  const Matrix<float> values = normal_matrix<float>(random, 2 * clip + 1, d);
  return {"shaw",
          "Shaw",
          both<Shaw>([&]<class T>(T) {
            return std::make_shared<Shaw<T>>(keys.cast<T>(), values.cast<T>());
          }),
          [=](const literal::Head& head, int) { return literal::shaw(head, wide(keys), clip); },
          [=](const literal::Head& head, const Rows& weights) {
            return literal::shaw_output(head, weights, wide(values), clip);
          },
          std::sqrt(double{d})};
}

Subject transformer_xl_subject(Random& random) {
  const Matrix<float> u = weights<float>(random, heads, d), v = weights<float>(random, heads, d);
  const Matrix<float> W_kR = weights<float>(random, d_model, heads * d);
  return {"transformer_xl",
          "Transformer-XL",
          both<TransformerXl>([&]<class T>(T) {
            return std::make_shared<TransformerXl<T>>(
                typename TransformerXl<T>::Weights{u.cast<T>(), v.cast<T>(), W_kR.cast<T>()},
                paper_base);
          }),
          [=](const literal::Head& head, int h) {
            return literal::transformer_xl(head, wide<float>(u.row(h)), wide<float>(v.row(h)),
                                           literal::head_columns(wide(W_kR), h, d), paper_base);
          },
          {},
          std::sqrt(double{d}),
          averaged_angle_bound(1000, d_model)};
}

Subject t5_subject(Random& random, const std::string& name, bool bidirectional) {
  const Matrix<float> table = normal_matrix<float>(random, 32, heads);
  return {name, bidirectional ? "T5" : "T5, causal", both<T5>([&]<class T>(T) {
            return std::make_shared<T5<T>>(T5Buckets{.bidirectional = bidirectional},
                                           table.cast<T>());
          }),
          [=](const literal::Head& head, int h) {
            return literal::t5(head, wide<float>(table.col(h)), {.bidirectional = bidirectional});
          }};
}

Subject alibi_subject() {
  return {"alibi", "ALiBi", both<Alibi>([]<class T>(T) {
            return std::make_shared<Alibi<T>>(static_cast<int>(heads));
          }),
          [](const literal::Head& head, int h) {
            return literal::alibi(head, literal::alibi_slopes(heads)[static_cast<std::size_t>(h)],
                                  false);
          }};
}

Subject tupe_subject(Random& random) {
  const Matrix<float> table = normal_matrix<float>(random, 8300, d_model);
  const Matrix<float> U_q = weights<float>(random, d_model, heads * d),
                      U_k = weights<float>(random, d_model, heads * d),
                      bias = normal_matrix<float>(random, 32, heads),
                      theta = normal_matrix<float>(random, 2, heads);
  return {"tupe", "TUPE", both<Tupe>([&]<class T>(T) {
            return std::make_shared<Tupe<T>>(
                typename Tupe<T>::Weights{table.cast<T>(), U_q.cast<T>(), U_k.cast<T>(),
                                          bias.cast<T>(), theta.cast<T>()},
                TupeOptions{});
          }),
          [=](const literal::Head& head, int h) {
            const auto at = [&](const Positions& positions) {
              Rows p(static_cast<Index>(positions.size()), d_model);
              for (Index i = 0; i < p.rows(); ++i)
                p.row(i) = wide(table).row(positions[static_cast<std::size_t>(i)]);
              return p;
            };
            const Rows none = Rows::Zero(1, d);
            return literal::tupe(
                head, at(head.m), at(head.n),
                {literal::head_columns(wide(U_q), h, d), literal::head_columns(wide(U_k), h, d),
                 none, none, wide<float>(bias.col(h))},
                {true, static_cast<literal::Real>(theta(0, h)),
                 static_cast<literal::Real>(theta(1, h)), -1, -1});
          }};
}

Subject deberta_subject(Random& random, const std::string& name, DebertaIndex index,
                        DebertaTerms terms) {
  constexpr Position span = 60;
  const Matrix<float> table = weights<float>(random, 2 * span, d_model),
                      W_qr = weights<float>(random, d_model, heads * d),
                      W_kr = weights<float>(random, d_model, heads * d);
  const bool both_terms = terms == DebertaTerms::both;
  return {
      name,
      name == "deberta" ? "DeBERTa" : "DeBERTa, " + name.substr(8),
      both<Deberta>([&]<class T>(T) {
        return std::make_shared<Deberta<T>>(
            typename Deberta<T>::Weights{table.cast<T>(), W_qr.cast<T>(), W_kr.cast<T>(), d},
            DebertaOptions{.span = span, .index = index, .terms = terms});
      }),
      [=](const literal::Head& head, int h) {
        const auto of = [&](const Matrix<float>& w) {
          return literal::product(wide(table), literal::head_columns(wide(w), h, d));
        };
        return literal::deberta(
            head, {of(W_kr), of(W_qr), [](Position r) { return literal::deberta_delta(r, span); }},
            index == DebertaIndex::paper ? literal::DebertaForm::paper : literal::DebertaForm::code,
            terms != DebertaTerms::position_to_content, terms != DebertaTerms::content_to_position);
      },
      {},
      std::sqrt(double{d} * (both_terms ? 3 : 2))};
}

std::vector<Subject> subjects(Random& random) {
  return {plain_subject(),
          rope_subject(),
          shaw_subject(random),
          transformer_xl_subject(random),
          t5_subject(random, "t5", true),
          t5_subject(random, "t5_causal", false),
          alibi_subject(),
          tupe_subject(random),
          deberta_subject(random, "deberta", DebertaIndex::paper, DebertaTerms::both),
          deberta_subject(random, "deberta_code", DebertaIndex::code, DebertaTerms::both),
          deberta_subject(random, "deberta_c2p", DebertaIndex::paper,
                          DebertaTerms::content_to_position)};
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
  Scene scene{count_from(50, 30), count_from(40, 45), {.causal = true}};
  scene.scoring.scale = 0.3;
  scene.scoring.rule = {.kind = LogitRuleKind::mistral, .strength = 0.5, .length = 16};
  return scene;
}

/// What is rounded on the way from the products to the output is so on both ways: the same bits.
template <class T>
void rounded_claims(Ledger<T>& ledger, const Subject& subject, Random& random) {
  const Encoding& encoding = subject.encoding(sizeof(T) == sizeof(double));
  for (const Stage stage :
       {Stage::term, Stage::scale, Stage::logits, Stage::weights, Stage::output}) {
    Scene scene{count_from(50, 20), count_from(40, 30), {.causal = true}};
    scene.scoring.rounding.set(stage, Precision::bf16);
    const LayerInputs<T> in = Contents(random, scene).as<T>();
    const auto found = attended<T>(scene, [&](const LayerReader<T>& reader) {
      multi_head_by_rows<T>(encoding, in, scene.visible, scene.scoring, reader);
    });
    for (std::size_t h = 0; h < heads; ++h)
      ledger.compare(both_ways, subject.name + "_rounded_output_alone",
                     subject.label + ", rounded to bf16 on the way: output without a map",
                     found.alone[h].output, wide(found.by_rows[h].output), 0);
  }
}

void subject_claims(Both& ledgers, std::int64_t seed) {
  Random random(seed, "both ways");
  for (const Subject& subject : subjects(random)) {
    for (const Scene& scene : scenes()) see(ledgers, subject, scene, random);
    if (subject.root > 0) see(ledgers, subject, scaled_scene(), random);
    if (subject.name == "shaw" || subject.name.starts_with("deberta"))
      for (const Scene& scene : edge_scenes()) see(ledgers, subject, scene, random);
    rounded_claims<double>(ledgers.fp64, subject, random);
    rounded_claims<float>(ledgers.fp32, subject, random);
    if (subject.name != "none" && subject.name != "alibi" && subject.name != "deberta_code")
      for (const Scene& scene : long_scenes()) see(ledgers, subject, scene, random);
  }
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
      [&](const Positions& at) {
        Rows p(static_cast<Index>(at.size()), d_model);
        for (Index i = 0; i < p.rows(); ++i)
          p.row(i) = wide(table).row(at[static_cast<std::size_t>(i)]);
        return p;
      },
      random, 0);
}

}  // namespace

void path_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  const std::string over = "2 heads over 1, d = 8, to 60 queries and 8300 keys, 1 draw";
  Both ledgers{{over, claims}, {over, claims}};
  subject_claims(ledgers, options.seed);
  input_claims<double>(ledgers.fp64, options.seed);
  input_claims<float>(ledgers.fp32, options.seed);
}

}  // namespace orrery::verify

// The encodings whose attention is taken on both ways, and what their papers give.
#include "tests/verify/path_subjects.h"

#include <memory>

#include "core/encodings/alibi.h"
#include "core/encodings/deberta.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "experiments/verify/cases.h"

namespace orrery::test {
namespace {
namespace in_path_subjects {

using Subject = PathSubject;

constexpr Index heads = path_heads, d = path_d, d_model = path_d_model;

/// Both precisions of an encoding, from tables that fp32 holds.
template <template <class> class E, class Make>
std::function<const Encoding&(bool)> both(const Make& make) {
  std::shared_ptr<const Encoding> narrow = make(float{}), wide_one = make(double{});
  return [narrow, wide_one](bool wide) -> const Encoding& { return wide ? *wide_one : *narrow; };
}

Subject plain_subject() {
  return {"none",
          both<NoEncoding>([]<class T>(T) { return std::make_shared<NoEncoding<T>>(); }),
          [](const literal::Head& head, int) -> literal::Terms {
            return {{"content", literal::scores(head.q, head.k, std::sqrt(double{d}))}};
          },
          {},
          std::sqrt(double{d})};
}

Subject rope_subject() {
  return {
      "rope",
      both<Rope>([]<class T>(T) { return std::make_shared<Rope<T>>(RopeConvention{.d_head = d}); }),
      [](const literal::Head& head, int) -> literal::Terms {
        return {{"content",
                 literal::relative_scores(head.q, head.k, head.m, head.n, literal::whole(d)) /
                     std::sqrt(double{d})}};
      },
      {},
      std::sqrt(double{d}),
      averaged_angle_bound(1000, d)};
}

/// Values turn by their key, and the output back by its query.
Subject roper_subject() {
  return {.name = "roper",
          .encoding = both<Rope>([]<class T>(T) {
            return std::make_shared<Rope<T>>(
                RopeConvention{.d_head = d},
                RopeOptions{.rotary_value = RotaryValue::counter_rotated});
          }),
          .terms = rope_subject().terms,
          .output =
              [](const literal::Head& head, const Rows& weights) {
                Positions back = head.m;
                for (Position& m : back) m = -m;
                return literal::turned(
                    literal::product(weights, literal::turned(head.v, head.n, literal::whole(d))),
                    back, literal::whole(d));
              },
          .root = std::sqrt(double{d}),
          .angle = averaged_angle_bound(1000, d),
          .turns_values = true};
}

Subject shaw_subject(Random& random) {
  constexpr Position clip = 40;
  const Matrix<float> keys = weights<float>(random, 2 * clip + 1, d);
  const Matrix<float> values = normal_matrix<float>(random, 2 * clip + 1, d);
  return {"shaw", both<Shaw>([&]<class T>(T) {
            return std::make_shared<Shaw<T>>(keys.cast<T>(), values.cast<T>());
          }),
          [=](const literal::Head& head, int) {
            return literal::shaw(head, wide(keys), literal::clipped(clip));
          },
          [=](const literal::Head& head, const Rows& weights) {
            return literal::shaw_output(head, weights, wide(values), literal::clipped(clip));
          },
          std::sqrt(double{d})};
}

/// Huang et al.'s method 4, clipped to another distance on either side, rows from the right on.
Subject shaw_of_both_subject(Random& random) {
  const ShawOptions options{.left = 40,
                            .right = 25,
                            .rows = ShawRows::query_minus_key,
                            .scores = ShawScores::queries_and_keys};
  const Matrix<float> keys = weights<float>(random, options.left + options.right + 1, d);
  return {"shaw_of_both",
          both<Shaw>([&]<class T>(T) {
            return std::make_shared<Shaw<T>>(keys.cast<T>(), Matrix<T>(), options);
          }),
          [=](const literal::Head& head, int) {
            return literal::shaw(head, wide(keys), {40, 25, true, true});
          },
          {},
          std::sqrt(double{d})};
}

Subject transformer_xl_subject(Random& random) {
  const Matrix<float> u = weights<float>(random, heads, d), v = weights<float>(random, heads, d);
  const Matrix<float> W_kR = weights<float>(random, d_model, heads * d);
  return {"transformer_xl",
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

Subject xlnet_subject(Random& random) {
  const Matrix<float> u = weights<float>(random, heads, d), v = weights<float>(random, heads, d),
                      s = weights<float>(random, heads, d);
  const Matrix<float> W_kR = weights<float>(random, d_model, heads * d),
                      g = weights<float>(random, 2, heads * d);
  return {.name = "xlnet",
          .encoding = both<TransformerXl>([&]<class T>(T) {
            return std::make_shared<TransformerXl<T>>(
                typename TransformerXl<T>::Weights{u.cast<T>(), v.cast<T>(), W_kR.cast<T>(),
                                                   s.cast<T>(), g.cast<T>()},
                paper_base);
          }),
          .terms =
              [=](const literal::Head& head, int h) {
                literal::Terms terms =
                    literal::transformer_xl(head, wide<float>(u.row(h)), wide<float>(v.row(h)),
                                            literal::head_columns(wide(W_kR), h, d), paper_base);
                terms.push_back(literal::segment(head, wide<float>(s.row(h)),
                                                 literal::head_columns(wide(g), h, d),
                                                 path_segments(head.m), path_segments(head.n)));
                return terms;
              },
          .angle = averaged_angle_bound(1000, d_model),
          .segmented = true};
}

Subject t5_subject(Random& random, const std::string& name, bool bidirectional) {
  const Matrix<float> table = normal_matrix<float>(random, 32, heads);
  return {name, both<T5>([&]<class T>(T) {
            return std::make_shared<T5<T>>(T5Buckets{.bidirectional = bidirectional},
                                           table.cast<T>());
          }),
          [=](const literal::Head& head, int h) {
            return literal::t5(head, wide<float>(table.col(h)), {.bidirectional = bidirectional});
          }};
}

Subject alibi_subject() {
  return {"alibi", both<Alibi>([]<class T>(T) {
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
  return {"tupe", both<Tupe>([&]<class T>(T) {
            return std::make_shared<Tupe<T>>(
                typename Tupe<T>::Weights{table.cast<T>(), U_q.cast<T>(), U_k.cast<T>(),
                                          bias.cast<T>(), theta.cast<T>()},
                TupeOptions{});
          }),
          [=](const literal::Head& head, int h) {
            const Rows none = Rows::Zero(1, d);
            return literal::tupe(
                head, literal::rows_at(wide(table), head.m), literal::rows_at(wide(table), head.n),
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
            index == DebertaIndex::paper ? literal::DebertaTables::Form::paper
                                         : literal::DebertaTables::Form::code,
            terms != DebertaTerms::position_to_content, terms != DebertaTerms::content_to_position);
      },
      {},
      std::sqrt(double{d} * (both_terms ? 3 : 2))};
}

}  // namespace in_path_subjects
}  // namespace

literal::Ids path_segments(const Positions& at) {
  literal::Ids ids;
  for (const Position p : at) ids.push_back(static_cast<std::int32_t>(p / 7 % 3));
  return ids;
}

std::vector<PathSubject> path_subjects(Random& random) {
  using namespace in_path_subjects;
  return {plain_subject(),
          rope_subject(),
          roper_subject(),
          shaw_subject(random),
          shaw_of_both_subject(random),
          transformer_xl_subject(random),
          xlnet_subject(random),
          t5_subject(random, "t5", true),
          t5_subject(random, "t5_causal", false),
          alibi_subject(),
          tupe_subject(random),
          deberta_subject(random, "deberta", DebertaIndex::paper, DebertaTerms::both),
          deberta_subject(random, "deberta_code", DebertaIndex::code, DebertaTerms::both),
          deberta_subject(random, "deberta_c2p", DebertaIndex::paper,
                          DebertaTerms::content_to_position)};
}

}  // namespace orrery::test

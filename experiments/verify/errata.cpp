// Misprints of the paper and of circulating copies, each with the number by which it differs.
#include <algorithm>
#include <complex>
#include <limits>

#include "core/analysis/decay.h"
#include "core/encodings/deberta.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/shaw.h"
#include "core/encodings/sinusoidal.h"
#include "core/encodings/t5.h"
#include "core/encodings/transformer_xl.h"
#include "core/encodings/tupe.h"
#include "experiments/verify/cases.h"
#include "experiments/verify/literal.h"

namespace orrery::verify {
namespace {

using literal::Rows;

constexpr double visible = 1e-3;  // far above any rounding, in fp32 too

/// A case with its q and k, and a stream for tables.
template <class T>
struct Draw {
  const Case<T>& c;
  Random& random;
  Matrix<T> q, k;
  Rows Q, K;

  Draw(const Case<T>& drawn, Random& stream)
      : c(drawn), random(stream), q(c.x * c.w.W_q), k(c.x * c.w.W_k), Q(c.wide(q)), K(c.wide(k)) {}

  Matrix<T> table(Index rows, Index columns) {
    return normal_matrix<T>(random, rows, columns, 1 / std::sqrt(static_cast<double>(c.d)));
  }
  Rows logits(const Encoding& encoding) const {
    return c.wide(attention_from_qkv<T>(encoding, {q, k, k, c.at, c.at}).logits);
  }
  /// Σ_c q_mc (R k_n)_c for one pair of rows.
  double turned_score(Position r) const {
    const Rows moved =
        literal::weighted_sum(literal::rotation(c.d, paper_base, r), K.row(1).transpose());
    return literal::scores(Q.row(0), moved.transpose(), 1.0)(0, 0);
  }
};

/// Both rows of each 2×2 block printed as (cos, −sin): the length of what it turns.
template <class T>
double equal_rows_change(Draw<T>& draw) {
  const Case<T>& c = draw.c;
  Rows wrong = literal::rotation(c.d, paper_base, 3);
  for (Index t = 0; t < c.d / 2; ++t) {
    wrong(2 * t + 1, 2 * t) = wrong(2 * t, 2 * t);
    wrong(2 * t + 1, 2 * t + 1) = wrong(2 * t, 2 * t + 1);
  }
  Worst change;
  for (Index i = 0; i < c.x.rows(); ++i) {
    const Rows x = c.wide(c.x).row(i);
    change.see(std::abs(literal::weighted_sum(wrong, x.transpose()).norm() / x.norm() - 1));
  }
  return change.value();
}

template <class T>
double last_rows_change(Draw<T>& draw) {
  constexpr Position m = 1000;  // the last pair is slow: nearer, it hardly turns
  Worst change;
  for (Index i = 0; i < draw.Q.rows(); ++i)
    change.see(disagreement(literal::elementwise_rotation(draw.Q.row(i), paper_base, m, true),
                            literal::elementwise_rotation(draw.Q.row(i), paper_base, m)));
  return change.value();
}

/// θ_i = 10000^{−2i/d}, as §3.3 and §3.4.3 print it, with the i = 1 … d/2 of eq. (15).
template <class T>
double index_origin_change(Draw<T>& draw) {
  const Index d = draw.c.d;
  const double slower = std::pow(paper_base, -2.0 / static_cast<double>(d));
  return std::abs(std::cos(slower) - std::cos(1.0));
}

/// Eq. (5): the vectors of one table looked up by clip(m − n) in place of Shaw's clip(n − m).
template <class T>
double shaw_sign_change(Draw<T>& draw) {
  constexpr Index clip = 50;
  const Matrix<T> table = draw.table(2 * clip + 1, draw.c.d);
  return disagreement(draw.logits(Shaw<T>(table.colwise().reverse(), {})),
                      draw.logits(Shaw<T>(table, {})));
}

/// Eq. (5): W_k (x_n + p~), the vector behind the projection, against W_k x_n + p~.
template <class T>
double shaw_projected_change(Draw<T>& draw) {
  constexpr Index clip = 50;
  const Matrix<T> table = draw.table(2 * clip + 1, draw.c.d);
  return disagreement(draw.logits(Shaw<T>(table * draw.c.w.W_k, {})),
                      draw.logits(Shaw<T>(table, {})));
}

/// Eq. (7) with u and v behind W_q, as RoFormer prints them, against Transformer-XL's.
template <class T>
double projected_biases_change(Draw<T>& draw) {
  const Index d = draw.c.d;
  const typename TransformerXl<T>::Weights weights{draw.table(1, d), draw.table(1, d),
                                                   draw.table(d, d)};
  const auto printed = TransformerXl<T>::behind_W_q(weights, draw.c.w.W_q);
  return disagreement(draw.logits(TransformerXl<T>(printed, paper_base)),
                      draw.logits(TransformerXl<T>(weights, paper_base)));
}

/// Eq. (8) inside eq. (2)'s softmax, over √d, against T5's plain sum.
template <class T>
double scaled_t5_change(Draw<T>& draw) {
  const Rows logits = draw.logits(T5<T>({}, draw.table(32, 1)));
  return disagreement(logits / std::sqrt(static_cast<double>(draw.c.d)), logits);
}

/// Eq. (9) as printed: no 1/√(2d), but the √d of eq. (2); positions are unscaled alike.
template <class T>
double printed_tupe_change(Draw<T>& draw) {
  const Index d = draw.c.d;
  const Tupe<T> tupe({draw.table(1200, d), draw.table(d, d), draw.table(d, d), draw.table(32, 1)},
                     {.untie_cls = false});
  const auto out = attention_from_qkv<T>(tupe, {draw.q, draw.k, draw.k, draw.c.at, draw.c.at});
  const Rows scaled = draw.c.wide(out.terms[0].logits) + draw.c.wide(out.terms[1].logits);
  const Rows logits = draw.c.wide(out.logits);
  return disagreement(logits + (std::sqrt(2.0) - 1) * scaled, logits);
}

/// Eq. (10) as printed, without √(3d) and without clipping at k, against DeBERTa's.
template <class T>
double printed_deberta_change(Draw<T>& draw) {
  constexpr Position span = 4, all = 2000;
  const Index d = draw.c.d;
  const Matrix<T> one = Matrix<T>::Identity(d, d);
  const Matrix<T> wide = draw.table(2 * all, d);
  const Rows clipped =
      draw.logits(Deberta<T>({wide.middleRows(all - span, 2 * span), one, one, d}, {.span = span}));
  const Rows unclipped = draw.logits(Deberta<T>({wide, one, one, d}, {.span = all}));
  return disagreement(unclipped * std::sqrt(3.0 * static_cast<double>(d)), clipped);
}

/// Eq. (10) has p~_{m−n} in both terms, as the released codes do; DeBERTa's paper δ(n, m) in one.
template <class T>
double one_distance_change(Draw<T>& draw) {
  constexpr Position span = 60;
  const Index d = draw.c.d;
  const typename Deberta<T>::Weights weights{draw.table(2 * span, d), draw.table(d, d),
                                             draw.table(d, d), d};
  return disagreement(draw.logits(Deberta<T>(weights, {.span = span, .index = DebertaIndex::code})),
                      draw.logits(Deberta<T>(weights, {.span = span})));
}

/// q_mᵀk_n with R_{m−n} in place of R_{n−m}.
template <class T>
double sign_change(Draw<T>& draw) {
  return std::abs(draw.turned_score(3) - draw.turned_score(-3));
}

/// Eq. (16) prints x W_q R W_k x, without the transpose of W_q.
template <class T>
double missing_transpose_change(Draw<T>& draw) {
  const Rows x = draw.c.wide(draw.c.x);
  const Rows untransposed = literal::projected(x, draw.c.wide(draw.c.w.W_q).transpose());
  return disagreement(literal::scores(untransposed, draw.K, 1.0),
                      literal::scores(draw.Q, draw.K, 1.0));
}

/// Eq. (31), e^{iθ_q + mθ + γ}: without its brackets the exponent has a real part mθ, and lengths
/// grow. At m = 3.
template <class T>
double missing_brackets_change(Draw<T>&) {
  constexpr double m = 3, theta_0 = 1;
  return std::abs(std::exp(std::complex<double>(m * theta_0, 1.0))) - 1;
}

/// Eq. (32), q = W_q x_n for W_q x_m: the score of a pair becomes that of a token with itself.
template <class T>
double wrong_token_change(Draw<T>& draw) {
  const Rows scores = literal::scores(draw.Q, draw.K, 1.0);
  Rows wrong = scores;
  for (Index i = 0; i < wrong.rows(); ++i) wrong.row(i) = scores.diagonal().transpose();
  return disagreement(wrong, scores);
}

/// What the authors of eq. (4) ran, tensor2tensor, has another slowest frequency.
template <class T>
double tensor2tensor_change(Draw<T>& draw) {
  const Index d = draw.c.d;
  if (d == 2) return std::numeric_limits<double>::infinity();  // the only frequency is 1 in both
  return disagreement(
      draw.c.wide(Sinusoidal<T>(d, paper_base, SinusoidalLayout::tensor2tensor).table(draw.c.at)),
      draw.c.wide(Sinusoidal<T>(d, paper_base, SinusoidalLayout::concatenated).table(draw.c.at)));
}

/// Base 1000 in place of 10000, in Fig. 2 at distance 10.
template <class T>
double base_change(Draw<T>&) {
  const auto curve_at_10 = [](double base) {
    return decay_curve(inverse_frequencies(128, base), 10, 1).mean_abs_S[0];
  };
  return std::abs(curve_at_10(1000) - curve_at_10(paper_base));
}

template <class T>
struct Erratum {
  const char* name;
  const char* statement;
  const char* formula;
  double (*change)(Draw<T>&);
};

template <class T>
constexpr Erratum<T> errata[] = {
    {"tensor2tensor_frequencies", "the authors' code has other frequencies than (4): p changes by",
     "(4)", tensor2tensor_change<T>},
    {"shaw_sign", "clip(m − n) for Shaw's clip(n − m): scores change by", "(5)",
     shaw_sign_change<T>},
    {"shaw_behind_W_k", "W_k (x_n + p~) for Shaw's W_k x_n + p~: scores change by", "(5)",
     shaw_projected_change<T>},
    {"biases_behind_W_q", "uᵀW_qᵀ, vᵀW_qᵀ for u, v: scores change by", "(7)",
     projected_biases_change<T>},
    {"t5_over_root_d", "T5 divides by no √d, and (8) stands in (2), which does: scores change by",
     "(8)", scaled_t5_change<T>},
    {"tupe_as_printed", "√d for TUPE's √(2d): scores change by", "(9)", printed_tupe_change<T>},
    {"deberta_as_printed", "no √(3d) and no clipping: scores change by", "(10)",
     printed_deberta_change<T>},
    {"one_distance_for_both", "p~_{m−n} twice, as in code, for δ(n, m) in one: scores change by",
     "(10)", one_distance_change<T>},
    {"base_1000", "base 1000 for 10000: mean |S_j| at distance 10 changes by", "(15)",
     base_change<T>},
    {"index_origin", "θ_i = 10000^{−2i/d} with i from 1, as §3.3 mixes them: cos θ_1 changes by",
     "(15)", index_origin_change<T>},
    {"equal_rows", "both rows of a 2×2 block alike: lengths change by the share", "(13), (15)",
     equal_rows_change<T>},
    {"sign_of_m_minus_n", "R_{m−n} for R_{n−m}: a score changes by", "(16)", sign_change<T>},
    {"missing_transpose", "W_q for W_qᵀ: scores change by", "(16)", missing_transpose_change<T>},
    {"missing_brackets", "e^{iθ_q + mθ} for e^{i(θ_q + mθ)}: a length grows at m = 3 by the share",
     "(31)", missing_brackets_change<T>},
    {"wrong_token", "q = W_q x_n for W_q x_m: scores change by", "(32)", wrong_token_change<T>},
    {"last_rows_of_34", "last entries (−x_{d−1}, x_d) for (−x_d, x_{d−1}): R_1000 x changes by",
     "(34)", last_rows_change<T>},
};

template <class T>
void errata_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  const std::vector<Case<T>> cases = cases_of<T>(options);
  for (const Erratum<T>& erratum : errata<T>) {
    Random random(options.seed, std::string("erratum ") + erratum.name);
    double least = std::numeric_limits<double>::infinity();
    for (const Case<T>& c : cases) {
      Draw<T> draw(c, random);
      least = std::min(least, erratum.change(draw));
    }
    claims.push_back({"Errata",
                      {.name = std::string(erratum.name) + "_" + precision_name<T>(),
                       .statement = erratum.statement,
                       .equation = erratum.formula,
                       .measured = least,
                       .relation = Relation::at_least,
                       .bound = visible},
                      "the least over d = 2 … 128, N = 3 … 24; " + precision_name<T>()});
  }
}

}  // namespace

void erratum_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  errata_in<double>(options, claims);
  errata_in<float>(options, claims);
}

}  // namespace orrery::verify

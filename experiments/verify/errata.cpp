// Misprints of the paper and of circulating copies, each with the number by which it differs.
#include <algorithm>

#include "core/analysis/decay.h"
#include "core/encodings/deberta.h"
#include "core/encodings/frequencies.h"
#include "core/encodings/transformer_xl.h"
#include "experiments/verify/cases.h"
#include "experiments/verify/literal.h"

namespace orrery::verify {
namespace {

using literal::Rows;

constexpr double visible = 1e-3;  // far above any rounding in fp64

Claim erratum(std::string name, std::string statement, std::string formula, double measured,
              double bound = visible) {
  return {"Errata",
          {.name = std::move(name),
           .statement = std::move(statement),
           .equation = std::move(formula),
           .measured = measured,
           .relation = Relation::at_least,
           .bound = bound},
          "fp64"};
}

/// Both rows of each 2×2 block printed as (cos, −sin): the length of what it turns.
double equal_rows_change(const Case<double>& c) {
  Worst change;
  Rows wrong = literal::rotation(c.d, paper_base, 3);
  for (Index t = 0; t < c.d / 2; ++t) {
    wrong(2 * t + 1, 2 * t) = wrong(2 * t, 2 * t);
    wrong(2 * t + 1, 2 * t + 1) = wrong(2 * t, 2 * t + 1);
  }
  for (Index i = 0; i < c.x.rows(); ++i) {
    const Rows y = literal::weighted_sum(wrong, c.x.row(i).transpose());
    change.see(std::abs(y.norm() / c.x.row(i).norm() - 1));
  }
  return change.value();
}

/// Eq. (7) with u and v behind W_q, as RoFormer prints them, against Transformer-XL's.
double projected_biases_change(const Case<double>& c, Random& random) {
  const Rows u = normal_matrix<double>(random, 1, c.d), v = normal_matrix<double>(random, 1, c.d);
  const Rows W_kR = normal_matrix<double>(random, c.d, c.d);
  const Rows q = c.x * c.w.W_q, k = c.x * c.w.W_k;
  const AttentionInputs<double> in{q, k, k, c.at, c.at};
  const auto logits = [&](const Rows& a, const Rows& b) {
    return attention_from_qkv<double>(TransformerXl<double>({a, b, W_kR}, paper_base), in).logits;
  };
  return disagreement(logits(u * c.w.W_q, v * c.w.W_q), logits(u, v));
}

/// Eq. (10) as printed, without √(3d) and without clipping at k, against DeBERTa's.
double printed_deberta_change(const Case<double>& c, Random& random) {
  constexpr Position span = 4, all = 2000;
  const Rows one = Rows::Identity(c.d, c.d);
  const Rows wide = normal_matrix<double>(random, 2 * all, c.d);
  const Rows q = c.x * c.w.W_q, k = c.x * c.w.W_k;
  const AttentionInputs<double> in{q, k, k, c.at, c.at};
  const Rows clipped =
      attention_from_qkv<double>(
          Deberta<double>({wide.middleRows(all - span, 2 * span), one, one, c.d}, {.span = span}),
          in)
          .logits;
  const Rows unclipped =
      attention_from_qkv<double>(Deberta<double>({wide, one, one, c.d}, {.span = all}), in).logits;
  return disagreement(unclipped * std::sqrt(3.0 * static_cast<double>(c.d)), clipped);
}

/// q_mᵀk_n with R_{m−n} in place of R_{n−m}.
double sign_change(const Case<double>& c) {
  const Rows q = c.x * c.w.W_q, k = c.x * c.w.W_k;
  const auto score = [&](Position r) {
    const Rows moved =
        literal::weighted_sum(literal::rotation(c.d, paper_base, r), k.row(1).transpose());
    return literal::scores(q.row(0), moved.transpose(), 1.0)(0, 0);
  };
  return std::abs(score(3) - score(-3));
}

}  // namespace

void erratum_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  const std::vector<Case<double>> cases = cases_of<double>(options);
  const Case<double>& c =
      *std::find_if(cases.begin(), cases.end(), [](const auto& x) { return x.d == 8; });
  Random random(options.seed, "errata");
  const auto bound_at_10 = [](double base) {
    return decay_curve(inverse_frequencies(128, base), 10, 1).mean_abs_S[0];
  };
  Worst rows_34;
  for (Index i = 0; i < c.x.rows(); ++i)
    rows_34.see(disagreement(literal::elementwise_rotation(c.x.row(i), paper_base, 3, true),
                             literal::elementwise_rotation(c.x.row(i), paper_base, 3)));
  claims.push_back(erratum("base_1000", "base 1000 for 10000: mean |S_j| at distance 10 changes by",
                           "(15)", std::abs(bound_at_10(1000) - bound_at_10(10000)), 0.1));
  claims.push_back(erratum("last_rows_of_34",
                           "last entries (−x_{d−1}, x_d) for (−x_d, x_{d−1}): R_m x changes by",
                           "(34)", rows_34.value()));
  claims.push_back(erratum("equal_rows",
                           "both rows of a 2×2 block alike: lengths change by the share",
                           "(13), (15)", equal_rows_change(c)));
  claims.push_back(erratum("biases_behind_W_q", "uᵀW_qᵀ, vᵀW_qᵀ for u, v: scores change by", "(7)",
                           projected_biases_change(c, random)));
  claims.push_back(erratum("deberta_as_printed", "no √(3d) and no clipping: scores change by",
                           "(10)", printed_deberta_change(c, random)));
  claims.push_back(erratum("sign_of_m_minus_n", "R_{m−n} for R_{n−m}: a score changes by", "(16)",
                           sign_change(c)));
}

}  // namespace orrery::verify

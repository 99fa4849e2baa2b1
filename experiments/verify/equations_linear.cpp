// Eq. (17)–(19): attention as a kernel, linear attention, and RoPE in it.
#include <algorithm>

#include "core/analysis/invariance.h"
#include "core/attention/linear_attention.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"
#include "experiments/verify/literal.h"

namespace orrery::verify {
namespace {

using literal::Rows;

double elu_plus_one(double x) { return x > 0 ? x + 1 : std::exp(x); }

Rows features(const Rows& x) {
  return x.unaryExpr([](double v) { return elu_plus_one(v); });
}

/// Eq. (19) as printed: a sum over n above, a sum over n below.
Rows literal_linear(const Rows& q, const Rows& k, const Rows& v, const Positions& at, bool rotate) {
  const Rows phi_q = features(q), phi_k = features(k);
  Rows above_q = phi_q, above_k = phi_k;
  for (Index i = 0; rotate && i < q.rows(); ++i) {
    const Rows r = literal::rotation(q.cols(), paper_base, at[static_cast<std::size_t>(i)]);
    above_q.row(i) = literal::weighted_sum(r, phi_q.row(i).transpose()).transpose();
    above_k.row(i) = literal::weighted_sum(r, phi_k.row(i).transpose()).transpose();
  }
  const Rows above = literal::scores(above_q, above_k, 1.0);
  const Rows below = literal::scores(phi_q, phi_k, 1.0);
  Rows weights = above;
  for (Index i = 0; i < weights.rows(); ++i) weights.row(i) = above.row(i) / below.row(i).sum();
  return literal::weighted_sum(weights, v);
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Worst generic, kernel, rotated;
  const EluPlusOne<T> elu;
  for (const Case<T>& c : cases_of<T>(options)) {
    const Matrix<T> q = c.x * c.w.W_q, k = c.x * c.w.W_k, v = c.x * c.w.W_v;
    const AttentionInputs<T> in{q, k, v, c.at, c.at};
    const Rows Q = c.wide(q), K = c.wide(k), V = c.wide(v);
    const Rows similarity =
        literal::scores(Q, K, std::sqrt(static_cast<double>(c.d))).array().exp();
    Rows shares = similarity;
    for (Index i = 0; i < shares.rows(); ++i) shares.row(i) /= similarity.row(i).sum();
    generic.see(disagreement(c.wide(attention_from_qkv<T>(NoEncoding<T>(), in).output),
                             literal::weighted_sum(shares, V)));
    kernel.see(disagreement(c.wide(linear_attention<T>(in, elu, nullptr).output),
                            literal_linear(Q, K, V, c.at, false)));
    const Rope<T> rope({.d_head = c.d});
    rotated.see(disagreement(c.wide(linear_attention<T>(in, elu, &rope).output),
                             literal_linear(Q, K, V, c.at, true)));
  }
  const auto add = [&](const char* name, const char* statement, const char* formula,
                       const Worst& w) {
    claims.push_back(equation<T>(name, statement, formula, w.value(), options));
  };
  add("generic_attention", "attention is a mean of values weighted by sim = exp(q·k/√d)", "(17)",
      generic);
  add("kernel_attention", "with sim = φ(q)·φ(k), φ = elu + 1, sums replace the score matrix",
      "(18)", kernel);
  add("linear_rope", "RoPE turns the features above the bar and not below", "(19)", rotated);
}

Claim fact(std::string name, std::string statement, double measured, Relation relation,
           double bound) {
  return {"Properties",
          {.name = std::move(name),
           .statement = std::move(statement),
           .equation = "(19)",
           .measured = measured,
           .relation = relation,
           .bound = bound},
          "d = 8, N = 7, elu + 1, fp64"};
}

}  // namespace

void linear_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);

  const std::vector<Case<double>> cases = cases_of<double>(options);
  const Case<double>& c =
      *std::find_if(cases.begin(), cases.end(), [](const auto& x) { return x.d == 8; });
  const EluPlusOne<double> elu;
  const Rope<double> rope({.d_head = c.d});
  const Positions moved = shifted(c.at, 12345);
  const AttentionInputs<double> here{c.x, c.x, c.x, c.at, c.at}, there{c.x, c.x, c.x, moved, moved};
  const auto change = [&](LinearVariant variant) {
    return disagreement(linear_attention<double>(there, elu, &rope, {variant}).output,
                        linear_attention<double>(here, elu, &rope, {variant}).output);
  };
  const Matrix<double> weights = linear_attention_weights<double>(here, elu, &rope);
  const double row_gap = (weights.rowwise().sum().array() - 1).abs().maxCoeff();
  claims.push_back(fact("linear_rope_is_relative",
                        "linear attention with RoPE depends on m − n only",
                        change(LinearVariant::paper), Relation::at_most, rounding_bound<double>()));
  claims.push_back(fact("linear_rope_rows", "its weights do not sum to 1: largest gap of a row",
                        row_gap, Relation::at_least, 1e-3));
  claims.push_back(fact("linear_rope_negative",
                        "and some are negative: the most negative, times −1", -weights.minCoeff(),
                        Relation::at_least, 1e-3));
  claims.push_back(fact("rotation_before_features",
                        "turning q, k before the features, as code does, is not relative: change",
                        change(LinearVariant::rotated_before_features), Relation::at_least, 1e-3));
}

}  // namespace orrery::verify

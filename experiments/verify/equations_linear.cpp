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

/// What linear attention of one case does under a shift of all positions.
template <class T>
double shift_change(const Case<T>& c, LinearVariant variant) {
  const EluPlusOne<T> elu;
  const Rope<T> rope({.d_head = c.d});
  const Positions moved = shifted(c.at, 12345);
  return disagreement(
      c.wide(linear_attention<T>({c.x, c.x, c.x, moved, moved}, elu, &rope, {variant}).output),
      c.wide(linear_attention<T>({c.x, c.x, c.x, c.at, c.at}, elu, &rope, {variant}).output));
}

template <class T>
void properties_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Worst relative, before, row_gap, negative;
  for (const Case<T>& c : cases_of<T>(options)) {
    relative.see(shift_change<T>(c, LinearVariant::paper));
    before.see(shift_change<T>(c, LinearVariant::rotated_before_features));
    const Rope<T> rope({.d_head = c.d});
    const Rows weights =
        c.wide(linear_attention_weights<T>({c.x, c.x, c.x, c.at, c.at}, EluPlusOne<T>(), &rope));
    row_gap.see((weights.rowwise().sum().array() - 1).abs().maxCoeff());
    negative.see(-weights.minCoeff());
  }
  const auto add = [&](const char* name, const char* statement, const Worst& measured,
                       Relation relation, double bound) {
    claims.push_back({"Properties",
                      {.name = std::string(name) + "_" + precision_name<T>(),
                       .statement = statement,
                       .equation = "(19)",
                       .measured = measured.value(),
                       .relation = relation,
                       .bound = bound},
                      "d = 2 … 128, N = 3 … 24, elu + 1, " + precision_name<T>()});
  };
  constexpr double visible = 1e-3;
  add("linear_rope_is_relative", "linear attention with RoPE depends on m − n only", relative,
      Relation::at_most, rounding_bound<T>());
  add("linear_rope_rows", "its weights do not sum to 1: largest gap of a row", row_gap,
      Relation::at_least, visible);
  add("linear_rope_negative", "and some are negative: the most negative, times −1", negative,
      Relation::at_least, visible);
  add("rotation_before_features",
      "turning q, k before the features, as code does, is not relative: change", before,
      Relation::at_least, visible);
}

}  // namespace

void linear_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
  properties_in<double>(options, claims);
  properties_in<float>(options, claims);
}

}  // namespace orrery::verify

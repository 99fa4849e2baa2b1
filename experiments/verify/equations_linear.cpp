// Heads that share keys, and rows with a sink or a cap: what RoFormer's (2) has not. Eq. (17)–(19):
// attention as a kernel, linear attention, RoPE in it, and FAVOR+.
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/analysis/largest.h"
#include "core/attention/linear_attention.h"
#include "core/encodings/alibi.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_linear {

const Paper grouped{ClaimKind::cited, "",
                    "Heads: Vaswani et al. 2017 §3.2.2, Shazeer 2019, Ainslie et al. 2023",
                    "RoFormer's (2) has one head, with keys and values of its own"};
const Paper sinks_paper{ClaimKind::cited, "", "Sinks and caps: Xiao et al. 2024 §3.3, Gemma 2 §2",
                        "RoFormer's (2) has neither"};

constexpr Index d_head = 8;

/// H heads over H_kv, from contents and from q, k, v, with slopes that differ from head to head.
template <class T>
void group_claims(Ledger<T>& ledger, Random& random, Index kv_heads, const std::string& name,
                  const std::string& label) {
  constexpr Index heads = 4, d_model = 12, first_head = 2;
  constexpr Index tokens = 6;
  const Positions at{5, 0, 2, 1, 4, 3};
  const Matrix<T> x = normal_matrix<T>(random, tokens, d_model);
  const LayerProjections<T> w{
      weights<T>(random, d_model, heads * d_head), weights<T>(random, d_model, kv_heads * d_head),
      weights<T>(random, d_model, kv_heads * d_head), HeadGroups(heads, kv_heads)};
  const Alibi<T> encoding(8);
  const std::vector<double> slopes = literal::alibi_slopes(8);
  const LayerContents<T> contents{x, x, at, at, first_head};
  const auto from_x = multi_head_attention<T>(encoding, w, contents);
  const auto from_qkv = multi_head_attention<T>(encoding, projected<T>(nullptr, w, contents), {});
  Rows side_by_side(tokens, heads * d_head);
  const double bound = 2 * rounding_bound<T>(roundings_of(d_model));
  for (Index h = 0; h < heads; ++h) {
    const Index shared = h / (heads / kv_heads);
    const literal::Head head{
        literal::product(wide(x), literal::head_columns(wide(w.W_q), h, d_head)),
        literal::product(wide(x), literal::head_columns(wide(w.W_k), shared, d_head)),
        literal::product(wide(x), literal::head_columns(wide(w.W_v), shared, d_head)), at, at};
    const Rows logits = literal::sum_of(
        literal::alibi(head, slopes[static_cast<std::size_t>(first_head + h)], false));
    const Rows output = literal::product(literal::softmax(logits), head.v);
    for (Index i = 0; i < tokens; ++i)
      for (Index c = 0; c < d_head; ++c) side_by_side(i, h * d_head + c) = output(i, c);
    const auto& of_x = from_x[static_cast<std::size_t>(h)];
    const auto& of_qkv = from_qkv[static_cast<std::size_t>(h)];
    ledger.compare(grouped, name + "_logits", label + ": logits, head by head", of_x.logits, logits,
                   bound);
    ledger.compare(grouped, name + "_from_qkv", label + ": the same from q, k, v", of_qkv.logits,
                   logits, bound);
  }
  ledger.compare(grouped, name + "_output", label + ": outputs side by side",
                 concatenated<T>(from_x), side_by_side, bound);
}

/// A sink is a logit more, of a key without a value.
Rows with_sink(const Rows& logits, std::optional<double> sink, const literal::Visible& sees) {
  if (!sink) return literal::softmax(logits, sees);
  Rows all(logits.rows(), logits.cols() + 1);
  all << logits, Rows::Constant(logits.rows(), 1, *sink);
  const auto all_see = [&](Index i, Index j) {
    if (j < logits.cols()) return sees(i, j);
    for (Index key = 0; key < logits.cols(); ++key)
      if (sees(i, key)) return true;
    return false;  // a query without a key has no weights at all
  };
  return literal::softmax(all, all_see).leftCols(logits.cols());
}

/// The name of a case and what its statements begin with.
std::pair<std::string, std::string> case_of(bool capped, bool sunk) {
  if (capped && sunk) return {"cap_and_sink", "a cap and a sink"};
  return capped ? std::pair{"cap", "a cap, c tanh(l/c)"} : std::pair{"sink", "a sink"};
}

/// Of a causal text, whose first two queries see no key.
template <class T>
void row_claims(Ledger<T>& ledger, Random& random, double cap, std::span<const double> sinks) {
  constexpr Index d_v = 5;
  constexpr int head = 1;
  const Positions m = consecutive_positions(12, 3), n = consecutive_positions(20, 5);
  const Matrix<T> q = normal_matrix<T>(random, 12, d_head, 3),
                  k = normal_matrix<T>(random, 20, d_head), v = normal_matrix<T>(random, 20, d_v);
  const auto sees = [&](Index i, Index j) {
    return n[static_cast<std::size_t>(j)] <= m[static_cast<std::size_t>(i)];
  };
  Rows logits = literal::scores(wide(q), wide(k), std::sqrt(double{d_head}));
  if (cap > 0) logits = logits.unaryExpr([&](auto l) { return cap * std::tanh(l / cap); });
  const Rows weights =
      with_sink(logits, sinks.empty() ? std::nullopt : std::optional<double>(sinks[head]), sees);
  const Rows output = literal::product(weights, wide(v));
  const double bound = 4 * rounding_bound<T>(roundings_of(d_head)),
               weighed = softmax_bound(logits, bound);
  const auto [name, label] = case_of(cap > 0, !sinks.empty());
  const Scoring scoring{.softcap = cap, .sinks = sinks};
  const NoEncoding<T> none;
  const auto doors = SoftmaxDoors<T>::of(none);
  const AttentionInputs<T> in{q, k, v, m, n, head};
  const Mask mask = Mask::causal(m, n);
  const auto map = softmax_attention<T>(in, doors, mask, scoring);
  ledger.compare(sinks_paper, name + "_logits", label + ": logits", map.logits, logits, bound);
  ledger.compare(sinks_paper, name + "_weights", label + ": weights", map.weights, weights,
                 weighed);
  ledger.compare(sinks_paper, name + "_output", label + ": output", map.output, output, weighed);
  ledger.compare(sinks_paper, name + "_alone", label + ": output without a map",
                 attention_output<T>(in, doors, mask, scoring).output, output, weighed);
}

template <class T>
void head_claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger("4 heads, N = 6, d = 8, " + std::to_string(options.draws) + " draws", claims);
  for (int draw = 0; draw < options.draws; ++draw) {
    Random random(options.seed, "heads, draw " + std::to_string(draw));
    group_claims(ledger, random, 4, "multi_head", "a key head each");
    group_claims(ledger, random, 2, "grouped_query", "two query heads per key head");
    group_claims(ledger, random, 1, "multi_query", "one key head for all");
  }
}

template <class T>
void sink_claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger("12 queries, 20 keys, causal, 1 draw", claims);
  Random random(options.seed, "sinks and caps");
  const std::vector<double> sinks{-2, std::log(3.0)};
  row_claims<T>(ledger, random, 0, sinks);
  row_claims<T>(ledger, random, 1.5, {});
  row_claims<T>(ledger, random, 1.5, sinks);
}

const Paper eq_17{ClaimKind::roformer, "(17)"};
const Paper eq_18{ClaimKind::roformer, "(18)"};
const Paper eq_19{ClaimKind::roformer, "(19)"};
const Paper favor_paper{ClaimKind::cited, "(18)", "FAVOR+: Choromanski et al. 2021, Lemma 1",
                        "RoFormer's (18) leaves φ and ϕ open"};
const Paper codes{ClaimKind::cited, "(19)",
                  "Linear attention: Katharopoulos et al. 2020; performer-pytorch",
                  "RoFormer's (19) rotates the features, in the numerator only"};
const Paper properties{ClaimKind::property, "(19)", "RoPE in linear attention"};

template <class T>
double angle_of(const TokenCase<T>& c) {
  return averaged_angle_bound(1000, c.d);
}

template <class T>
AttentionInputs<T> inputs(const TokenCase<T>& c) {
  return {c.x, c.x, c.x, c.at, c.at};
}

Rows products(const Rows& q, const Rows& k) { return literal::scores(q, k, 1); }

/// Output, denominators, numerators and weights of linear attention, each by its name.
template <class T>
void kernel_claims(Ledger<T>& ledger, const TokenCase<T>& c, const Paper& paper,
                   const std::string& name, const std::string& label, const FeatureMap<T>& map,
                   const QkTransform<T>* rotation, const LinearOptions& options,
                   const literal::KernelAttention& expected) {
  const double below = 2 * c.bound();
  const double bound = rotation ? below + 2 * angle_of(c) : below;
  const auto out = linear_attention<T>(inputs(c), map, rotation, options);
  ledger.compare(paper, name + "_output", label + ": output", out.output, expected.output, bound);
  ledger.compare(paper, name + "_denominators", label + ": Σ_n below the bar", out.normalizers,
                 expected.denominators, options.variant == LinearVariant::paper ? below : bound);
  ledger.compare(paper, name + "_numerators", label + ": Σ_n above the bar", out.numerators,
                 expected.numerators, bound);
  ledger.compare(paper, name + "_weights", label + ": weights",
                 linear_attention_weights<T>(inputs(c), map, rotation, options), expected.weights,
                 bound);
}

template <class T>
void feature_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Rows x = wide(c.x);
  const double bound = rounding_bound<T>(8);
  ledger.compare(eq_18, "elu_features", "φ(x) = elu(x) + 1", EluPlusOne<T>().of_queries(c.x),
                 literal::elu_plus_one(x), bound);
  ledger.compare(eq_18, "elu_key_features", "ϕ(x) = elu(x) + 1", EluPlusOne<T>().of_keys(c.x),
                 literal::elu_plus_one(x), bound);
  ledger.compare(codes, "relu_features", "φ(x) = max(x, 0)", Relu<T>().of_queries(c.x),
                 literal::relu(x), bound);
  const Favor<T> favor = Favor<T>::orthogonal(7, 3 * c.d, c.d);
  const Rows w = wide(favor.projection());
  // The exponent holds the roundings of a product of d channels, and exp multiplies them by it.
  const double exponent = 2 * std::sqrt(static_cast<double>(c.d));
  ledger.compare(favor_paper, "favor_features", "φ_r(x) = M^{−1/2} exp(w_r·x' − |x'|²/2)",
                 favor.of_queries(c.x), literal::favor(x, w),
                 (1 + exponent) * rounding_bound<T>(c.d));
  ledger.compare(favor_paper, "favor_key_features", "and the same of keys", favor.of_keys(c.x),
                 literal::favor(x, w), (1 + exponent) * rounding_bound<T>(c.d));
  const Rows phi = literal::favor(x, w), sim = products(phi, phi);
  ledger.compare(favor_paper, "favor_output", "Σ_n φ_r(q_m)·φ_r(k_n) v_n over its sum, M = 3d",
                 linear_attention<T>(inputs(c), favor, nullptr).output,
                 literal::kernel_attention(sim, sim, x).output, 4 * (1 + exponent) * c.bound());
}

template <class T>
void linear_claims_of(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Rows x = wide(c.x);
  const auto sees = [&](Index i, Index j) {
    return c.at[static_cast<std::size_t>(j)] <= c.at[static_cast<std::size_t>(i)];
  };
  const EluPlusOne<T> elu;
  const Relu<T> relu;
  const Rope<T> rope({.d_head = c.d});
  const Rows phi = literal::elu_plus_one(x), ramp = literal::relu(x);
  const Rows plain = products(phi, phi);
  const Rows rotated = literal::relative_scores(phi, phi, c.at, c.at, literal::whole(c.d));
  kernel_claims<T>(ledger, c, eq_18, "linear", "sim = φ(q)·ϕ(k)", elu, nullptr, {},
                   literal::kernel_attention(plain, plain, x));
  kernel_claims<T>(ledger, c, eq_18, "linear_causal", "causal", elu, nullptr, {.causal = true},
                   literal::kernel_attention(plain, plain, x, sees));
  kernel_claims<T>(ledger, c, eq_19, "linear_rope", "R_m φ, R_n ϕ above", elu, &rope, {},
                   literal::kernel_attention(rotated, plain, x));
  kernel_claims<T>(ledger, c, eq_19, "linear_rope_causal", "causal", elu, &rope, {.causal = true},
                   literal::kernel_attention(rotated, plain, x, sees));
  const Rows ramps = products(ramp, ramp);
  kernel_claims<T>(ledger, c, codes, "linear_relu", "relu and ε = 0.5 below", relu, nullptr,
                   {.epsilon = 0.5},
                   literal::kernel_attention(ramps, ramps, x, literal::everything, 0.5));
  const Rows turned = literal::elu_plus_one(literal::turned(x, c.at, literal::whole(c.d)));
  const Rows of_turned = products(turned, turned);
  kernel_claims<T>(ledger, c, codes, "rotated_before", "φ(R_m q): performer-pytorch", elu, &rope,
                   {.variant = LinearVariant::rotated_before_features},
                   literal::kernel_attention(of_turned, of_turned, x));
  // The normaliser can cancel to nearly 0, so that only the sums are compared.
  const auto both =
      linear_attention<T>(inputs(c), elu, &rope, {.variant = LinearVariant::both_rotated});
  const auto expected = literal::kernel_attention(rotated, rotated, x);
  ledger.compare(codes, "both_rotated", "rotated features in the denominator too", both.normalizers,
                 expected.denominators, 2 * (c.bound() + angle_of(c)));
}

template <class T>
void generic_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Rows x = wide(c.x);
  const Rows sim = literal::scores(x, x, std::sqrt(static_cast<double>(c.d))).array().exp();
  const auto expected = literal::kernel_attention(sim, sim, x);
  const auto out = attention_from_qkv<T>(NoEncoding<T>(), inputs(c));
  ledger.compare(eq_17, "generic_attention", "Σ_n sim(q_m,k_n) v_n / Σ_n sim, sim = exp(q·k/√d)",
                 out.output, expected.output, 2 * c.bound());
  ledger.compare(eq_17, "generic_weights", "its weights are sim(q_m,k_n)/Σ_n sim(q_m,k_n)",
                 out.weights, expected.weights, 2 * c.bound());
}

/// Weights where a mask hides the first key, too.
template <class T>
void masked_weight_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Rows phi = literal::elu_plus_one(wide(c.x));
  Mask::Matrix allowed(c.x.rows(), c.x.rows());
  const auto sees = [](Index i, Index j) { return (i + j) % 3 != 0; };
  for (Index i = 0; i < allowed.rows(); ++i)
    for (Index j = 0; j < allowed.cols(); ++j) allowed(i, j) = sees(i, j);
  const auto expected =
      literal::kernel_attention(products(phi, phi), products(phi, phi), wide(c.x), sees);
  ledger.compare(
      codes, "masked_weights", "a mask of weights, also of the first key",
      linear_attention_weights<T>(inputs(c), EluPlusOne<T>(), nullptr, {}, Mask(allowed)),
      expected.weights, 2 * c.bound());
}

/// Heads that share keys, with padding: the running sums of each query head.
template <class T>
void head_claims(Ledger<T>& ledger, const LayerCase<T>& c) {
  const std::vector<bool> real{true, true, false, true, true, true, true, false, true};
  const auto seen = [&](Index i, Index j) {
    return real[static_cast<std::size_t>(j)] && c.head(0).r(i, j) >= 0;
  };
  LayerInputs<T> in = c.in;
  in.k.pop_back();
  in.v.pop_back();
  MaskSpec spec{.causal = true};
  spec.key_is_real = real;
  const Rope<T> rope({.d_head = c.d});
  const auto out = multi_head_linear_attention<T>({nullptr, &rope}, EluPlusOne<T>(), in, spec);
  for (int h = 0; h < c.heads; ++h) {
    const Rows q = literal::elu_plus_one(c.head(h).q), k = literal::elu_plus_one(c.head(0).k);
    const Rows above = literal::relative_scores(q, k, in.m, in.n, literal::whole(c.d));
    const auto expected = literal::kernel_attention(above, products(q, k), c.head(0).v, seen);
    ledger.compare(codes, "linear_heads", "two query heads per key head, causal, with padding",
                   out[static_cast<std::size_t>(h)].output, expected.output,
                   2 * (c.bound() + averaged_angle_bound(1000, c.d)));
  }
}

/// Properties of the weights of (19), as numbers that the literal evaluation has too.
template <class T>
void property_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const EluPlusOne<T> elu;
  const Rope<T> rope({.d_head = c.d});
  const Rows phi = literal::elu_plus_one(wide(c.x));
  const auto expected =
      literal::kernel_attention(literal::relative_scores(phi, phi, c.at, c.at, literal::whole(c.d)),
                                products(phi, phi), wide(c.x));
  for (const Position shift : {Position{12345}, far_shift}) {
    const Positions there = moved(c.at, shift);
    ledger.compare(properties, "linear_rope_is_relative",
                   "shifts by 12345 and 2^40 leave the output",
                   linear_attention<T>({c.x, c.x, c.x, there, there}, elu, &rope).output,
                   expected.output, 2 * (c.bound() + angle_of(c)));
  }
  const Rows weights = wide(linear_attention_weights<T>(inputs(c), elu, &rope));
  const auto gap = [](const Rows& w) {
    Largest largest;
    for (Index i = 0; i < w.rows(); ++i) largest.see(std::abs(w.row(i).sum() - 1));
    return largest.value();
  };
  if (c.d != 8) return;  // one size is enough
  const std::string what = "its weights do not sum to 1: largest gap of a row";
  ledger.equals(properties, "linear_rope_rows", what, gap(weights), gap(expected.weights),
                2 * (c.bound() + angle_of(c)) * static_cast<double>(weights.cols()));
  ledger.equals(properties, "linear_rope_negative", "and some are negative: the smallest",
                smallest_entry<double>(weights), smallest_entry<double>(expected.weights),
                2 * (c.bound() + angle_of(c)));
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options)) {
    generic_claims(ledger, c);
    feature_claims(ledger, c);
    linear_claims_of(ledger, c);
    masked_weight_claims(ledger, c);
    property_claims(ledger, c);
  }
  Ledger<T> heads(over_layers(options), claims);
  for (const LayerCase<T>& c : layer_cases<T>(options)) head_claims(heads, c);
}

/// The rows of FAVOR+'s projection: orthogonal within a block, with the norms of normal vectors.
template <class T>
void projection_claims(std::int64_t seed, std::vector<Claim>& claims) {
  constexpr Index d = 16, blocks = 128;
  const Rows w = wide(Favor<T>::orthogonal(seed, blocks * d, d).projection());
  Ledger<T> ledger("d = 16, M = 2048", claims);
  Largest cosine;
  double squares = 0, fourth = 0;
  for (Index r = 0; r < w.rows(); ++r) {
    const auto square = static_cast<double>(literal::dot(w, r, w, r));
    squares += square;
    fourth += (square - d) * (square - d);
    for (Index other = r / d * d; other < r; ++other)
      cosine.see(std::abs(static_cast<double>(literal::dot(w, r, w, other))) /
                 (w.row(r).norm() * w.row(other).norm()));
  }
  const Paper paper{ClaimKind::cited, "(18)", favor_paper.source, favor_paper.differs};
  ledger.see(paper, "favor_orthogonal", "w_r are orthogonal in blocks of d: largest |cosine|",
             cosine.value(), 4 * rounding_bound<T>(d));
  // |w|² of a normal vector has mean d and variance 2d, and its square about the mean a deviation
  // of √(8d² + 48d); five standard errors are exceeded once in two million seeds.
  const double rows = static_cast<double>(w.rows());
  ledger.equals(paper, "favor_norms", "mean |w_r|² of 2048 rows is d: ± 5 standard errors",
                squares / rows, d, 5 * std::sqrt(2.0 * d / rows));
  ledger.equals(paper, "favor_norm_spread", "the variance of |w_r|² is 2d: ± 5 standard errors",
                fourth / rows, 2 * d, 5 * std::sqrt((8.0 * d * d + 48.0 * d) / rows));
}

}  // namespace in_equations_linear
}  // namespace

void head_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_linear;
  head_claims_in<double>(options, claims);
  head_claims_in<float>(options, claims);
}

void sink_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_linear;
  sink_claims_in<double>(options, claims);
  sink_claims_in<float>(options, claims);
}

void linear_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_linear;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
  projection_claims<double>(options.seed, claims);
  projection_claims<float>(options.seed, claims);
}

}  // namespace orrery

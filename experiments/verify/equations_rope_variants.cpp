// RoPE as others pair, shorten and extend it.
#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_rope_variants {

const Paper half_split{ClaimKind::cited, "(34)",
                       "RoPE with half-split pairs: GPT-NeoX, Llama in Transformers",
                       "RoFormer's (15), (34) pair neighbouring channels"};
const Paper partial{ClaimKind::cited, "(15)",
                    "Partial RoPE: GPT-NeoX, GPT-J (truncated); p-RoPE, Barbero et al. 2024",
                    "RoFormer's (15) rotates every pair, denominators d"};
const Paper values{ClaimKind::cited, "(14)",
                   "RoPE on values: rotary_value in Transformers' RoFormer; RoPER",
                   "RoFormer's (14) rotates q and k only"};

template <class T>
double bound_of(const TokenCase<T>& c) {
  return rounding_bound<T>(roundings_of(c.d)) + averaged_angle_bound(1000, c.d);
}

template <class T>
void variant_claim(Ledger<T>& ledger, const TokenCase<T>& c, const Paper& paper,
                   const std::string& name, const std::string& statement,
                   const RopeConvention& convention, const literal::Rotary& rotary) {
  Matrix<T> q = c.x;
  const Rope<T> rope(convention);
  rope.transform_queries(c.at, q);
  ledger.compare(paper, name, statement, q, literal::turned(wide(c.x), c.at, rotary),
                 rounding_bound<T>(8) + angle_bound(1000));
  const auto out = attention_from_qkv<T>(rope, {c.x, c.x, c.x, c.at, c.at});
  const Rows scores = literal::relative_scores(wide(c.x), wide(c.x), c.at, c.at, rotary);
  ledger.compare(paper, name + "_logits", statement + ": logits", out.logits,
                 scores / std::sqrt(static_cast<double>(c.d)), bound_of(c));
}

template <class T>
void pairing_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Index d = c.d, part = d / 4;
  constexpr auto halves = RopePairing::half_split;
  constexpr auto proportional = RopePartial::proportional;
  variant_claim(ledger, c, half_split, "half_split", "pairs (t, t + d/2)",
                {.d_head = d, .pairing = halves}, {d, d, d / 2});
  variant_claim(ledger, c, half_split, "base_500000", "the same with base 500000",
                {.d_head = d, .pairing = halves, .base = 500000}, {d, d, d / 2, 500000});
  if (d < 8) return;
  variant_claim(ledger, c, partial, "truncated", "r = d/4: θ_t = base^{−2t/r}",
                {.d_head = d, .rotary_dims = part}, {part, part, 0});
  variant_claim(ledger, c, partial, "truncated_half_split", "r = d/4: pairs (t, t + r/2)",
                {.d_head = d, .rotary_dims = part, .pairing = halves}, {part, part, part / 2});
  variant_claim(ledger, c, partial, "proportional", "p = 1/4: θ_t = base^{−2t/d}, t < d/8",
                {.d_head = d, .rotary_dims = part, .partial = proportional}, {part, d, 0});
  variant_claim(ledger, c, partial, "proportional_half_split", "p = 1/4: pairs (t, t + d/2)",
                {.d_head = d, .rotary_dims = part, .partial = proportional, .pairing = halves},
                {part, d, d / 2});
}

template <class T>
void value_claims(Ledger<T>& ledger, const TokenCase<T>& c) {
  const Rows x = wide(c.x);
  const literal::Rotary rotary = literal::whole(c.d);
  const Rows logits =
      literal::relative_scores(x, x, c.at, c.at, rotary) / std::sqrt(static_cast<double>(c.d));
  const Rows weights = literal::softmax(logits);
  const double bound =
      softmax_bound(logits, rounding_bound<T>(roundings_of(c.d)) + angle_bound(1000));
  const Rows rotated = literal::product(weights, literal::turned(x, c.at, rotary));
  Positions back = c.at;
  for (Position& p : back) p = -p;
  const auto output = [&](RotaryValue kind) {
    const Rope<T> rope({.d_head = c.d}, {.rotary_value = kind});
    return attention_from_qkv<T>(rope, {c.x, c.x, c.x, c.at, c.at}).output;
  };
  ledger.compare(values, "values_rotated", "o_m = Σ a_mn R_n v_n", output(RotaryValue::rotated),
                 rotated, bound);
  ledger.compare(values, "values_counter_rotated", "RoPER: o_m = R_mᵀ Σ a_mn R_n v_n",
                 output(RotaryValue::counter_rotated), literal::turned(rotated, back, rotary),
                 bound);
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_tokens(options), claims);
  for (const TokenCase<T>& c : token_cases<T>(options)) {
    pairing_claims(ledger, c);
    value_claims(ledger, c);
  }
}

}  // namespace in_equations_rope_variants
}  // namespace

void rope_variant_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_rope_variants;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
}

}  // namespace orrery

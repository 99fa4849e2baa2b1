// T5 and ALiBi: biases that are looked up or grow with distance, head by head.
#include "core/analysis/largest.h"
#include "core/encodings/alibi.h"
#include "core/encodings/t5.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_equations_bias {

const Paper t5_paper{ClaimKind::cited, "(8)", "T5: Raffel et al. 2020 §2.1",
                     "RoFormer's (2), around (8), divides by √d; T5 does not"};
const Paper alibi_paper{ClaimKind::cited, "", "ALiBi: Press et al. 2022 §3",
                        "RoFormer does not treat it"};

template <class T>
void t5_claims(Ledger<T>& ledger, LayerCase<T>& c, const std::string& name,
               const std::string& label, const T5Buckets& buckets, const literal::T5Shape& shape) {
  const Matrix<T> table = normal_matrix<T>(c.random, buckets.buckets, c.heads);
  const T5<T> t5(buckets, table);
  for (int h = 0; h < c.heads; ++h) {
    const literal::Terms terms = literal::t5(c.head(h), wide<T>(table.col(h)), shape);
    ledger.compare_terms(
        t5_paper, name,
        {label + ": content, q_m·k_n unscaled", label + ": relative_bias b_{bucket(n − m), h}"},
        c.attend(t5, h), terms, c.bound());
    relative_claim(ledger, name, "T5, " + label, c, t5, h, terms, c.bound());
  }
}

template <class T>
void alibi_claims(Ledger<T>& ledger, const LayerCase<T>& c, const std::string& name,
                  const std::string& label, AlibiForm form) {
  const Alibi<T> alibi(12, form);
  const std::vector<double> slopes = literal::alibi_slopes(12);
  for (const int h : {0, 3, 11}) {
    LayerInputs<T> in{{c.in.q[0]}, {c.in.k[0]}, {c.in.v[0]}, c.in.m, c.in.n, h};
    const literal::Terms terms =
        literal::alibi(c.head(0), slopes[static_cast<std::size_t>(h)], form == AlibiForm::causal);
    ledger.compare_terms(alibi_paper, name,
                         {label + ": content, q_m·k_n/√d", label + ": linear_bias"},
                         multi_head_attention<T>(alibi, in)[0], terms, c.bound());
    for (Position& p : in.m) p += far_shift;
    for (Position& p : in.n) p += far_shift;
    static const Paper paper{ClaimKind::property, "(11)", "Relative encodings"};
    ledger.compare(paper, name + "_is_relative",
                   "ALiBi, " + label + ": a shift by 2^40 leaves the logits",
                   multi_head_attention<T>(alibi, in)[0].logits, literal::sum_of(terms), c.bound());
  }
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger(over_layers(options), claims);
  for (LayerCase<T>& c : layer_cases<T>(options)) {
    t5_claims(ledger, c, "t5", "bidirectional", {}, {});
    t5_claims(ledger, c, "t5_causal", "causal", {.bidirectional = false}, {.bidirectional = false});
    alibi_claims(ledger, c, "alibi", "−s_h|m − n|", AlibiForm::symmetric);
    alibi_claims(ledger, c, "alibi_causal", "−s_h(m − n)", AlibiForm::causal);
  }
}

double wrong_buckets(const T5Buckets& buckets) {
  double wrong = 0;
  for (Position r = -2000; r <= 2000; ++r)
    wrong += t5_bucket(r, buckets) == literal::t5_bucket(-r, buckets.buckets, buckets.max_distance,
                                                         buckets.bidirectional)
                 ? 0
                 : 1;
  return wrong;
}

double slope_error(int heads) {
  const std::vector<double> slopes = alibi_slopes(heads), expected = literal::alibi_slopes(heads);
  if (slopes.size() != expected.size()) return std::nan("");
  Largest error;
  for (std::size_t h = 0; h < slopes.size(); ++h)
    error.see(std::abs(slopes[h] - expected[h]) / expected[h]);
  return error.value();
}

void table_claims(std::vector<Claim>& claims) {
  Facts buckets("distances −2000 … 2000", claims);
  buckets.equals(t5_paper, "t5_buckets",
                 "32 buckets to 128, bidirectional: distances with another bucket",
                 wrong_buckets({}), 0);
  buckets.equals(t5_paper, "t5_causal_buckets",
                 "32 buckets to 128, causal: distances with another bucket",
                 wrong_buckets({.bidirectional = false}), 0);
  buckets.equals(t5_paper, "t5_other_buckets", "20 buckets to 300: distances with another bucket",
                 wrong_buckets({.buckets = 20, .max_distance = 300}), 0);
  Facts slopes("", claims);
  constexpr double two_ulps = 0x1p-51;
  slopes.at_most(alibi_paper, "alibi_slopes_8", "8 heads: s_h = 2^{−1}, 2^{−2}, …, 2^{−8}",
                 slope_error(8), two_ulps);
  slopes.at_most(alibi_paper, "alibi_slopes_12", "12 heads: those of 8, and every other one of 16",
                 slope_error(12), two_ulps);
  Largest all;
  for (int heads = 1; heads <= 64; ++heads) all.see(slope_error(heads));
  slopes.at_most(alibi_paper, "alibi_slopes", "1 to 64 heads: the slopes of the authors' code",
                 all.value(), two_ulps);
}

}  // namespace in_equations_bias
}  // namespace

void bias_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_bias;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
  table_claims(claims);
}

}  // namespace orrery

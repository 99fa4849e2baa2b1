// Linear attention over several blocks of keys.
#include <utility>

#include "core/attention/linear_attention.h"
#include "core/encodings/rope.h"
#include "experiments/verify/cases.h"

namespace orrery::verify {
namespace {
namespace in_equations_blocks {

const Paper blocks{ClaimKind::property, "(19)", "Linear attention block by block"};
constexpr Index d = 8;

/// Linear attention whose keys make several blocks of 64 and windows of 384, in no order and with
/// gaps; with `sizes` of queries and of keys beyond what products in fp32, or sums in fp64, hold.
template <class T>
void claims_of(Ledger<T>& ledger, std::int64_t seed, Index queries, Index keys,
               std::pair<double, double> sizes, const std::string& name, const std::string& label) {
  constexpr Index d_v = 5;
  Random random(seed, "blocks of linear attention");
  const auto places = [&](Index count, Index step) {
    Positions at;
    for (Index i = 0; i < count; ++i) at.push_back(3 * (i * step % count) + random.integer(3));
    return at;
  };
  const Positions m = places(queries, 7);
  Positions n = places(keys, 11);
  for (Position& key : n) key += 5;  // causal, some queries see none
  const Matrix<T> q = normal_matrix<T>(random, queries, d, sizes.first),
                  k = normal_matrix<T>(random, keys, d, sizes.second),
                  v = normal_matrix<T>(random, keys, d_v);
  const Rows phi_q = literal::elu_plus_one(wide(q)), phi_k = literal::elu_plus_one(wide(k));
  const Rows below = literal::scores(phi_q, phi_k, 1);
  const Rows above = literal::relative_scores(phi_q, phi_k, m, n, literal::whole(d));
  const Rope<T> rope({.d_head = d});
  const double bound =
      4 * rounding_bound<T>(roundings_of(d) + keys) + 4 * averaged_angle_bound(3 * keys, d);
  for (const bool causal : {false, true})
    for (const bool turned : {false, true}) {
      const auto expected = literal::kernel_attention(
          turned ? above : below, below, wide(v),
          [&](Index i, Index j) {
            return !causal || n[static_cast<std::size_t>(j)] <= m[static_cast<std::size_t>(i)];
          },
          0.25);
      const auto out =
          linear_attention<T>({q, k, v, m, n}, EluPlusOne<T>(), turned ? &rope : nullptr,
                              {.causal = causal, .epsilon = 0.25});
      const std::string of = label + ": ";
      ledger.compare(blocks, name + "_output", of + "output", out.output, expected.output, bound);
      ledger.compare(blocks, name + "_denominators", of + "Σ_n below the bar", out.normalizers,
                     expected.denominators, bound);
      ledger.compare(blocks, name + "_numerators", of + "Σ_n above the bar", out.numerators,
                     expected.numerators, bound);
    }
}

template <class T>
void claims_in(const VerifyOptions& options, std::vector<Claim>& claims) {
  Ledger<T> ledger("d = 8, d_v = 5, to 150 queries and 800 keys, 1 draw", claims);
  claims_of<T>(ledger, options.seed, 150, 200, {1, 1}, "blocks", "blocks of keys, causal and not");
  claims_of<T>(ledger, options.seed, 10, 800, {1, 1}, "windows", "windows of keys, causal and not");
  claims_of<T>(ledger, options.seed, 30, 130, {1e12, 1e12}, "large",
               "features of 10^12, causal and not");
  if constexpr (sizeof(T) == sizeof(double))
    claims_of<T>(ledger, options.seed, 20, 70, {1, 1e200}, "huge",
                 "keys of 10^200, causal and not");
}

}  // namespace in_equations_blocks
}  // namespace

void block_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_equations_blocks;
  claims_in<double>(options, claims);
  claims_in<float>(options, claims);
}

}  // namespace orrery::verify

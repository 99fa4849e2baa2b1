#include "experiments/verify/cases.h"

#include <algorithm>
#include <limits>

#include "core/analysis/largest.h"
#include "core/attention/head.h"

namespace orrery {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Above 1 where the number exceeds its bound, which may be 0.
double share_of(double measured, double bound) {
  if (bound > 0) return measured / bound;
  return measured > 0 ? std::numeric_limits<double>::infinity() : measured;
}

/// The matrix of the term of that name; empty when there is none, and nothing agrees with that.
template <class T>
Matrix<T> term_named(const AttentionOutput<T>& out, const std::string& name) {
  for (const ScoreTerm<T>& term : out.terms)
    if (term.name == name) return term.logits;
  return {};
}

std::string times(int draws) { return std::to_string(draws) + (draws == 1 ? " draw" : " draws"); }

template <class T>
TokenCase<T> token_case(const VerifyOptions& options, Index d, Index n, int draw) {
  Random random(options.seed, "tokens d=" + std::to_string(d) + " draw " + std::to_string(draw));
  TokenCase<T> c{d, {}, normal_matrix<T>(random, n, d), {}};
  for (Index i = 0; i < n; ++i) c.at.push_back((i * 5 % n) * 40 + random.integer(40));
  c.w = {weights<T>(random, d, d), weights<T>(random, d, d), weights<T>(random, d, d)};
  return c;
}

}  // namespace

Positions moved(Positions positions, Position shift) {
  for (Position& p : positions) p += shift;
  return positions;
}

template <class T>
double relative_error(const Matrix<T>& library, const Rows& literal) {
  if (library.rows() != literal.rows() || library.cols() != literal.cols() || literal.size() == 0)
    return not_a_number;
  const double size = largest_magnitude<double>(literal);
  const double gap = largest_difference<double>(library.template cast<double>(), literal);
  return size == 0 ? gap : gap / size;
}

double softmax_bound(const Rows& logits, double bound) {
  return (2 + largest_magnitude<double>(logits)) * bound;
}

Claim& Facts::claim_named(const Paper& paper, const std::string& name,
                          const std::string& statement) {
  const auto found = std::find_if(claims_.begin(), claims_.end(), [&](const Claim& claim) {
    return claim.base_name == name && claim.precision == precision_;
  });
  if (found != claims_.end()) return *found;
  claims_.push_back({paper.kind,
                     {.name = precision_.empty() ? name : name + "_" + precision_,
                      .statement = statement,
                      .equation = paper.equation},
                     name,
                     precision_,
                     paper.source,
                     paper.differs,
                     over_});
  return claims_.back();
}

void Facts::see(const Paper& paper, const std::string& name, const std::string& statement,
                double measured, double bound) {
  const std::size_t known = claims_.size();
  Check& check = claim_named(paper, name, statement).check;
  const bool fresh = claims_.size() > known;
  const double nearest = share_of(check.measured, check.bound);  // to failing, so far
  if (!fresh && (std::isnan(nearest) || share_of(measured, bound) <= nearest)) return;
  check.measured = measured;
  check.bound = bound;
}

template <class T>
void Ledger<T>::compare_terms(const Paper& paper, const std::string& name,
                              const std::vector<std::string>& statements,
                              const AttentionOutput<T>& library, const literal::Terms& literal,
                              double bound, double angle) {
  for (std::size_t t = 0; t < literal.size(); ++t)
    compare(paper, name + "_" + literal[t].name, statements[t],
            term_named(library, literal[t].name), literal[t].logits,
            bound + (literal[t].name.find("position") == std::string::npos ? 0 : angle));
  const bool complete = library.terms.size() == literal.size();
  compare(paper, name + "_logits", "the logits are the sum of these terms and no other",
          complete ? library.logits : Matrix<T>(), sum_of(literal), bound + angle);
}

void Facts::equals(const Paper& paper, const std::string& name, const std::string& statement,
                   double measured, double expected, double tolerance) {
  Check& check = claim_named(paper, name, statement).check;
  if (check.relation == Relation::equals && !check.holds()) return;
  check.measured = measured;
  check.relation = Relation::equals;
  check.bound = expected;
  check.tolerance = tolerance;
}

template double relative_error(const Matrix<float>&, const Rows&);
template double relative_error(const Matrix<double>&, const Rows&);
template class Ledger<float>;
template class Ledger<double>;

template <class T>
AttentionOutput<T> LayerCase<T>::attend(const Encoding& encoding, int h, Position shift,
                                        const Scoring& scoring) const {
  const auto at = static_cast<std::size_t>(h);
  const Positions m = moved(in.m, shift), n = moved(in.n, shift);
  return attention_from_qkv<T>(encoding, {in.q[at], in.k[at], in.v[at], m, n, h}, {}, scoring);
}

template <class T>
std::vector<TokenCase<T>> token_cases(const VerifyOptions& options) {
  constexpr std::pair<Index, Index> sizes[] = {{8, 7}, {64, 16}, {128, 24}};
  std::vector<TokenCase<T>> cases;
  for (const auto& [d, n] : sizes)
    for (int draw = 0; draw < options.draws; ++draw)
      cases.push_back(token_case<T>(options, d, n, draw));
  return cases;
}

template <class T>
std::vector<TokenCase<T>> plane_cases(const VerifyOptions& options) {
  std::vector<TokenCase<T>> cases;
  for (int draw = 0; draw < options.draws; ++draw)
    cases.push_back(token_case<T>(options, 2, 3, draw));
  return cases;
}

template <class T>
std::vector<LayerCase<T>> layer_cases(const VerifyOptions& options) {
  std::vector<LayerCase<T>> cases;
  for (const Index d : {8, 16, 32}) {
    for (int draw = 0; draw < options.draws; ++draw) {
      const std::string name = "d=" + std::to_string(d) + " draw " + std::to_string(draw);
      Random random(options.seed, "layer " + name);
      LayerInputs<T> in{{}, {}, {}, {3, 0, 47, 600}, {33, 0, 999, 1, 128, 3, 8, 300, 50}, 0};
      for (Position& p : in.m) p += p < 10 ? 0 : random.integer(20);
      for (std::size_t j = 6; j < in.n.size(); ++j) in.n[j] += random.integer(20);
      for (int h = 0; h < LayerCase<T>::heads; ++h) {
        in.q.push_back(normal_matrix<T>(random, static_cast<Index>(in.m.size()), d));
        in.k.push_back(normal_matrix<T>(random, static_cast<Index>(in.n.size()), d));
        in.v.push_back(normal_matrix<T>(random, static_cast<Index>(in.n.size()), d));
      }
      cases.push_back({d, Random(options.seed, "tables " + name), std::move(in)});
    }
  }
  return cases;
}

std::string over_tokens(const VerifyOptions& options) {
  return "d = 8 … 128, N = 7 … 24, " + times(options.draws);
}

std::string over_layers(const VerifyOptions& options) {
  return "2 heads, d = 8 … 32, 4 queries, 9 keys, distances to ±1000, " + times(options.draws);
}

template <class T>
void relative_claim(Ledger<T>& ledger, const std::string& name, const std::string& label,
                    const LayerCase<T>& c, const Encoding& encoding, int h,
                    const literal::Terms& terms, double bound) {
  for (const Position shift : {Position{1000}, far_shift})
    ledger.compare(relative_paper, name + "_is_relative",
                   label + ": shifts by 1000 and 2^40 leave the logits",
                   c.attend(encoding, h, shift).logits, sum_of(terms), bound);
}

#define ORRERY_INSTANTIATE(T)                                                                    \
  template struct LayerCase<T>;                                                                  \
  template std::vector<TokenCase<T>> token_cases(const VerifyOptions&);                          \
  template std::vector<TokenCase<T>> plane_cases(const VerifyOptions&);                          \
  template std::vector<LayerCase<T>> layer_cases(const VerifyOptions&);                          \
  template void relative_claim(Ledger<T>&, const std::string&, const std::string&,               \
                               const LayerCase<T>&, const Encoding&, int, const literal::Terms&, \
                               double)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery

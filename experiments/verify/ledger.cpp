#include "experiments/verify/ledger.h"

#include <algorithm>
#include <limits>

#include "core/analysis/largest.h"

namespace orrery {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Claim made(const Paper& paper, const std::string& name, const std::string& precision, Check check,
           const std::string& over) {
  check.name = precision.empty() ? name : name + "_" + precision;
  check.equation = paper.equation;
  return {paper.kind, std::move(check), name, precision, paper.source, paper.differs, over};
}

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

}  // namespace

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

template <class T>
Claim& Ledger<T>::claim_named(const Paper& paper, const std::string& name,
                              const std::string& statement) {
  const auto found = std::find_if(claims_.begin(), claims_.end(), [&](const Claim& claim) {
    return claim.base_name == name && claim.precision == precision_name<T>();
  });
  if (found != claims_.end()) return *found;
  claims_.push_back(made(paper, name, precision_name<T>(), {.statement = statement}, over_));
  return claims_.back();
}

template <class T>
void Ledger<T>::see(const Paper& paper, const std::string& name, const std::string& statement,
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

template <class T>
void Ledger<T>::equals(const Paper& paper, const std::string& name, const std::string& statement,
                       double measured, double expected, double tolerance) {
  Check& check = claim_named(paper, name, statement).check;
  if (check.relation == Relation::equals && !check.holds()) return;
  check.measured = measured;
  check.relation = Relation::equals;
  check.bound = expected;
  check.tolerance = tolerance;
}

void Ledger<void>::at_most(const Paper& paper, const std::string& name,
                           const std::string& statement, double measured, double bound) {
  claims_.push_back(
      made(paper, name, "", {.statement = statement, .measured = measured, .bound = bound}, over_));
}

void Ledger<void>::equals(const Paper& paper, const std::string& name, const std::string& statement,
                          double measured, double expected, double tolerance) {
  claims_.push_back(made(paper, name, "",
                         {.statement = statement,
                          .measured = measured,
                          .relation = Relation::equals,
                          .bound = expected,
                          .tolerance = tolerance},
                         over_));
}

void Ledger<void>::note(const Paper& paper, const std::string& name, const std::string& statement,
                        double measured) {
  claims_.push_back(made(paper, name, "", {.statement = statement, .measured = measured}, over_));
}

template double relative_error(const Matrix<float>&, const Rows&);
template double relative_error(const Matrix<double>&, const Rows&);
template class Ledger<float>;
template class Ledger<double>;

}  // namespace orrery

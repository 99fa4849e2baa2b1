#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "experiments/verify/cases.h"

namespace orrery {
namespace verify {

double disagreement(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0;
  double scale = 1;
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index j = 0; j < b.cols(); ++j) {
      const double gap = std::abs(a(i, j) - b(i, j));
      if (std::isnan(gap)) return gap;
      largest = std::max(largest, gap);
      scale = std::max(scale, std::abs(b(i, j)));
    }
  }
  return largest / scale;
}

namespace {

std::size_t place_of_section(const Claim& claim) {
  constexpr std::string_view sections[] = {"Equations", "Properties", "Decay, as it is", "Errata"};
  return static_cast<std::size_t>(
      std::find(std::begin(sections), std::end(sections), claim.section) - std::begin(sections));
}

/// The number of "(16)"; 0 where an equation has none.
int number_of(const Claim& claim) {
  const std::string& equation = claim.check.equation;
  return equation.starts_with("(") ? std::atoi(equation.c_str() + 1) : 0;
}

/// Section by section; equations in the order of the paper.
bool comes_before(const Claim& a, const Claim& b) {
  if (a.section != b.section) return place_of_section(a) < place_of_section(b);
  return a.section == "Equations" && number_of(a) < number_of(b);
}

}  // namespace
}  // namespace verify

std::vector<Claim> verify_paper(const VerifyOptions& options, Progress& progress) {
  using namespace verify;
  struct Topic {
    const char* name;
    void (*append)(const VerifyOptions&, std::vector<Claim>&);
  };
  constexpr Topic topics[] = {
      {"attention", attention_claims}, {"relative encodings", relative_claims},
      {"rotation", rope_claims},       {"linear attention", linear_claims},
      {"properties", property_claims}, {"decay", decay_claims},
      {"errata", erratum_claims}};
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < std::size(topics); ++i) {
    checkpoint(progress, static_cast<double>(i) / static_cast<double>(std::size(topics)),
               topics[i].name);
    topics[i].append(options, claims);
  }
  std::stable_sort(claims.begin(), claims.end(), comes_before);
  return claims;
}

}  // namespace orrery

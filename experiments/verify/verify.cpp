#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <tuple>

#include "experiments/verify/cases.h"

namespace orrery {
namespace {

/// The number of "(16)", for the equations that RoFormer prints; 0 elsewhere.
int number_of(const Claim& claim) {
  const std::string& equation = claim.check.equation;
  const bool printed = claim.kind == ClaimKind::roformer || claim.kind == ClaimKind::note;
  return printed && equation.starts_with("(") ? std::atoi(equation.c_str() + 1) : 0;
}

/// Kind by kind, RoFormer's equations in the order of the paper, the rest source by source.
void sort_claims(std::vector<Claim>& claims) {
  std::map<std::string, std::size_t> sources;  // in the order of their first claim
  for (const Claim& claim : claims) sources.emplace(claim.source, sources.size());
  const auto place = [&](const Claim& claim) {
    const bool by_source = claim.kind != ClaimKind::note;
    return std::tuple(claim.kind, number_of(claim), by_source ? sources[claim.source] : 0);
  };
  std::stable_sort(claims.begin(), claims.end(),
                   [&](const Claim& a, const Claim& b) { return place(a) < place(b); });
}

}  // namespace

std::string_view heading(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::roformer:
      return "Equations as RoFormer prints them";
    case ClaimKind::cited:
      return "Equations as the cited papers print them";
    case ClaimKind::property:
      return "Properties";
    case ClaimKind::note:
      break;
  }
  return "Notes: misprints and differences, how much each changes, and where it is printed";
}

std::vector<Claim> verify_paper(const VerifyOptions& options, Progress& progress) {
  using namespace orrery;
  struct Topic {
    const char* name;
    void (*append)(const VerifyOptions&, std::vector<Claim>&);
  };
  constexpr Topic topics[] = {{"attention", attention_claims},
                              {"heads that share keys", head_claims},
                              {"rotation", rope_claims},
                              {"relative encodings", relative_claims},
                              {"biases", bias_claims},
                              {"RoFormer's forms of them", printed_claims},
                              {"variants of RoPE", rope_variant_claims},
                              {"scalings of RoPE", rope_scaling_claims},
                              {"linear attention", linear_claims},
                              {"sinks and caps", sink_claims},
                              {"number formats", format_claims},
                              {"decay", decay_claims},
                              {"derivatives and plug-ins", registered_claims},
                              {"misprints", misprints}};
  std::vector<Claim> claims;
  for (std::size_t i = 0; i < std::size(topics); ++i) {
    checkpoint(progress, i, std::size(topics), topics[i].name);
    topics[i].append(options, claims);
  }
  sort_claims(claims);
  return claims;
}

}  // namespace orrery

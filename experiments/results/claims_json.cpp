#include "experiments/results/claims_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/results/json_fields.h"
#include "experiments/results/result_json.h"
#include "experiments/text/enum_names.h"

namespace orrery {
namespace {

const EnumNames<ClaimKind> claim_kind_names{{ClaimKind::roformer, "roformer"},
                                            {ClaimKind::cited, "cited"},
                                            {ClaimKind::property, "property"},
                                            {ClaimKind::note, "note"}};

nlohmann::ordered_json claim_json(const Claim& claim) {
  const Check& c = claim.check;
  nlohmann::ordered_json json{{"name", c.name},
                              {"kind", name_in(claim_kind_names, claim.kind)},
                              {"source", claim.source.empty() ? "RoFormer" : claim.source},
                              {"equation", c.equation},
                              {"statement", c.statement},
                              {"precision", claim.precision},
                              {"over", claim.detail}};
  if (!claim.differs.empty()) json["roformer_differs"] = claim.differs;
  if (claim.counted())
    json.update(check_numbers_json(c));
  else
    json["measured"] = number_json(c.measured);
  return json;
}

}  // namespace

nlohmann::ordered_json claims_json(const std::vector<Claim>& claims) {
  return json_list(claims, claim_json);
}

std::vector<Claim> matching_claims(std::vector<Claim> claims, const std::string& part) {
  std::erase_if(claims, [&](const Claim& claim) {
    const Check& c = claim.check;
    return fmt::format("{} {} {} {} {}", c.name, c.statement, c.equation, claim.source,
                       name_in(claim_kind_names, claim.kind))
               .find(part) == std::string::npos;
  });
  if (!claims.empty()) return claims;
  throw UsageError(part, "matches no claim",
                   "give part of a name, a statement or an equation, such as (16)");
}

}  // namespace orrery

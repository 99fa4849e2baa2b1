#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "experiments/batch/json_fields.h"
#include "experiments/batch/result_json.h"
#include "experiments/cli/commands.h"
#include "experiments/cli/console.h"
#include "experiments/verify/claims.h"

namespace orrery::cli {
namespace {

using nlohmann::ordered_json;

std::string short_number(double value) { return fmt::format("{:.4g}", value); }

std::string claim_line(const Claim& claim) {
  const Check& check = claim.check;
  const std::string precision = check.name.ends_with("_fp32") ? "fp32" : "fp64";
  return fmt::format("  {}  {} {} {} {:>10} {} {}\n", check.holds() ? green("holds") : red("FAILS"),
                     padded(check.equation, 11), precision, padded(check.statement, 82),
                     short_number(check.measured), sign_of(check.relation),
                     short_number(check.bound));
}

void print_text(const std::vector<Claim>& claims) {
  std::string section;
  for (const Claim& claim : claims) {
    if (claim.section != section) {
      print(fmt::format("{}{}\n", section.empty() ? "" : "\n", bold(claim.section)));
      section = claim.section;
    }
    print(claim_line(claim));
  }
}

ordered_json json_of(const Claim& claim) {
  const Check& c = claim.check;
  return {{"name", c.name},
          {"section", claim.section},
          {"statement", c.statement},
          {"equation", c.equation},
          {"over", claim.detail},
          {"measured", c.measured},
          {"relation", name_in(relation_names(), c.relation)},
          {"bound", c.bound},
          {"holds", c.holds()}};
}

bool wanted(const Claim& claim, const std::string& part) {
  const Check& c = claim.check;
  return (c.name + " " + c.statement + " " + c.equation + " " + claim.section).find(part) !=
         std::string::npos;
}

}  // namespace

int verify_command(const VerifyCommandOptions& options) {
  std::vector<Claim> claims;
  {
    ConsoleProgress progress(options.json);
    claims = verify_paper({.seed = options.seed, .draws = options.draws}, progress);
  }
  std::erase_if(claims, [&](const Claim& claim) { return !wanted(claim, options.only); });
  if (claims.empty())
    throw UsageError(fmt::format("--only {}", options.only), "matches no claim",
                     "give part of a name, a statement or an equation, such as (16)");
  const auto holding =
      std::count_if(claims.begin(), claims.end(), [](const Claim& c) { return c.check.holds(); });
  if (options.json) {
    ordered_json list = ordered_json::array();
    for (const Claim& claim : claims) list.push_back(json_of(claim));
    print(json_text(list));
  } else {
    print_text(claims);
    print(fmt::format("\n{} of {} claims hold (seed {}, {} draws at each size)\n", holding,
                      claims.size(), options.seed, options.draws));
  }
  return holding == static_cast<std::ptrdiff_t>(claims.size()) ? exit_ok : exit_failed;
}

}  // namespace orrery::cli

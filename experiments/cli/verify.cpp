#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "experiments/cli/command.h"
#include "experiments/cli/console.h"
#include "experiments/results/result_json.h"
#include "experiments/text/display_width.h"
#include "experiments/verify/claims.h"

namespace orrery {
namespace {

struct VerifyCommandOptions {
  std::int64_t seed{0};
  int draws{4};
  std::string only{};
  bool json{false};
};

constexpr std::size_t equation_width = 10;
constexpr std::size_t statement_width = 63;
constexpr std::size_t numbers_width = 17;  // "1.3e-15 ≤ 2.4e-14"

/// "1707" or "0.8204" for a fact, "1.3e-15" for an error.
std::string readable(double value) {
  const double size = std::abs(value);
  const bool ordinary = value == 0 || (size >= 1e-3 && size < 1e6);
  return ordinary ? fmt::format("{:.4g}", value) : fmt::format("{:.1e}", value);
}

std::string numbers_of(const Check& check) {
  if (check.tolerance > 1e-3 * std::abs(check.bound))
    return fmt::format("{:.3g} = {:.3g} ± {:.1g}", check.measured, check.bound, check.tolerance);
  return fmt::format("{} {} {}", readable(check.measured), sign_of(check.relation),
                     readable(check.bound));
}

/// Claims that differ only in precision, fp64 first.
using SameClaim = std::vector<const Claim*>;

std::vector<SameClaim> by_precision(const std::vector<Claim>& claims) {
  std::vector<SameClaim> lines;
  for (const Claim& claim : claims) {
    const auto same = std::ranges::find_if(lines, [&](const SameClaim& line) {
      return line.front()->base_name == claim.base_name &&
             line.front()->check.holds() == claim.check.holds();
    });
    if (same == lines.end())
      lines.push_back({&claim});
    else
      same->push_back(&claim);
  }
  return lines;
}

std::string claim_line(const SameClaim& claims_alike) {
  const Check& check = claims_alike.front()->check;
  const bool only_single = claims_alike.front()->precision == "fp32";
  std::string numbers = only_single ? std::string(numbers_width + 2, ' ') : "";
  for (std::size_t i = 0; i < claims_alike.size(); ++i)
    numbers += (i == 0 ? "" : "  ") + padded(numbers_of(claims_alike[i]->check), numbers_width);
  numbers.erase(numbers.find_last_not_of(' ') + 1);
  return fmt::format("  {}  {} {} {}\n", check.holds() ? green("holds") : red("FAILS"),
                     padded(check.equation, equation_width),
                     padded(check.statement, statement_width), numbers);
}

std::string note_lines(const Claim& note) {
  return fmt::format("  {} {} {:.3g}\n  {} {}\n", padded(note.check.equation, equation_width),
                     padded(note.check.statement, statement_width + 16), note.check.measured,
                     std::string(equation_width, ' '), "in: " + note.source);
}

/// The heading of a paper's or topic's claims, and how RoFormer differs from it.
std::string source_lines(const Claim& claim) {
  std::string lines = "  " + bold(claim.source) + "\n";
  if (!claim.differs.empty()) lines += "  " + claim.differs + "\n";
  return lines;
}

void print_heading(const Claim& claim) {
  const std::string columns = padded("fp64", numbers_width + 2) + "fp32";
  const std::size_t before = 11 + equation_width + statement_width;
  print(claim.counted() ? bold(padded(std::string(heading(claim.kind)), before)) + columns + "\n"
                        : bold(heading(claim.kind)) + "\n");
}

void print_text(const std::vector<Claim>& claims) {
  const Claim* before = nullptr;
  for (const SameClaim& claims_alike : by_precision(claims)) {
    const Claim& claim = *claims_alike.front();
    const bool new_kind = !before || before->kind != claim.kind;
    if (before && new_kind) print("\n");
    if (new_kind) print_heading(claim);
    if (claim.counted() && !claim.source.empty() && (new_kind || before->source != claim.source))
      print(source_lines(claim));
    print(claim.counted() ? claim_line(claims_alike) : note_lines(claim));
    before = &claim;
  }
}

std::string summary(const std::vector<Claim>& claims, const VerifyCommandOptions& options) {
  const auto counted = std::ranges::count_if(claims, &Claim::counted);
  const auto holding =
      std::ranges::count_if(claims, [](const Claim& c) { return c.counted() && c.check.holds(); });
  const auto notes = static_cast<std::ptrdiff_t>(claims.size()) - counted;
  return fmt::format("\n{} of {} claims hold; {} notes (seed {}, {} draws at each size)\n", holding,
                     counted, notes, options.seed, options.draws);
}

int verify_claims(const VerifyCommandOptions& options) {
  std::vector<Claim> claims;
  {
    ConsoleProgress progress(options.json);
    claims = verify_paper({.seed = options.seed, .draws = options.draws}, progress);
  }
  claims = matching_claims(std::move(claims), options.only);
  if (options.json) {
    print(json_text(claims_json(claims)));
  }
  const auto is_fine = [](const Claim& c) { return !c.counted() || c.check.holds(); };
  const bool all_hold = std::ranges::all_of(claims, is_fine);
  if (!options.json && !(is_quiet() && all_hold)) {
    const std::string closing = summary(claims, options);
    if (is_quiet()) std::erase_if(claims, is_fine);
    print_text(claims);
    print(closing);
  }
  return all_hold ? exit_ok : exit_failed;
}

}  // namespace

Command verify_command() {
  const auto o = std::make_shared<VerifyCommandOptions>();
  Command command{"verify",
                  "Check the library against the equations of RoFormer and of the papers it "
                  "cites, and note misprints",
                  [o] { return verify_claims(*o); }};
  command.options = {
      {"--seed", &o->seed, "Seed of the random contents"},
      {"--draws", &o->draws, "Number of random contents at each size", between(1, 1000)},
      {"--only", &o->only,
       "Only claims whose name, kind, paper, statement or equation contains this"},
      {"--json", &o->json, "As JSON"}};
  command.footer =
      R"(Every term of an equation is computed by the library and by independent loops over tokens
and channels; the number is their largest difference relative to the largest entry. Notes
state the effect of a misprint and the edition that has it; they are not counted.
The exit status is 1 if a claim fails.

Examples:
  orrery verify
  orrery verify --only DeBERTa)";
  return command;
}

}  // namespace orrery

#include "experiments/setup/logit_rule_params.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "experiments/setup/common_params.h"

namespace orrery {
namespace {

struct NamedRule {
  LogitRuleKind kind;
  const char* name;
  const char* description;
  double strength;  ///< of the model, or of the paper's fit
  double length;    ///< of the model, tokens
};

constexpr std::array<NamedRule, 6> rules{{
    {LogitRuleKind::none, "none", "as they are", 0.0, 1.0},
    {LogitRuleKind::llama4, "llama4", "$1 + a \\ln(1 + ⌊(m + 1)/L⌋)$: Llama 4, layers without RoPE",
     0.1, 8192.0},
    {LogitRuleKind::mistral, "mistral", "$1 + a \\ln(1 + ⌊m/L⌋)$: Ministral 3, Mistral 4", 0.1,
     16384.0},
    {LogitRuleKind::inkling, "inkling",
     "$1 + a \\ln \\max(1, (m + 1)/L)$: Inkling, of its bias too", 0.1, 8192.0},
    {LogitRuleKind::beam, "beam", "$(1 + (m + 1)/L)^a$: Beam, layers without RoPE", 0.1, 2048.0},
    {LogitRuleKind::scalable_softmax, "scalable_softmax",
     "$a \\ln n + b$, $n$ the keys that the query sees: Scalable-Softmax", 0.43, 1.0},
}};

const NamedRule& rule_named(const std::string& name) {
  return *std::find_if(rules.begin(), rules.end(),
                       [&](const NamedRule& rule) { return rule.name == name; });
}

// Ten times what models have; far beyond it logits leave the range of 16 bits.
constexpr double strongest = 4.0;

ParamSpec number(const ParamName& name, const std::string& description,
                 std::vector<std::string> readers, double min, double max) {
  return stated_if_set(
      read_while("logit_rule", std::move(readers), real_param(name, description, 0, min, max)));
}

}  // namespace

std::vector<ParamSpec> logit_rule_params() {
  ParamSpec rule = stated_if_set(choice_param(
      "logit_rule", "A factor of all logits of a query, by its position or its keys.", "none", {}));
  for (const NamedRule& known : rules) rule.choices.push_back({known.name, known.description});
  return {std::move(rule),
          number({"logit_rule.strength", "$a$"},
                 "Strength of the rule; 0: the model's own, 0.1, and 0.43 of Scalable-Softmax.",
                 {"llama4", "mistral", "inkling", "beam", "scalable_softmax"}, 0, strongest),
          number({"logit_rule.length", "$L$"},
                 "Positions from which the rule acts, in tokens; 0: the model's own, 8192, 16384, "
                 "8192 and 2048.",
                 {"llama4", "mistral", "inkling", "beam"}, 0, 1e9),
          number({"logit_rule.offset", "$b$"}, "Added to $a \\ln n$.", {"scalable_softmax"},
                 -strongest, strongest)};
}

LogitRule logit_rule_of(const ParamSet& params) {
  if (!params.has("logit_rule")) return {};
  const NamedRule& known = rule_named(params.text("logit_rule"));
  const auto given = [&](const char* key, double own) {
    return params.real(key) > 0 ? params.real(key) : own;
  };
  return {.kind = known.kind,
          .strength = given("logit_rule.strength", known.strength),
          .length = given("logit_rule.length", known.length),
          .offset = params.real("logit_rule.offset")};
}

}  // namespace orrery

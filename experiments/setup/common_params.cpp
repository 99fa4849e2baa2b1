#include "experiments/setup/common_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/attention/feature_map.h"
#include "core/attention/softmax_attention.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/setup/frequency_bands.h"

namespace orrery {
namespace {

constexpr std::string_view as_pipeline = "pipeline";

std::string stage_key(Stage stage) { return fmt::format("stage.{}", name(stage)); }

std::string_view stage_description(Stage stage) {
  constexpr std::array<std::string_view, stage_count> descriptions{
      "Positions $m$ and $n$ as numbers; bf16 holds whole numbers to 256, fp32 to 2^24.",
      "The distance $m − n$ as a number.",
      "The logarithm that picks a bucket.",
      "The frequencies $θ$.",
      "The angle $m θ$; fp64 forms it without error.",
      "Cosine and sine of the angle.",
      "The four products of a rotation, before their sums.",
      "Trained tables, $u$, $v$, projections of positions, slopes.",
      "Position vectors after their projection.",
      "The sum $x + p$, where positions are added to the input.",
      "Queries and keys before they are rotated.",
      "Values.",
      "Queries and keys after they are rotated.",
      "The product behind each term of the scores.",
      "Each term after its scale.",
      "The sum of the terms.",
      "The weights, after the softmax.",
      "The weighted sum of values.",
  };
  return descriptions[static_cast<std::size_t>(stage)];
}

ParamSpec stage_param(Stage stage) {
  ParamSpec spec = choice_param(stage_key(stage).c_str(), std::string(stage_description(stage)),
                                std::string(as_pipeline),
                                {{std::string(as_pipeline), "as the pipeline has it"},
                                 {"fp64", "not rounded: as the pipeline's arithmetic computes it"},
                                 {"fp32", "single precision"},
                                 {"bf16", "bfloat16: 8 significant bits"},
                                 {"fp16", "half precision: 11 significant bits, largest 65504"}});
  spec.group = "Rounding per stage";
  return stated_if_set(std::move(spec));
}

/// Those of the encodings, by name, that round at the stage; none named means all.
std::vector<std::string> encodings_rounding(Stage stage, const std::vector<std::string>& among) {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const auto& stages = entry.info.stages;
    const bool rounds = std::ranges::find(stages, stage) != stages.end();
    const bool taken = among.empty() || std::ranges::find(among, entry.info.name) != among.end();
    if (rounds && taken) names.push_back(entry.info.name);
  }
  return names;
}

ParamSpec pipeline_param(const std::string& default_name) {
  ParamSpec spec = choice_param(
      "precision",
      "Which numbers are rounded, and to which format; the order of sums is not modelled.",
      default_name, {});
  spec.role = ParamRole::precision;
  for (const Pipeline& pipeline : pipeline_catalogue())
    spec.choices.push_back({pipeline.name, pipeline.statement});
  const auto replaced = [&](const char* old, const char* now) {
    spec.retired_values.push_back({old, fmt::format("precision={} replaces it", now)});
  };
  replaced("fp64", "exact");
  replaced("fp32", "exact_fp32");
  replaced("bf16", "eager_bf16 or fused_bf16");
  replaced("fp16", "eager_fp16 or fused_fp16");
  spec.retired_keys = {{"rounded_stages", "give stages formats of their own: stage.cos_sin=bf16"}};
  return spec;
}

}  // namespace

std::vector<std::int64_t> whole_numbers(const ParamSet& params, const std::string& key) {
  std::vector<std::int64_t> whole;
  for (const double number : params.numbers(key)) {
    if (number != std::floor(number))
      throw UsageError(fmt::format("{}={}", key, number_text(number)), "must be a whole number",
                       "round it");
    whole.push_back(static_cast<std::int64_t>(number));
  }
  return whole;
}

std::int64_t length_or(const ParamSet& params, const std::string& key, std::int64_t usual) {
  const std::int64_t given = params.integer(key);
  if (given == 1)
    throw UsageError(key + "=1", "a length is 2 tokens or more",
                     fmt::format("take {}=2, or 0 for the usual one", key));
  return given > 0 ? given : usual;
}

ParamSpec dim_param(std::int64_t default_value) {
  ParamSpec spec =
      log_count_param({"dim", "$d$", "channels"},
                      "Channels of a head, d_head; even, because channels are rotated in pairs.",
                      default_value, 2, 4096);
  spec.multiple_of = 2;
  return spec;
}

ParamSpec heads_param() {
  return count_param({"heads", "$H$"}, "Heads of the layer; ALiBi's slopes depend on it.", 8, 1,
                     256);
}

int head_of(const ParamSet& params) {
  const std::int64_t head = params.integer("head");
  if (head < params.integer("heads")) return static_cast<int>(head);
  throw UsageError(fmt::format("head={}", head),
                   fmt::format("must be below heads={}, counted from 0", params.integer("heads")),
                   fmt::format("try head={}", params.integer("heads") - 1));
}

ParamSpec max_distance_param(double max) {
  return with_role(ParamRole::longest_distance,
                   log_count_param({"max_distance", "$r_\\mathrm{max}$", "tokens"},
                                   "Largest relative distance $m − n$.", 256, 1, max));
}

ParamSpec causal_param(bool default_value) {
  return {.key = "causal",
          .description = "A query sees keys at or behind its own position only.",
          .kind = ParamKind::boolean,
          .default_value = default_value};
}

ParamSpec file_param(const std::string& key, const std::string& description,
                     std::vector<std::string> types, const std::string& usual) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::file,
          .default_value = usual,
          .file_types = std::move(types)};
}

ParamSpec array_file_param(const std::string& key, const std::string& description) {
  ParamSpec spec = file_param(key, description, {"npy", "npz", "safetensors"});
  if (key.size() == 1) spec.symbol = "$" + key + "$";
  return spec;
}

ParamSpec model_file_param(const std::string& key, const std::string& description,
                           const std::string& usual) {
  return file_param(key, description, {"json", "gguf"}, usual);
}

ParamSpec seed_param() {
  return with_role(
      ParamRole::seed,
      count_param("seed", "Root of all random draws; the same seed gives the same bytes.", 0, 0,
                  1e9));
}

ParamSpec encodings_param(std::vector<std::string> default_names) {
  return with_role(
      ParamRole::encodings,
      choices_param("encoding", "Position encodings to compare; several are joined by +.",
                    std::move(default_names), encoding_choices()));
}

ParamSpec projection_param() {
  return choice_param({"projection", "$W$"}, "The projections $W_q$, $W_k$, $W_v$ of the head.",
                      "identity",
                      {{"identity", "$q = k = v = x$: contents are compared as they are"},
                       {"random", "independent normals of variance $1/d$, by seed and head"}});
}

ParamSpec pipelines_param(std::vector<std::string> default_names) {
  ParamSpec spec = pipeline_param(default_names.front());
  spec.description = "Pipelines of numbers to compare: what is rounded, and to which format.";
  spec.kind = ParamKind::choice_list;
  spec.default_value = std::move(default_names);
  return spec;
}

std::vector<ParamSpec> stage_params(const RoundedStages& stages) {
  std::vector<ParamSpec> specs;
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    const bool always = std::ranges::find(stages.always, stage) != stages.always.end();
    std::vector<std::string> rounding = encodings_rounding(stage, stages.encodings);
    if (!always && rounding.empty()) continue;
    specs.push_back(always ? stage_param(stage)
                           : read_while("encoding", std::move(rounding), stage_param(stage)));
  }
  return specs;
}

std::vector<ParamSpec> precision_params(const std::string& default_pipeline,
                                        const RoundedStages& stages) {
  return joined({{pipeline_param(default_pipeline)}, stage_params(stages)});
}

std::vector<ParamSpec> attention_precision_params(const std::string& default_pipeline) {
  return precision_params(default_pipeline,
                          {.always = {attention_stages.begin(), attention_stages.end()}});
}

std::vector<Stage> score_stages() { return {Stage::qk, Stage::term, Stage::scale, Stage::logits}; }

std::vector<ParamSpec> with_encoding_params(std::vector<ParamSpec> specs) {
  return joined({std::move(specs), encoding_params("encoding")});
}

Pipeline pipeline_of(const ParamSet& params, const std::string& name) {
  Pipeline pipeline = find_pipeline(name);
  for (std::size_t i = 0; i < stage_count; ++i) {
    const auto stage = static_cast<Stage>(i);
    const std::string key = stage_key(stage);
    if (!params.has(key) || !params.is_used(key) || params.text(key) == as_pipeline) continue;
    pipeline.rounding.set(stage, precision_named(params.text(key)));
  }
  return pipeline;
}

Pipeline pipeline_of(const ParamSet& params) {
  return pipeline_of(params, params.text("precision"));
}

Precision precision_of(const ParamSet& params) { return pipeline_of(params).format; }

bool runs_in_fp64(const ParamSet& params) {
  return pipeline_of(params).arithmetic == Precision::fp64;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool names(const ParamSet& params, const char* list, const std::string& name) {
  return contains(params.list(list), name);
}

bool is_exact(const Pipeline& pipeline) {
  return pipeline.arithmetic == Precision::fp64 && rounding_unit(pipeline.rounding) == 0;
}

std::string hidden_text(double in_exact, double rounding) {
  return fmt::format("; not checked: it is {:.2g} in exact, and rounding may cost {:.2g}", in_exact,
                     rounding);
}

StageRounding rounding_of(const ParamSet& params) { return pipeline_of(params).rounding; }

std::vector<Choice> feature_map_choices() {
  std::vector<Choice> choices;
  for (const FeatureName& feature : feature_names())
    choices.push_back({feature.name, feature.description});
  return choices;
}

namespace {

bool declared(const std::vector<ParamSpec>& specs, const std::string& key) {
  return std::ranges::any_of(specs, [&](const ParamSpec& spec) { return spec.key == key; });
}

}  // namespace

std::vector<std::string> encodings_with(const std::vector<Door>& doors) {
  std::vector<std::string> names;
  for (const EncodingEntry& entry : encoding_catalogue())
    if (std::ranges::any_of(doors, [&](Door door) { return entry.uses(door); }))
      names.push_back(entry.info.name);
  return names;
}

bool heads_are_alike(const ParamSet& params) {
  const std::vector<std::string>& names = params.list("encoding");
  return std::ranges::all_of(
      names, [](const std::string& name) { return find_encoding(name).info.same_heads; });
}

ParamSpec encodings_param_among(const std::vector<std::string>& names,
                                std::vector<std::string> default_names) {
  ParamSpec spec = encodings_param(std::move(default_names));
  std::erase_if(spec.choices, [&](const Choice& c) { return !contains(names, c.name); });
  return spec;
}

std::vector<ParamSpec> with_params_of(const std::vector<std::string>& names,
                                      std::vector<ParamSpec> specs) {
  for (ParamSpec& spec : encoding_params("encoding")) {
    if (spec.key == mixer_key)
      continue;  // it mutes parts of a score, and these experiments have none
    std::vector<std::string>& any_of = spec.used_when->any_of;
    const bool by_encoding = spec.used_when->key == "encoding";
    if (by_encoding)
      std::erase_if(any_of, [&](const auto& name) { return !contains(names, name); });
    // A parameter is kept only with the one that it depends on, which comes before it.
    if (by_encoding ? !any_of.empty() : declared(specs, spec.used_when->key))
      specs.push_back(std::move(spec));
  }
  return specs;
}

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
  return *std::ranges::find(rules, name, &NamedRule::name);
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

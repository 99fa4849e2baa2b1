#include "experiments/shared_params.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/encodings/catalogue.h"
#include "core/errors.h"

namespace orrery {

ParamSpec dim_param(std::int64_t default_value) {
  return {.key = "dim",
          .symbol = "d",
          .unit = "channels",
          .description = "Channels of a head, d_head; even, because channels turn in pairs.",
          .kind = ParamKind::integer,
          .default_value = default_value,
          .min = 2,
          .max = 4096,
          .multiple_of = 2,
          .logarithmic = true};
}

ParamSpec heads_param() {
  return {.key = "heads",
          .symbol = "H",
          .description = "Heads of the layer; ALiBi's slopes depend on it.",
          .kind = ParamKind::integer,
          .default_value = std::int64_t{8},
          .min = 1,
          .max = 256};
}

int head_of(const ParamSet& params) {
  const std::int64_t head = params.integer("head");
  if (head < params.integer("heads")) return static_cast<int>(head);
  throw UsageError(fmt::format("head={}", head),
                   fmt::format("must be below heads={}, counted from 0", params.integer("heads")),
                   fmt::format("try head={}", params.integer("heads") - 1));
}

ParamSpec max_distance_param(double max) {
  return {.key = "max_distance",
          .symbol = "r_max",
          .unit = "tokens",
          .description = "Largest relative distance m − n.",
          .kind = ParamKind::integer,
          .default_value = std::int64_t{256},
          .min = 1,
          .max = max,
          .logarithmic = true};
}

ParamSpec causal_param(bool default_value) {
  return {.key = "causal",
          .description = "A query sees keys at or behind its own position only.",
          .kind = ParamKind::boolean,
          .default_value = default_value};
}

ParamSpec array_file_param(const std::string& key, const std::string& description) {
  return {.key = key,
          .symbol = key,
          .description = description,
          .kind = ParamKind::file,
          .default_value = std::string(),
          .file_types = {"npy", "npz", "safetensors"}};
}

ParamSpec seed_param() {
  return {.key = "seed",
          .description = "Root of all random draws; the same seed gives the same bytes.",
          .kind = ParamKind::integer,
          .default_value = std::int64_t{0},
          .min = 0,
          .max = 1e9};
}

ParamSpec encodings_param(std::vector<std::string> default_names) {
  return {.key = "encoding",
          .description = "Position encodings to compare; several are joined by +.",
          .kind = ParamKind::choice_list,
          .default_value = std::move(default_names),
          .choices = encoding_choices()};
}

ParamSpec projection_param() {
  return {.key = "projection",
          .symbol = "W",
          .description = "The projections W_q, W_k, W_v of the head.",
          .kind = ParamKind::choice,
          .default_value = std::string("identity"),
          .choices = {{"identity", "q = k = v = x: contents are compared as they are"},
                      {"random", "independent normals of variance 1/d, by seed and head"}}};
}

std::vector<ParamSpec> precision_params(const std::string& default_precision) {
  ParamSpec precision{.key = "precision",
                      .description = "Arithmetic: fp64 and fp32 run natively, bf16 and fp16 round.",
                      .kind = ParamKind::choice,
                      .default_value = default_precision,
                      .choices = {{"fp64", "double precision"},
                                  {"fp32", "single precision"},
                                  {"bf16", "fp32 rounded to bfloat16 at the named stages"},
                                  {"fp16", "fp32 rounded to half precision at the named stages"}}};
  ParamSpec stages{
      .key = "rounded_stages",
      .description = "Where bf16 or fp16 rounds; models differ in it, and so do their errors.",
      .kind = ParamKind::choice_list,
      .default_value = std::vector<std::string>{"cos_sin", "qk", "rotated_qk", "logits"},
      .choices = {{"position", "m and n as numbers: bf16 holds 257 integers from 0 on, then gaps"},
                  {"distance", "m − n as a number: ALiBi, Transformer-XL, logarithmic buckets"},
                  {"log", "the logarithm that picks a bucket: T5, TUPE, DeBERTa v2"},
                  {"inv_freq", "the frequencies θ"},
                  {"angle", "the product m θ"},
                  {"cos_sin", "cos and sin of the angle"},
                  {"table", "trained tables, u, v, projections of positions, slopes"},
                  {"projected", "position vectors once projected: Transformer-XL, TUPE, DeBERTa"},
                  {"input", "x + p, where positions are added to the input"},
                  {"qk", "queries and keys before they are turned"},
                  {"rotated_qk", "queries and keys after it"},
                  {"term", "each term of the scores, before their sum"},
                  {"logits", "the scores"}},
      .used_when = Condition{"precision", {"bf16", "fp16"}}};
  return {std::move(precision), std::move(stages)};
}

std::vector<ParamSpec> with_encoding_params(std::vector<ParamSpec> specs) {
  for (ParamSpec& spec : encoding_params("encoding")) specs.push_back(std::move(spec));
  return specs;
}

Precision precision_of(const ParamSet& params) { return precision_named(params.text("precision")); }

bool runs_in_fp64(const ParamSet& params) { return precision_of(params) == Precision::fp64; }

StageRounding rounding_of(const ParamSet& params) {
  if (!params.is_used("rounded_stages")) return {};
  StageRounding rounding;
  for (const std::string& stage : params.list("rounded_stages"))
    rounding.set(stage_named(stage), precision_of(params));
  return rounding;
}

std::string caption_of(const ParamSet& params) {
  std::string caption;
  for (const ParamSpec& spec : params.specs()) {
    const std::string value = params.to_text(spec.key);
    if (!params.is_used(spec.key) || value.empty()) continue;
    if (!caption.empty()) caption += " · ";
    // An encoding's own parameter keeps its key: two encodings may both call theirs k.
    const bool by_key = spec.symbol.empty() || spec.key.find('.') != std::string::npos;
    caption += fmt::format("{} = {}", by_key ? spec.key : spec.symbol, value);
    if (!spec.unit.empty()) caption += " " + spec.unit;
  }
  return caption;
}

Provenance provenance_of(const ExperimentInfo& info, const ParamSet& params) {
  Provenance provenance{.experiment = info.name, .version = info.version};
  for (const ParamSpec& spec : params.specs())
    if (params.is_stated(spec.key))
      provenance.params.emplace_back(spec.key, params.to_text(spec.key));
  if (params.has("seed")) provenance.seed = params.integer("seed");
  return provenance;
}

std::string encoding_label(const std::string& name) { return find_encoding(name).info.label; }

std::string first_negative_text(const std::optional<Position>& found, Position searched) {
  if (!found) return fmt::format("Σ cos(m θ_t) is not negative at any distance to {}", searched);
  return "first distance with Σ cos(m θ_t) < 0: by the criterion of arXiv 2405.14591 the supported "
         "context ends there";
}

std::string untrained_label(const std::string& name) {
  const EncodingInfo& info = find_encoding(name).info;
  return info.tables.empty() ? info.label : info.label + " (untrained tables)";
}

int encoding_color(const std::string& name) {
  const auto& entries = encoding_catalogue();
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const EncodingEntry& e) { return e.info.name == name; });
  return static_cast<int>(found - entries.begin());
}

}  // namespace orrery

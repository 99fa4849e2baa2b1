#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/largest.h"
#include "experiments/model/experiment.h"
#include "experiments/setup/check_settings.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_style.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/token_inputs.h"
#include "experiments/setup/user_qkv.h"
#include "experiments/studies/attention_map/query_table.h"

namespace orrery::studies {
namespace {

std::vector<ParamSpec> declared_params() {
  std::vector<ParamSpec> specs{encodings_param({"rope"})};
  for (ParamSpec& spec : token_params()) specs.push_back(std::move(spec));
  specs.push_back({.key = "show",
                   .description = "Which maps are drawn; all are written as arrays.",
                   .kind = ParamKind::choice_list,
                   .default_value = std::vector<std::string>{"weights"},
                   .choices = {{"weights", "softmax of the logits, row by row"},
                               {"logits", "the scores, with their scale"},
                               {"terms", "each named term of the logits"}}});
  for (ParamSpec& spec : content_params()) specs.push_back(std::move(spec));
  for (ParamSpec& spec : attention_precision_params("exact_fp32")) specs.push_back(std::move(spec));
  specs.push_back(unless_q_is_given(seed_param()));
  return with_encoding_params(std::move(specs));
}

ExperimentInfo make_info() {
  return {
      .name = "attention_map",
      .version = 2,
      .title = "Attention map",
      .question = "Which tokens does each token attend to, and which part of it is position?",
      .formulas =
          {{R"(a_{m,n} = \frac{\exp(\mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d})}{\sum_{j=1}^{N} \exp(\mathbf{q}_m^\top \mathbf{k}_j / \sqrt{d})})",
            "eq. (2)"},
           {R"(\mathbf{o}_m = \sum_{n=1}^{N} a_{m,n} \mathbf{v}_n)", "eq. (2)"},
           {R"(\ell_{m,n} = \text{sum of the encoding's named terms})", "eq. (6)–(10)",
            in_descriptions}},
      .symbols = {{"j", "index of a key"}},
      .params = declared_params()};
}

/// Settings that all maps of a run share.
struct MapFrame {
  std::vector<std::string> labels;
  ArrayPtr masked;
  std::string caption;
};

Figure map_figure(const MapFrame& frame, const ArrayPtr& values, std::string title,
                  std::string quantity, std::string symbol, Meaning meaning) {
  Heatmap map{.values = values,
              .masked = frame.masked,
              .x = key_axis(),
              .y = query_axis(),
              .quantity = std::move(quantity),
              .symbol = std::move(symbol),
              .meaning = meaning,
              .column_labels = frame.labels,
              .row_labels = frame.labels};
  return {values->name, std::move(title), frame.caption, std::move(map), values->role};
}

/// Bound of the error of a sum of n weights that are rounded to their format: a unit roundoff of
/// the sum, and half the distance of the format's smallest numbers each.
double weights_rounding(Precision format, double n) {
  if (format == Precision::fp64) return 0;
  return unit_roundoff(format) + 0.5 * n * ulp(format, 0);
}

template <class T>
std::vector<Check> checks_of(const std::string& name, const AttentionOutput<T>& out,
                             Precision weights_format) {
  const double unit = unit_roundoff(sizeof(T) == 8 ? Precision::fp64 : Precision::fp32);
  const double n = static_cast<double>(out.weights.cols());
  Largest row_error;
  for (Index i = 0; i < out.weights.rows(); ++i)
    row_error.see(std::abs(static_cast<double>(out.weights.row(i).sum()) - 1.0));
  return {{.name = name + "_rows_sum_to_one",
           .statement = encoding_label(name) + ": the weights of each query sum to 1",
           .equation = "eq. (2)",
           .measured = row_error.value(),
           .bound = (n + 4.0) * unit + weights_rounding(weights_format, n)}};
}

bool shows(const ParamSet& params, const std::string& what) {
  const auto& chosen = params.list("show");
  return std::find(chosen.begin(), chosen.end(), what) != chosen.end();
}

template <class T>
void add_maps(const std::string& name, const ParamSet& params, const MapFrame& frame,
              const AttentionOutput<T>& out, Result& result) {
  const std::string label = encoding_label(name);
  const std::vector<std::string> axes{"query", "key"};
  const auto add = [&](const ArrayPtr& array, bool shown, const std::string& title,
                       const std::string& quantity, const std::string& symbol, Meaning meaning) {
    result.arrays.push_back(array);
    if (shown) result.figures.push_back(map_figure(frame, array, title, quantity, symbol, meaning));
  };
  add(to_array<T>(out.weights, "weights_" + name, "attention weights, rows sum to 1", axes,
                  {.kind = "weights", .encodings = {name}}),
      shows(params, "weights"), "Attention weights: " + label, "weight", "a_{mn}",
      Meaning::sequential);
  add(to_array<T>(out.logits, "logits_" + name, "scores before softmax", axes,
                  {.kind = "logits", .encodings = {name}}),
      shows(params, "logits"), "Logits: " + label, "logit", "", Meaning::diverging);
  for (const ScoreTerm<T>& term : out.terms) {
    const std::string term_name(term.name);
    std::string words = term_name;
    std::replace(words.begin(), words.end(), '_', ' ');
    add(to_array<T>(term.logits, "term_" + name + "_" + term_name,
                    "the term " + term_name + " of the logits", axes,
                    {.kind = "term", .encodings = {name}, .term = term_name}),
        shows(params, "terms"), fmt::format("Term {}: {}", words, label), words, "",
        Meaning::diverging);
  }
  result.arrays.push_back(to_array<T>(out.output, "output_" + name, "weighted sums of values",
                                      {"query", "channel"},
                                      {.kind = "output", .encodings = {name}}));
}

template <class T>
Result run_in(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  const TokenInputs<T> tokens = token_inputs<T>(params, inputs);
  check_last_position(params, tokens.positions.back());
  const Mask mask =
      params.boolean("causal") ? Mask::causal(tokens.positions, tokens.positions) : Mask();
  const auto n = static_cast<Index>(tokens.positions.size());
  const MapFrame frame{tokens.labels, mask_array(mask, n), caption_of(params)};
  Result result;
  result.scalars.push_back({.name = "tokens",
                            .symbol = "N",
                            .unit = "tokens",
                            .value = static_cast<double>(n),
                            .description = "tokens that attend to each other"});
  TableBuilder queries = query_table();
  const std::vector<std::string>& names = params.list("encoding");
  for (std::size_t e = 0; e < names.size(); ++e) {
    checkpoint(progress, e, names.size(), "attention with " + names[e]);
    const auto encoding = token_encoding<T>(names[e], params, tokens);
    const AttentionOutput<T> out = attend_tokens<T>(*encoding, params, tokens, mask);
    const QueryMeans means =
        add_queries<T>(queries, names[e], tokens.labels, tokens.positions, out.weights);
    result.scalars.push_back(
        {.name = names[e] + "_mean_entropy",
         .unit = "bits",
         .value = means.entropy_bits,
         .description = encoding_label(names[e]) + ": mean entropy of a query's weights"});
    result.scalars.push_back(
        {.name = names[e] + "_mean_distance",
         .unit = "tokens",
         .value = means.distance,
         .description = encoding_label(names[e]) + ": mean distance attended to"});
    for (Check& check : checks_of(names[e], out, rounding_of(params).format(Stage::weights)))
      result.checks.push_back(std::move(check));
    add_maps(names[e], params, frame, out, result);
  }
  result.tables.push_back(std::move(queries).finish());
  return result;
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  return runs_in_fp64(params) ? run_in<double>(params, inputs, progress)
                              : run_in<float>(params, inputs, progress);
}

}  // namespace

Experiment attention_map_experiment() { return with_provenance(make_info(), compute); }

}  // namespace orrery::studies

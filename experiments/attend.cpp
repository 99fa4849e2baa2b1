#include "experiments/attend.h"

#include <fmt/format.h>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/attend_linear.h"
#include "experiments/given_tables.h"
#include "experiments/shared_params.h"

namespace orrery {
namespace {

template <class T>
AttendResult stacked(const std::vector<AttentionOutput<T>>& heads) {
  Stack<T> logits, weights, output;
  std::vector<Stack<T>> terms(heads.front().terms.size());
  AttendResult result;
  for (const AttentionOutput<T>& head : heads) {
    logits.add(head.logits);
    weights.add(head.weights);
    output.add(head.output);
    for (std::size_t t = 0; t < terms.size(); ++t) terms[t].add(head.terms[t].logits);
    result.fully_masked_rows += static_cast<std::size_t>(head.fully_masked_rows);
    result.nan_rows += static_cast<std::size_t>(head.nan_rows);
  }
  result.arrays.push_back(std::move(logits).finish("logits", "key"));
  result.arrays.push_back(std::move(weights).finish("weights", "key"));
  result.arrays.push_back(std::move(output).finish("output", "channel"));
  for (std::size_t t = 0; t < terms.size(); ++t)
    result.arrays.push_back(
        std::move(terms[t]).finish(fmt::format("term_{}", heads.front().terms[t].name), "key"));
  return result;
}

template <class T>
AttendResult softmax_in(const ParamSet& params, const AttendInputs& in, const Tables& tables,
                        const AttendLayer& layout) {
  const auto encoding = encoding_of<T>(params, layout, layout.d_head, tables);
  const Sight sight = sight_of(params, in);
  const StageRounding rounding = rounding_of(params);
  std::vector<AttentionOutput<T>> heads;
  if (in.x) {
    const Matrix<T> x = contents_of<T>(in);
    heads =
        multi_head_attention<T>(*encoding, projections_of<T>(tables, layout),
                                {x, x, layout.m, layout.n, layout.first_head}, sight, {rounding});
  } else {
    heads = multi_head_attention<T>(*encoding, layer_of_qkv<T>(in, layout), sight, {rounding});
  }
  AttendResult result = stacked(heads);
  add_layer_output<T>(tables, heads, result);
  return result;
}

template <class T>
AttendResult attend_in(const ParamSet& params, const AttendInputs& in, const Tables& tables,
                       const AttendLayer& layout) {
  return params.text("kernel") == "linear" ? attend_linear<T>(params, in, tables, layout)
                                           : softmax_in<T>(params, in, tables, layout);
}

/// Linear attention has queries and keys, but no scores, and its sums are not rounded.
std::vector<ParamSpec> softmax_precision_params() {
  std::vector<ParamSpec> specs = attention_precision_params("exact");
  for (ParamSpec& spec : specs)
    if (spec.key.starts_with("stage.") && spec.key != "stage.qk" && !spec.used_when)
      spec.used_when = Condition{"kernel", {"softmax"}};
  return specs;
}

/// A pipeline that rounds sums and weights would claim more of linear attention than is computed.
void refuse_small_linear(const ParamSet& params) {
  const Precision format = precision_of(params);
  if (params.text("kernel") != "linear" || format == Precision::fp64 || format == Precision::fp32)
    return;
  throw UsageError(fmt::format("precision={} with kernel=linear", params.text("precision")),
                   "is defined for softmax attention: sums of features are not rounded here",
                   "take precision=exact_fp32, and formats of stages like stage.qk=bf16");
}

}  // namespace

std::vector<ParamSpec> attend_params() {
  ParamSpec encoding{.key = "encoding",
                     .description = "The position encoding.",
                     .kind = ParamKind::choice,
                     .default_value = std::string("rope"),
                     .choices = encoding_choices()};
  std::vector<ParamSpec> specs{std::move(encoding)};
  const std::string rows = "[N, d] or [heads, N, d].";
  for (const auto& [key, what] :
       {std::pair{"q", rows}, std::pair{"k", rows}, std::pair{"v", rows},
        std::pair{"x", std::string("Contents [N, d_model], in place of q, k, v.")},
        std::pair{"mask", std::string("[N_q, N_k], 0 where a query does not see a key.")}})
    specs.push_back(array_file_param(key, what));
  specs.back().used_when = Condition{"kernel", {"softmax"}};
  specs.push_back(
      {.key = "kernel",
       .description = "How weights are made of queries and keys.",
       .kind = ParamKind::choice,
       .default_value = std::string("softmax"),
       .choices = {{"softmax", "eq. (2): exp(q·k/√d), normalised"},
                   {"linear", "eq. (18), (19): products of features, no score matrix"}}});
  for (ParamSpec& spec : linear_params()) specs.push_back(std::move(spec));
  specs.push_back(causal_param(false));
  specs.push_back({.key = "window",
                   .unit = "tokens",
                   .description = "A query sees keys nearer than this on either side; 0 sees all.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{0},
                   .min = 0,
                   .max = 1e9,
                   .used_when = Condition{"kernel", {"softmax"}}});
  specs.push_back({.key = "first_position",
                   .symbol = "m₀",
                   .unit = "tokens",
                   .description = "Position of the first key; queries are the last of the keys.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{0},
                   .min = 0,
                   .max = 0x1p52});
  specs.push_back({.key = "heads",
                   .symbol = "H",
                   .description = "Heads of the layer, where the arrays do not say it.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{1},
                   .min = 1,
                   .max = 1024});
  specs.push_back({.key = "head",
                   .symbol = "h",
                   .description = "Which head of the layer a single [N, d] is, counted from 0.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{0},
                   .min = 0,
                   .max = 1023});
  specs.push_back({.key = "d_model",
                   .unit = "channels",
                   .description = "Width of tables that project positions; 0 means heads·d.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{0},
                   .min = 0,
                   .max = 65536});
  for (ParamSpec& spec : softmax_precision_params()) specs.push_back(std::move(spec));
  specs.push_back(seed_param());
  return with_encoding_params(std::move(specs));
}

std::vector<std::string> encoding_table_names(const ParamSet& params) {
  std::vector<std::string> names;
  for (const TableSpec& table : find_encoding(params.text("encoding")).info.tables)
    names.push_back(table.name);
  return names;
}

std::vector<std::string> projection_names(bool contents) {
  if (contents) return {"W_q", "W_k", "W_v", "W_o"};
  return {"W_o"};
}

AttendResult attend(const ParamSet& params, const AttendInputs& inputs) {
  refuse_small_linear(params);
  check_table_names(find_encoding(params.text("encoding")).info, inputs.tables,
                    projection_names(inputs.x.has_value()));
  const Tables tables = tables_of(inputs.tables);
  const AttendLayer layout = attend_layer(params, inputs, tables);
  return runs_in_fp64(params) ? attend_in<double>(params, inputs, tables, layout)
                              : attend_in<float>(params, inputs, tables, layout);
}

}  // namespace orrery

#include "experiments/evaluate/attend.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/evaluate/attend_linear.h"
#include "experiments/evaluate/attend_mask.h"
#include "experiments/evaluate/attend_overflow.h"
#include "experiments/evaluate/attend_projections.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/user_tables.h"

namespace orrery::evaluate {
namespace {

/// What the output projection of a layer takes.
template <class T>
struct HeadOutput {
  Matrix<T> output;
};

bool asks_for(const ParamSet& params, std::string_view array) {
  const std::vector<std::string>& asked = params.list("arrays");
  return std::find(asked.begin(), asked.end(), array) != asked.end();
}

/// The arrays that are asked for, filled some queries at a time.
template <class T>
class Gathered {
 public:
  Gathered(const ParamSet& params, const AttendLayer& layout)
      : layout_(layout),
        logits_asked_(asks_for(params, "logits")),
        weights_asked_(asks_for(params, "weights")),
        terms_asked_(asks_for(params, "terms")),
        logits_(layout),
        weights_(layout),
        output_(layout) {}

  void begin_batch() { outputs_.emplace_back(); }
  LayerReader<T> reader() {
    return {.use = [this](int, Index first, AttentionOutput<T>& part) { take(first, part); },
            .rows = rows_at_once(static_cast<Index>(layout_.n.size())),
            .map = logits_asked_ || weights_asked_ || terms_asked_};
  }
  /// Of each batch entry and head.
  const Batches<HeadOutput<T>>& outputs() const { return outputs_; }

  AttendResult finish() && {
    const auto add = [&](Stack<T>&& stack, const std::string& name, const char* axis) {
      result_.arrays.push_back(std::move(stack).of_heads(name, axis, layout_));
    };
    if (logits_asked_) add(std::move(logits_), "logits", "key");
    if (weights_asked_) add(std::move(weights_), "weights", "key");
    add(std::move(output_), "output", "channel");
    for (std::size_t t = 0; t < terms_.size(); ++t)
      add(std::move(terms_[t]), "term_" + names_[t], "key");
    return std::move(result_);
  }

 private:
  void take(Index first, const AttentionOutput<T>& part) {
    result_.fully_masked_rows += static_cast<std::size_t>(part.fully_masked_rows);
    result_.nan_rows += static_cast<std::size_t>(part.nan_rows);
    if (logits_asked_) logits_.add(part.logits);
    if (weights_asked_) weights_.add(part.weights);
    output_.add(part.output);
    if (first == 0)
      outputs_.back().push_back(
          {Matrix<T>(static_cast<Index>(layout_.m.size()), part.output.cols())});
    outputs_.back().back().output.middleRows(first, part.output.rows()) = part.output;
    if (terms_asked_) take_terms(part.terms);
  }
  void take_terms(const std::vector<ScoreTerm<T>>& terms) {
    while (terms_.size() < terms.size()) {
      names_.emplace_back(terms[terms_.size()].name);
      terms_.emplace_back(layout_);
    }
    for (std::size_t t = 0; t < terms.size(); ++t) terms_[t].add(terms[t].logits);
  }

  const AttendLayer& layout_;
  bool logits_asked_, weights_asked_, terms_asked_;
  Stack<T> logits_, weights_, output_;
  std::vector<Stack<T>> terms_{};
  std::vector<std::string> names_{};
  Batches<HeadOutput<T>> outputs_{};
  AttendResult result_{};
};

Scoring scoring_of(const ParamSet& params) {
  Scoring scoring{.rounding = rounding_of(params)};
  if (params.real("scale") > 0) scoring.scale = params.real("scale");
  return scoring;
}

template <class T>
AttendResult softmax_in(const ParamSet& params, const AttendInputs& in, const Tables& tables,
                        const AttendLayer& layout, const UserMask& mask) {
  const auto encoding = encoding_of<T>(params, layout, layout.d_head, tables);
  const Scoring scoring = scoring_of(params);
  const auto projections = projections_of<T>(params, in, tables, layout);
  Gathered<T> gathered(params, layout);
  for (std::size_t b = 0; b < layout.batches; ++b) {
    gathered.begin_batch();
    if (!projections) {
      multi_head_by_rows<T>(*encoding, layer_of_qkv<T>(in, layout, b), mask.of_batch(b), scoring,
                            gathered.reader());
      continue;
    }
    const Matrix<T> x = contents_of<T>(in, b);
    multi_head_by_rows<T>(*encoding, *projections,
                          {x, x, layout.m, layout.n, layout.first_head, segments_of(layout, b)},
                          mask.of_batch(b), scoring, gathered.reader());
  }
  const Batches<HeadOutput<T>> outputs = gathered.outputs();
  AttendResult result = std::move(gathered).finish();
  add_layer_output<T>(params, tables, outputs, layout, result);
  return result;
}

template <class T>
AttendResult attend_in(const ParamSet& params, const AttendInputs& in, const Tables& tables,
                       const AttendLayer& layout) {
  const UserMask mask(params, in, layout);
  AttendResult result = params.text("kernel") == "linear"
                            ? attend_linear<T>(params, in, tables, layout, mask)
                            : softmax_in<T>(params, in, tables, layout, mask);
  count_overflow(layout, result);
  result.mask_kind = mask.mask_kind();
  result.notes = mask.notes();
  return result;
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

void append(std::vector<ParamSpec>& specs, std::vector<ParamSpec> more) {
  for (ParamSpec& spec : more) specs.push_back(std::move(spec));
}

ParamSpec softmax_only(ParamSpec spec) {
  spec.used_when = Condition{"kernel", {"softmax"}};
  return spec;
}

/// q, k, v or x, the mask and the segments.
std::vector<ParamSpec> array_params() {
  const std::string rows = "[N, d], [heads, N, d] or [batch, heads, N, d].";
  std::vector<ParamSpec> specs{
      array_file_param("q", "Queries, " + rows), array_file_param("k", "Keys, " + rows),
      array_file_param("v", "Values, " + rows),
      array_file_param("x", "Contents [N, d_model] or [batch, N, d_model], in place of q, k, v.")};
  append(specs, mask_params());
  specs.push_back(softmax_only(array_file_param(
      "segments",
      "The segment of each key, [N_k] or [batch, N_k], as token_type_ids of Transformers; queries "
      "are the last N_q of the keys. For XLNet's segment term of transformer_xl.")));
  return specs;
}

/// How weights are computed, and which keys they are for.
std::vector<ParamSpec> kernel_params() {
  std::vector<ParamSpec> specs{
      {.key = "kernel",
       .description = "How weights are computed from queries and keys.",
       .kind = ParamKind::choice,
       .default_value = std::string("softmax"),
       .choices = {{"softmax", "eq. (2): exp(q·k/√d), normalised"},
                   {"linear", "eq. (18), (19): products of features, no score matrix"}}},
      softmax_only({.key = "scale",
                    .description = "Multiplies every product of queries and keys; 0 takes the "
                                   "encoding's own scale, such as 1/√d.",
                    .kind = ParamKind::real,
                    .default_value = 0.0,
                    .min = 0.0,
                    .max = 1e6,
                    .stated_if_set = true}),
      softmax_only({.key = "arrays",
                    .description =
                        "What is computed and written; the output always is, and alone it needs "
                        "no memory for a map.",
                    .kind = ParamKind::choice_list,
                    .default_value = std::vector<std::string>{"logits", "weights", "terms"},
                    .choices = {{"logits", "final, [N_q, N_k], also where masked"},
                                {"weights", "their softmax, [N_q, N_k]"},
                                {"terms", "the named summands of the logits, [N_q, N_k] each"}},
                    .may_be_empty = true})};
  append(specs, linear_params());
  specs.push_back(causal_param(false));
  specs.push_back(softmax_only(
      count_param({"window", "", "tokens"},
                  "A query sees keys nearer than this on either side; 0 sees all.", 0, 0, 1e9)));
  return specs;
}

}  // namespace

std::vector<ParamSpec> attend_params() {
  std::vector<ParamSpec> specs{{.key = "encoding",
                                .description = "The position encoding.",
                                .kind = ParamKind::choice,
                                .default_value = std::string("rope"),
                                .choices = encoding_choices()}};
  append(specs, array_params());
  append(specs, kernel_params());
  specs.push_back(count_param({"first_position", "m₀", "tokens"},
                              "Position of the first key, where no list of positions is given.", 0,
                              0, 0x1p52));
  specs.push_back(weights_param());
  specs.push_back(count_param({"heads", "H"},
                              "Heads of the layer, where the shapes of the arrays do not give it.",
                              1, 1, 1024));
  specs.push_back(count_param(
      {"head", "h"}, "Which head of the layer a single [N, d] is, counted from 0.", 0, 0, 1023));
  specs.push_back(count_param({"d_model", "", "channels"},
                              "Width of tables that project positions; 0 means heads·d.", 0, 0,
                              65536));
  append(specs, softmax_precision_params());
  specs.push_back(seed_param());
  return with_encoding_params(std::move(specs));
}

std::vector<std::string> encoding_table_names(const ParamSet& params) {
  std::vector<std::string> names;
  for (const TableSpec& table : find_encoding(params.text("encoding")).info.tables)
    names.push_back(table.name);
  return names;
}

std::vector<std::string> attention_table_names(const ParamSet& params, bool contents) {
  std::vector<std::string> names = projection_names(contents);
  if (params.is_used("linear.features")) names.push_back(favor_table_name);
  return names;
}

AttendResult attend(const ParamSet& params, const AttendInputs& inputs) {
  refuse_small_linear(params);
  check_table_names(find_encoding(params.text("encoding")).info, inputs.tables,
                    attention_table_names(params, inputs.x.has_value()));
  const Tables tables = applied_from_the_right(params, tables_of(inputs.tables));
  const AttendLayer layout = attend_layer(params, inputs, tables);
  return runs_in_fp64(params) ? attend_in<double>(params, inputs, tables, layout)
                              : attend_in<float>(params, inputs, tables, layout);
}

}  // namespace orrery::evaluate

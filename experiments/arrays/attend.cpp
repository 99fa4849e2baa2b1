#include "experiments/arrays/attend.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/arrays/attend_linear.h"
#include "experiments/arrays/attend_mask.h"
#include "experiments/arrays/attend_projections.h"
#include "experiments/files/memory_limit.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/logit_rule_params.h"
#include "experiments/setup/user_tables.h"

namespace orrery {
namespace {

bool asks_for(const ParamSet& params, std::string_view array) {
  const std::vector<std::string>& asked = params.list("arrays");
  return std::find(asked.begin(), asked.end(), array) != asked.end();
}

/// Passes on what is asked for, some queries at a time.
template <class T>
class SoftmaxArrays {
 public:
  SoftmaxArrays(const ParamSet& params, const Tables& tables, const AttendLayer& layout,
                ArraySink& sink, Progress& progress)
      : layout_(layout),
        logits_asked_(asks_for(params, "logits")),
        weights_asked_(asks_for(params, "weights")),
        terms_asked_(asks_for(params, "terms")),
        arrays_(layout, sink),
        layer_output_(params, tables, layout),
        finite_(layout),
        progress_(progress) {}

  LayerReader<T> reader() {
    return {
        .use = [this](int head, Index first, AttentionOutput<T>& part) { take(head, first, part); },
        .rows = rows_at_once(static_cast<Index>(layout_.n.size())),
        .map = has_map()};
  }
  void finish_batch() {
    result_.overflowed_layer_rows += layer_output_.finish_batch(arrays_, finite_);
    finite_ = FiniteRows(layout_);
    ++batch_;
  }
  AttendResult finish() && {
    // Every NaN weight makes its output NaN, and such queries are counted as nan_rows.
    if (!has_map())
      result_.overflowed_rows -= std::min<std::size_t>(result_.overflowed_rows, result_.nan_rows);
    result_.arrays = arrays_.arrays();
    return std::move(result_);
  }

 private:
  bool has_map() const { return logits_asked_ || weights_asked_ || terms_asked_; }

  void take(int head, Index first, const AttentionOutput<T>& part) {
    check_progress(head, first);
    if (arrays_.arrays().empty()) begin(part);
    if (logits_asked_) arrays_.append("logits", part.logits);
    if (weights_asked_) arrays_.append("weights", part.weights);
    arrays_.append("output", part.output);
    if (terms_asked_)
      for (std::size_t t = 0; t < names_.size(); ++t)
        arrays_.append(names_[t], part.terms[t].logits);
    layer_output_.take(head, first, part.output);
    finite_.see(head, first, part.output);
    count(part);
  }
  /// Which terms there are, and how wide the output is, shows with the first part.
  void begin(const AttentionOutput<T>& part) {
    const auto keys = static_cast<Index>(layout_.n.size());
    if (logits_asked_) arrays_.add_of_heads("logits", "key", keys);
    if (weights_asked_) arrays_.add_of_heads("weights", "key", keys);
    arrays_.add_of_heads("output", "channel", part.output.cols());
    if (terms_asked_)
      for (const ScoreTerm<T>& term : part.terms) {
        names_.push_back("term_" + std::string(term.name));
        arrays_.add_of_heads(names_.back(), "key", keys);
      }
    layer_output_.add_to(arrays_, part.output.cols());
    arrays_.begin();
  }
  void count(const AttentionOutput<T>& part) {
    result_.fully_masked_rows += static_cast<std::size_t>(part.fully_masked_rows);
    result_.nan_rows += static_cast<std::size_t>(part.nan_rows);
    for (Index i = 0; i < part.output.rows(); ++i)
      if (!part.output.row(i).allFinite() && (!has_map() || part.weights.row(i).allFinite()))
        ++result_.overflowed_rows;
  }
  void check_progress(int head, Index first) {
    const double queries = static_cast<double>(layout_.m.size());
    const double heads = static_cast<double>(batch_) * layout_.heads + head;
    checkpoint(progress_,
               (heads + static_cast<double>(first) / queries) /
                   (static_cast<double>(layout_.batches) * layout_.heads),
               "attention");
  }

  const AttendLayer& layout_;
  bool logits_asked_, weights_asked_, terms_asked_;
  AttendArrays<T> arrays_;
  LayerOutput<T> layer_output_;
  FiniteRows finite_;
  Progress& progress_;
  std::vector<std::string> names_{};  ///< of the arrays of terms
  std::size_t batch_{0};
  AttendResult result_{};
};

Scoring scoring_of(const ParamSet& params) {
  Scoring scoring{.rounding = rounding_of(params)};
  if (params.real("scale") > 0) scoring.scale = params.real("scale");
  scoring.rule = logit_rule_of(params);
  if (params.text("weight_rule") == "stick_breaking") scoring.weights = WeightRule::stick_breaking;
  return scoring;
}

template <class T>
AttendResult softmax_in(const ParamSet& params, AttendInputs& in, const Tables& tables,
                        const AttendLayer& layout, const UserMask& mask,
                        SoftmaxArrays<T>&& arrays) {
  const auto encoding = encoding_of<T>(params, layout, layout.d_head, tables);
  const Scoring scoring = scoring_of(params);
  const auto projections = projections_of<T>(params, in, tables, layout);
  for (std::size_t b = 0; b < layout.batches; ++b) {
    if (projections) {
      const Matrix<T> x = contents_of<T>(in, layout, b);
      multi_head_by_rows<T>(*encoding, *projections,
                            {x, x, layout.m, layout.n, layout.first_head, segments_of(layout, b)},
                            mask.of_batch(b), scoring, arrays.reader());
    } else {
      multi_head_by_rows<T>(*encoding, source_of_qkv<T>(in, layout, b), mask.of_batch(b), scoring,
                            arrays.reader());
    }
    arrays.finish_batch();
  }
  return std::move(arrays).finish();
}

/// A block of queries by all keys is held several times: as terms, logits and weights, and while
/// they are made.
void require_memory_for_blocks(const AttendLayer& layout, std::size_t bytes_per_number) {
  constexpr double maps = 8;
  const auto keys = static_cast<Index>(layout.n.size());
  const Index queries = std::min<Index>(rows_at_once(keys), static_cast<Index>(layout.m.size()));
  require_memory(maps * static_cast<double>(queries) * static_cast<double>(keys) *
                     static_cast<double>(bytes_per_number),
                 fmt::format("{} maps of {} queries and {} keys", maps, queries, keys),
                 "give fewer keys, or arrays= for the output alone");
}

template <class T>
AttendResult attend_in(const ParamSet& params, AttendInputs& in, const Tables& tables,
                       ArraySink& sink, Progress& progress) {
  const AttendLayer layout = attend_layer(params, in, tables);
  const UserMask mask(params, in, layout);
  if (params.text("kernel") == "softmax" && !params.list("arrays").empty())
    require_memory_for_blocks(layout, sizeof(T));
  AttendResult result =
      params.text("kernel") == "linear"
          ? attend_linear<T>(params, in, tables, layout, mask, sink)
          : softmax_in<T>(params, in, tables, layout, mask,
                          SoftmaxArrays<T>(params, tables, layout, sink, progress));
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

/// What happens to logits before they become weights, and how they do.
std::vector<ParamSpec> rule_params() {
  std::vector<ParamSpec> specs = logit_rule_params();
  specs.front() = softmax_only(specs.front());
  specs.push_back(softmax_only(
      {.key = "weight_rule",
       .description = "How weights are made of logits.",
       .kind = ParamKind::choice,
       .default_value = std::string("softmax"),
       .choices = {{"softmax", "exp(l), normalised"},
                   {"stick_breaking", "σ(l) of what keys after it leave; they need not sum to 1"}},
       .stated_if_set = true}));
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
                        "What is computed and written; the output always is, and alone it takes "
                        "the least time.",
                    .kind = ParamKind::choice_list,
                    .default_value = std::vector<std::string>{"logits", "weights", "terms"},
                    .choices = {{"logits", "final, [N_q, N_k], also where masked"},
                                {"weights", "their softmax, [N_q, N_k]"},
                                {"terms", "the named summands of the logits, [N_q, N_k] each"}},
                    .may_be_empty = true})};
  append(specs, rule_params());
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

AttendResult attend(const ParamSet& params, AttendInputs inputs, ArraySink& sink,
                    Progress& progress) {
  refuse_small_linear(params);
  check_table_names(find_encoding(params.text("encoding")).info, inputs.tables,
                    attention_table_names(params, inputs.x.has_value()));
  const Tables tables = applied_from_the_right(params, tables_of(inputs.tables));
  return runs_in_fp64(params) ? attend_in<double>(params, inputs, tables, sink, progress)
                              : attend_in<float>(params, inputs, tables, sink, progress);
}

}  // namespace orrery

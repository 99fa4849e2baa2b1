#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/files/memory_limit.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/token_inputs.h"
#include "experiments/studies/attend/attend_linear.h"
#include "experiments/studies/attend/attend_projections.h"

namespace orrery {
namespace {
namespace in_attend {

/// Passes on what is asked for, some queries at a time.
template <class T>
class SoftmaxArrays {
 public:
  SoftmaxArrays(const ParamSet& params, AttendOutput<T>& out)
      : out_(out),
        logits_asked_(names(params, "arrays", "logits")),
        weights_asked_(names(params, "arrays", "weights")),
        terms_asked_(names(params, "arrays", "terms")) {}

  LayerReader<T> reader() {
    return {
        .use = [this](int head, Index first, AttentionOutput<T>& part) { take(head, first, part); },
        .rows = rows_at_once(static_cast<Index>(out_.layout().n.size())),
        .map = has_map()};
  }
  /// Once, after all batch entries: every NaN weight makes its output NaN, and such queries are
  /// counted as nan_rows.
  void finish() {
    UnusualRows& unusual = out_.unusual;
    if (!has_map())
      unusual.overflowed_rows -= std::min<std::size_t>(unusual.overflowed_rows, unusual.nan_rows);
  }

 private:
  bool has_map() const { return logits_asked_ || weights_asked_ || terms_asked_; }

  void take(int head, Index first, const AttentionOutput<T>& part) {
    out_.check_progress(head, first);
    if (!out_.has_begun()) begin(part);
    if (logits_asked_) out_.append("logits", part.logits);
    if (weights_asked_) out_.append("weights", part.weights);
    out_.append_output(head, first, part.output);
    for (std::size_t t = 0; t < terms_.size(); ++t) out_.append(terms_[t], part.terms[t].logits);
    count(part);
  }
  /// Which terms there are, and how wide the output is, shows with the first part.
  void begin(const AttentionOutput<T>& part) {
    const auto keys = static_cast<Index>(out_.layout().n.size());
    std::vector<typename AttendOutput<T>::OfHeads> arrays;
    if (logits_asked_) arrays.push_back({"logits", "key", keys});
    if (weights_asked_) arrays.push_back({"weights", "key", keys});
    arrays.push_back({"output", "channel", part.output.cols()});
    if (terms_asked_)
      for (const ScoreTerm<T>& term : part.terms) {
        terms_.push_back("term_" + std::string(term.name));
        arrays.push_back({terms_.back(), "key", keys});
      }
    out_.begin(arrays, part.output.cols());
  }
  void count(const AttentionOutput<T>& part) {
    UnusualRows& unusual = out_.unusual;
    unusual.fully_masked_rows += static_cast<std::size_t>(part.fully_masked_rows);
    unusual.nan_rows += static_cast<std::size_t>(part.nan_rows);
    for (Index i = 0; i < part.output.rows(); ++i)
      if (!part.output.row(i).allFinite() && (!has_map() || part.weights.row(i).allFinite()))
        ++unusual.overflowed_rows;
  }

  AttendOutput<T>& out_;
  bool logits_asked_, weights_asked_, terms_asked_;
  std::vector<std::string> terms_{};  ///< names of the arrays of terms
};

Scoring scoring_of(const ParamSet& params) {
  Scoring scoring{.rounding = rounding_of(params)};
  if (params.real("scale") > 0) scoring.scale = params.real("scale");
  scoring.rule = logit_rule_of(params);
  if (params.text("weight_rule") == "stick_breaking") scoring.weights = WeightRule::stick_breaking;
  return scoring;
}

template <class T>
std::function<void(std::size_t)> softmax_kernel(const ParamSet& params, const AttendInputs& in,
                                                const Tables& tables, const UserMask& mask,
                                                SoftmaxArrays<T>& arrays,
                                                const AttendLayer& layout) {
  const std::shared_ptr<Encoding> encoding = encoding_of<T>(params, layout, layout.d_head, tables);
  return [&, encoding, scoring = scoring_of(params),
          projections = projections_of<T>(params, in, tables, layout)](std::size_t batch) {
    const MaskSpec seen = mask.of_batch(batch);
    if (!projections)
      return multi_head_by_rows<T>(*encoding, source_of_qkv<T>(in, layout, batch), seen, scoring,
                                   arrays.reader());
    const Matrix<T> x = matrix_in<T>(*in.x, batch);
    multi_head_by_rows<T>(*encoding, *projections,
                          {x, x, layout.m, layout.n, layout.first_head, segments_of(layout, batch)},
                          seen, scoring, arrays.reader());
  };
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

/// The weights of the first head, or without any its output, where they are few enough to be drawn.
class FirstHead final : public ArraySink {
 public:
  explicit FirstHead(ArraySink& whole) : whole_(whole) {}

  void begin(std::span<const Array> arrays) override {
    for (const char* drawn : {"output", "weights"})
      for (std::size_t i = 0; i < arrays.size(); ++i)
        if (arrays[i].name == drawn) choose(i, arrays[i]);
    whole_.begin(arrays);
  }
  void append(std::size_t array, std::string_view bytes) override {
    if (array == place_) keep(bytes);
    whole_.append(array, bytes);
  }
  /// Null where they are too many.
  ArrayPtr take() && {
    if (values_.empty()) return nullptr;
    first_.values = std::move(values_);
    return std::make_shared<const Array>(std::move(first_));
  }

 private:
  void choose(std::size_t place, const Array& array) {
    constexpr std::size_t most = 512;
    const std::size_t axes = array.shape.size();
    const std::size_t rows = array.shape[axes - 2], columns = array.shape[axes - 1];
    numbers_ = rows <= most && columns <= most ? rows * columns : 0;
    place_ = place;
    single_ = std::holds_alternative<std::vector<float>>(array.values);
    first_ = {.name = array.name + "_of_the_first_head",
              .description = array.name + " of the first head",
              .shape = {rows, columns},
              .axes = {array.axes[axes - 2], array.axes[axes - 1]}};
  }
  void keep(std::string_view bytes) {
    const std::size_t width = single_ ? sizeof(float) : sizeof(double);
    for (std::size_t at = 0; at < bytes.size() && values_.size() < numbers_; at += width) {
      double wide{};
      float narrow{};
      if (single_)
        std::memcpy(&narrow, bytes.data() + at, width);
      else
        std::memcpy(&wide, bytes.data() + at, width);
      values_.push_back(single_ ? static_cast<double>(narrow) : wide);
    }
  }

  ArraySink& whole_;
  Array first_{};
  std::size_t place_{}, numbers_{0};
  bool single_{false};
  std::vector<double> values_{};
};

Table notes_table(const std::vector<std::string>& notes) {
  TableBuilder table("read_as", "how the arrays were read", {"note"});
  for (const std::string& note : notes) table.row({note});
  return std::move(table).finish_printed();
}

Figure first_head_figure(const ParamSet& params, ArrayPtr drawn) {
  const bool weights = drawn->axes.back() == "key";
  return {weights ? "weights" : "output",
          weights ? "Weights of the first head" : "Output of the first head", caption_of(params),
          Heatmap{.values = std::move(drawn),
                  .x = weights ? key_axis() : channel_axis(),
                  .y = query_axis(),
                  .quantity = weights ? "weight" : "output",
                  .symbol = weights ? "$a_{mn}$" : "$o_m$",
                  .meaning = weights ? Meaning::sequential : Meaning::diverging}};
}

template <class T>
Result attend_in(const ParamSet& params, const Inputs& inputs, const Tables& tables,
                 ArraySink& sink, Progress& progress) {
  const AttendInputs in = attend_inputs(params, inputs);
  const AttendLayer layout = attend_layer(params, in, tables);
  const UserMask mask(params, in, layout);
  const bool linear = params.text("kernel") == "linear";
  if (!linear && !params.list("arrays").empty()) require_memory_for_blocks(layout, sizeof(T));
  FirstHead first(sink);
  AttendOutput<T> out(params, tables, layout, first, progress);
  SoftmaxArrays<T> softmax(params, out);
  const auto attend = linear ? linear_kernel<T>(params, in, tables, mask, out)
                             : softmax_kernel<T>(params, in, tables, mask, softmax, layout);
  for (std::size_t batch = 0; batch < layout.batches; ++batch) {
    attend(batch);
    out.finish_batch();
  }
  if (!linear) softmax.finish();
  Result result{.scalars = unusual_scalars(out.unusual, linear)};
  if (!mask.notes().empty()) result.tables.push_back(notes_table(mask.notes()));
  for (const Array& array : out.arrays())
    result.arrays.push_back(std::make_shared<const Array>(array));
  result.tables.push_back(table_of_arrays(result.arrays));
  if (ArrayPtr drawn = std::move(first).take())
    result.figures.push_back(first_head_figure(params, std::move(drawn)));
  return result;
}

Result compute(const ParamSet& params, const Inputs& inputs, ArraySink& sink, Progress& progress) {
  const Tables tables = applied_from_the_right(params, tables_of(params, inputs));
  return runs_in_fp64(params) ? attend_in<double>(params, inputs, tables, sink, progress)
                              : attend_in<float>(params, inputs, tables, sink, progress);
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

ParamSpec softmax_only(ParamSpec spec) {
  return read_while("kernel", {"softmax"}, std::move(spec));
}

ParamSpec by_matrix(ParamSpec spec) {
  spec.by_matrix = true;
  return spec;
}

bool has_contents(const ParamSet& params) { return !params.text("x").empty(); }

/// Of the arrays that are drawn where none is given.
ParamSpec of_drawn_arrays(ParamSpec spec) {
  spec.idle = has_contents;
  return unless_q_is_given(std::move(spec));
}

/// q, k, v or x, the mask and the segments.
std::vector<ParamSpec> array_params() {
  const std::string rows = "[N, d], [heads, N, d] or [batch, heads, N, d].";
  std::vector<ParamSpec> specs{
      by_matrix(array_file_param("q", "Queries, " + rows)),
      by_matrix(array_file_param("k", "Keys, " + rows + " Heads of q may share them.")),
      by_matrix(array_file_param("v", "Values, " + rows)),
      array_file_param("x", "Contents [N, d_model] or [batch, N, d_model], in place of q, k, v."),
      of_drawn_arrays(count_param({"tokens", "$N$", "tokens"},
                                  "Rows of random q, k and v, where no arrays are given.", 32, 1,
                                  1024)),
      of_drawn_arrays(count_param({"dim", "$d$", "channels"}, "Their channels.", 64, 2, 1024)),
      positions_param("positions",
                      "Positions of the keys: 0..9, 3+1+4, or a file of $[N_k]$; by default from "
                      "first_position on."),
      positions_param("query_positions",
                      "Positions of the queries; by default those of the last $N_q$ keys.")};
  ParamSpec segments = softmax_only(array_file_param(
      "segments",
      "The segment of each key, $[N_k]$ or $[B, N_k]$, as token_type_ids of Transformers; queries "
      "are the last $N_q$ of the keys. For XLNet's segment term of transformer_xl."));
  return joined({std::move(specs), mask_params(), {std::move(segments)}});
}

/// What happens to logits before they become weights, and how they do.
std::vector<ParamSpec> rule_params() {
  std::vector<ParamSpec> specs = logit_rule_params();
  specs.front() = softmax_only(specs.front());
  specs.push_back(softmax_only(stated_if_set(choice_param(
      "weight_rule", "How weights are made of logits.", "softmax",
      {{"softmax", "$\\exp(l)$, normalised"},
       {"stick_breaking", "$σ(l)$ of what keys after it leave; they need not sum to 1"}}))));
  return specs;
}

/// How weights are computed, and which keys they are for.
std::vector<ParamSpec> kernel_params() {
  std::vector<ParamSpec> specs{
      choice_param("kernel", "How weights are computed from queries and keys.", "softmax",
                   {{"softmax", R"(eq. (2): $\exp(q·k/\sqrt{d})$, normalised)"},
                    {"linear", "eq. (18), (19): products of features, no score matrix"}}),
      softmax_only(
          stated_if_set(real_param("scale",
                                   "Multiplies every product of queries and keys; 0 takes the "
                                   "encoding's own scale, such as $1/\\sqrt{d}$.",
                                   0.0, 0.0, 1e6))),
      softmax_only({.key = "arrays",
                    .description =
                        "What is computed and written; the output always is, and alone it takes "
                        "the least time.",
                    .kind = ParamKind::choice_list,
                    .default_value = std::vector<std::string>{"logits", "weights", "terms"},
                    .choices = {{"logits", "final, $[N_q, N_k]$, also where masked"},
                                {"weights", "their softmax, $[N_q, N_k]$"},
                                {"terms", "the named summands of the logits, $[N_q, N_k]$ each"}},
                    .may_be_empty = true})};
  ParamSpec window = softmax_only(
      count_param({"window", "", "tokens"},
                  "A query sees keys nearer than this on either side; 0 sees all.", 0, 0, 1e9));
  return joined(
      {std::move(specs), rule_params(), linear_params(), {causal_param(false), std::move(window)}});
}

/// A single head of drawn arrays is the same whichever it is. W_q, W_k and W_v of contents x say how
/// many there are.
bool has_like_heads(const ParamSet& params) {
  return !has_contents(params) && find_encoding(params.text("encoding")).info.same_heads;
}

/// T5's table does not have that width, but starts with a deviation of d_model^(−½).
bool ignores_width(const ParamSet& params) {
  const std::vector<TableSpec>& tables = find_encoding(params.text("encoding")).info.tables;
  return std::ranges::none_of(tables, [](const TableSpec& one) {
    return one.shape.find("d_model") != std::string::npos ||
           one.initial.find(R"(d_\mathrm{model})") != std::string::npos;
  });
}

std::vector<ParamSpec> attend_params() {
  ParamSpec encoding =
      choice_param("encoding", "The position encoding.", "rope", encoding_choices());
  ParamSpec first =
      count_param({"first_position", "$m₀$", "tokens"},
                  "Position of the first key, where no list of positions is given.", 0, 0, 0x1p52);
  ParamSpec heads =
      count_param({"heads", "$H$"},
                  "Heads of the layer, where the shapes of the arrays do not give it.", 1, 1, 1024);
  ParamSpec head = count_param(
      {"head", "$h$"}, "Which head of the layer a single [N, d] is, counted from 0.", 0, 0, 1023);
  heads.idle = head.idle = has_like_heads;
  ParamSpec width = count_param(
      {"d_model", "", "channels"},
      "Width of tables that project positions, and of T5's start; 0 means heads·d.", 0, 0, 65536);
  width.idle = ignores_width;
  return with_encoding_params(
      joined({{std::move(encoding)},
              array_params(),
              kernel_params(),
              {std::move(first)},
              encoding_table_params(),
              projection_params(),
              {weights_param(), std::move(heads), std::move(head), std::move(width)},
              softmax_precision_params(),
              {seed_param()}}));
}

ExperimentInfo make_info() {
  return {.name = "attend",
          .title = "Attention on your own arrays",
          .question = "What are the logits, weights and outputs of attention on your own q, k, v?",
          .formulas = {{R"(a_{mn} = \mathrm{softmax}_n(l_{mn}), \quad o_m = \sum_n a_{mn} v_n)",
                        "eq. (2)"}},
          .symbols = {{"l_{mn}", "the logit: q·k of the encoding at its scale, and its terms"}},
          .params = attend_params(),
          .view = {.controls = {"encoding", "q", "k", "v"},
                   .tabs = {{"weights", "Weights"}, {"output", "Output"}}},
          .paired_files = paired_qk()};
}

}  // namespace in_attend
}  // namespace

Experiment attend_experiment() {
  using namespace in_attend;
  return streamed_with_provenance(make_info(), compute, refuse_small_linear);
}

}  // namespace orrery

#include "experiments/attend.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/attention/head.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/given_tables.h"
#include "experiments/shared_params.h"
#include "experiments/tensor_matrix.h"

namespace orrery {
namespace {

constexpr std::size_t all_rows = std::numeric_limits<std::size_t>::max();

/// Where heads, widths and positions come from, whichever way the inputs were given.
struct Layout {
  int heads{1};
  int first_head{0};  ///< > 0 when one head of a layer was given alone
  int layer_heads{1};
  Index d_model{};
  Index d_head{};
  Positions m, n;
};

/// first_position + N_k − N_q, …: the queries are the last of the keys.
void place(const ParamSet& params, const AttendInputs& inputs, Index n_q, Index n_k,
           Layout& layout) {
  const Position first = params.integer("first_position");
  layout.n = inputs.key_positions.value_or(consecutive_positions(n_k, first));
  layout.m = inputs.query_positions.value_or(consecutive_positions(n_q, first + n_k - n_q));
}

Index rows_of(const Tensor& tensor) {
  return static_cast<Index>(tensor.shape[tensor.shape.size() - 2]);
}

void check_qkv(const AttendInputs& in) {
  if (in.x && (in.q || in.k || in.v))
    throw UsageError("x beside q, k or v", "says twice what attends", "give x, or q, k and v");
  if (!in.x && (!in.q || !in.k))
    throw UsageError(in.q ? "q without k" : "no q", "attention needs q and k",
                     "give q=FILE and k=FILE, or x=FILE");
}

int count(const ParamSet& params, const char* key) { return static_cast<int>(params.integer(key)); }

Layout layout_of_qkv(const ParamSet& params, const AttendInputs& in) {
  Layout layout;
  layout.heads = static_cast<int>(heads_of(*in.q));
  const auto kv_heads = static_cast<int>(heads_of(*in.k));
  if (layout.heads % kv_heads != 0)
    throw DataError(fmt::format("{} and {}", shape_text(*in.q), shape_text(*in.k)),
                    "the heads of q must be a multiple of those of k",
                    "give as many heads, or groups of queries that share a key head");
  if (in.v && heads_of(*in.v) != heads_of(*in.k))
    throw DataError(fmt::format("{} and {}", shape_text(*in.k), shape_text(*in.v)),
                    "k and v must have the same heads", "save them from the same layer");
  layout.layer_heads = layout.heads > 1 ? layout.heads : count(params, "heads");
  layout.first_head = layout.heads > 1 ? 0 : count(params, "head");
  layout.d_head = static_cast<Index>(in.q->shape.back());
  layout.d_model = params.integer("d_model") > 0 ? params.integer("d_model")
                                                 : layout.layer_heads * layout.d_head;
  place(params, in, rows_of(*in.q), rows_of(*in.k), layout);
  return layout;
}

Layout layout_of_x(const ParamSet& params, const AttendInputs& in, const Tables& tables) {
  if (in.x->shape.size() != 2)
    throw DataError(shape_text(*in.x), "must be [N, d_model]", "reshape it and save it again");
  Layout layout;
  layout.layer_heads = count(params, "heads");
  layout.d_model = static_cast<Index>(in.x->shape.back());
  const auto w_q = tables.find("W_q");
  layout.d_head = w_q == tables.end() ? layout.d_model : w_q->second.cols() / layout.layer_heads;
  layout.heads = w_q == tables.end() ? 1 : layout.layer_heads;
  layout.first_head = layout.heads > 1 ? 0 : count(params, "head");
  place(params, in, rows_of(*in.x), rows_of(*in.x), layout);
  return layout;
}

Mask mask_of(const ParamSet& params, const Layout& layout) {
  Mask mask;
  if (params.boolean("causal")) mask = Mask::causal(layout.m, layout.n);
  if (params.integer("window") > 0)
    mask = mask & Mask::sliding_window(layout.m, layout.n, params.integer("window"));
  return mask;
}

/// The columns of a projection that belong to one head.
template <class T>
Matrix<T> of_head(const Tables& tables, const std::string& name, const Layout& layout, int head) {
  const auto found = tables.find(name);
  if (found == tables.end()) return Matrix<T>::Identity(layout.d_model, layout.d_model);
  const Matrix<double>& w = found->second;
  if (w.rows() != layout.d_model || w.cols() % layout.layer_heads != 0)
    throw UsageError(fmt::format("{} of shape [{}, {}]", name, w.rows(), w.cols()),
                     fmt::format("must be [d_model, heads·d] with d_model={}, heads={}",
                                 layout.d_model, layout.layer_heads),
                     "set heads to what the layer has");
  const Index width = w.cols() / layout.layer_heads;
  return w.middleCols(head * width, width).template cast<T>();
}

template <class T>
AttentionOutput<T> head_of_x(const Encoding& encoding, const AttendInputs& in, const Tables& tables,
                             const Layout& layout, int head, const Mask& mask,
                             const StageRounding& rounding) {
  const int h = layout.first_head + head;
  const Projections<T> projections{of_head<T>(tables, "W_q", layout, h),
                                   of_head<T>(tables, "W_k", layout, h),
                                   of_head<T>(tables, "W_v", layout, h)};
  const Matrix<T> x = head_matrix<T>(*in.x, 0, all_rows);
  return attention_head<T>(encoding, projections, {x, x, layout.m, layout.n, h}, mask, rounding);
}

template <class T>
AttentionOutput<T> head_of_qkv(const Encoding& encoding, const AttendInputs& in,
                               const Layout& layout, int head, const Mask& mask,
                               const StageRounding& rounding) {
  const std::size_t group = heads_of(*in.q) / heads_of(*in.k);
  const auto kv_head = static_cast<std::size_t>(head) / group;
  const Matrix<T> q = head_matrix<T>(*in.q, static_cast<std::size_t>(head), all_rows);
  const Matrix<T> k = head_matrix<T>(*in.k, kv_head, all_rows);
  const Matrix<T> v = head_matrix<T>(in.v ? *in.v : *in.k, kv_head, all_rows);
  return attention_from_qkv<T>(encoding, {q, k, v, layout.m, layout.n, layout.first_head + head},
                               mask, rounding);
}

/// Heads below each other: [N, M] for one, [H, N, M] for several.
template <class T>
class Stack {
 public:
  void add(const Matrix<T>& values) {
    values_.insert(values_.end(), values.data(), values.data() + values.size());
    rows_ = static_cast<std::size_t>(values.rows());
    columns_ = static_cast<std::size_t>(values.cols());
    ++heads_;
  }
  std::shared_ptr<const Array> finish(std::string name, const char* column_axis) && {
    Array array{
        .name = std::move(name), .shape = {rows_, columns_}, .axes = {"query", column_axis}};
    if (heads_ > 1) {
      array.shape.insert(array.shape.begin(), heads_);
      array.axes.insert(array.axes.begin(), "head");
    }
    array.values = std::move(values_);
    return std::make_shared<const Array>(std::move(array));
  }

 private:
  std::vector<T> values_;
  std::size_t heads_{0}, rows_{0}, columns_{0};
};

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
AttendResult attend_in(const ParamSet& params, const AttendInputs& in, const Tables& tables,
                       const Layout& layout) {
  const StageRounding rounding = rounding_of(params);
  const auto encoding = make_encoding<T>(params.text("encoding"), {.d_model = layout.d_model,
                                                                   .d_head = layout.d_head,
                                                                   .heads = layout.layer_heads,
                                                                   .params = params,
                                                                   .rounding = rounding,
                                                                   .seed = params.integer("seed"),
                                                                   .tables = &tables});
  const Mask mask = mask_of(params, layout);
  std::vector<AttentionOutput<T>> heads;
  for (int head = 0; head < layout.heads; ++head)
    heads.push_back(in.x ? head_of_x<T>(*encoding, in, tables, layout, head, mask, rounding)
                         : head_of_qkv<T>(*encoding, in, layout, head, mask, rounding));
  return stacked(heads);
}

}  // namespace

std::vector<ParamSpec> attend_params() {
  ParamSpec encoding{.key = "encoding",
                     .description = "The position encoding.",
                     .kind = ParamKind::choice,
                     .default_value = std::string("rope"),
                     .choices = encoding_choices()};
  std::vector<ParamSpec> specs{std::move(encoding)};
  for (const char* key : {"q", "k", "v", "x"})
    specs.push_back({.key = key,
                     .symbol = key,
                     .description = key == std::string("x")
                                        ? "Contents [N, d_model], in place of q, k, v."
                                        : "[N, d] or [heads, N, d].",
                     .kind = ParamKind::file,
                     .default_value = std::string(),
                     .file_types = {"npy", "npz", "safetensors"}});
  specs.push_back({.key = "causal",
                   .description = "A query sees keys at or behind its own position only.",
                   .kind = ParamKind::boolean,
                   .default_value = false});
  specs.push_back({.key = "window",
                   .unit = "tokens",
                   .description = "A query sees keys nearer than this on either side; 0 sees all.",
                   .kind = ParamKind::integer,
                   .default_value = std::int64_t{0},
                   .min = 0,
                   .max = 1e9});
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
  for (ParamSpec& spec : precision_params("fp64")) specs.push_back(std::move(spec));
  specs.push_back(seed_param());
  return with_encoding_params(std::move(specs));
}

AttendResult attend(const ParamSet& params, const AttendInputs& inputs) {
  check_qkv(inputs);
  std::vector<std::string> projections;
  if (inputs.x) projections = {"W_q", "W_k", "W_v"};
  check_table_names(find_encoding(params.text("encoding")).info, inputs.tables, projections);
  const Tables tables = tables_of(inputs.tables);
  const Layout layout =
      inputs.x ? layout_of_x(params, inputs, tables) : layout_of_qkv(params, inputs);
  return runs_in_fp64(params) ? attend_in<double>(params, inputs, tables, layout)
                              : attend_in<float>(params, inputs, tables, layout);
}

}  // namespace orrery

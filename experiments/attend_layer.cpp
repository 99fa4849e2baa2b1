#include "experiments/attend_layer.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/shared_params.h"
#include "experiments/tensor_matrix.h"

namespace orrery {
namespace {

constexpr std::size_t all_rows = std::numeric_limits<std::size_t>::max();

void check_qkv(const AttendInputs& in) {
  if (in.x && (in.q || in.k || in.v))
    throw UsageError("x beside q, k or v", "says twice what attends", "give x, or q, k and v");
  if (!in.x && (!in.q || !in.k))
    throw UsageError(in.q ? "q without k" : "no q", "attention needs q and k",
                     "give q=FILE and k=FILE, or x=FILE");
}

/// first_position + N_k − N_q, …: the queries are the last of the keys.
void place(const ParamSet& params, const AttendInputs& inputs, Index n_q, Index n_k,
           AttendLayer& layout) {
  const Position first = params.integer("first_position");
  layout.n = inputs.key_positions.value_or(consecutive_positions(n_k, first));
  layout.m = inputs.query_positions.value_or(consecutive_positions(n_q, first + n_k - n_q));
}

Index rows_of(const Tensor& tensor) {
  return static_cast<Index>(tensor.shape[tensor.shape.size() - 2]);
}

int count(const ParamSet& params, const char* key) { return static_cast<int>(params.integer(key)); }

AttendLayer layout_of_qkv(const ParamSet& params, const AttendInputs& in) {
  AttendLayer layout;
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

AttendLayer layout_of_x(const ParamSet& params, const AttendInputs& in, const Tables& tables) {
  if (in.x->shape.size() != 2)
    throw DataError(shape_text(*in.x), "must be [N, d_model]", "reshape it and save it again");
  AttendLayer layout;
  layout.layer_heads = count(params, "heads");
  layout.d_model = static_cast<Index>(in.x->shape.back());
  const auto w_q = tables.find("W_q");
  layout.d_head = w_q == tables.end() ? layout.d_model : w_q->second.cols() / layout.layer_heads;
  layout.heads = w_q == tables.end() ? 1 : layout.layer_heads;
  layout.first_head = layout.heads > 1 ? 0 : count(params, "head");
  place(params, in, rows_of(*in.x), rows_of(*in.x), layout);
  return layout;
}

/// 0 where a query does not see a key.
Mask mask_of(const Tensor& given) {
  if (given.shape.size() != 2)
    throw DataError(shape_text(given), "must be [N_q, N_k]", "reshape it and save it again");
  const Matrix<double> values = head_matrix<double>(given, 0, all_rows);
  return Mask(values.unaryExpr([](double value) { return value != 0; }).eval());
}

template <class T>
Matrix<T> projection(const Tables& tables, const char* name, const AttendLayer& layout, int heads) {
  const auto found = tables.find(name);
  if (found == tables.end()) return Matrix<T>::Identity(layout.d_model, layout.d_model);
  const Matrix<double>& w = found->second;
  if (w.rows() != layout.d_model || w.cols() % heads != 0)
    throw UsageError(
        fmt::format("{} of shape [{}, {}]", name, w.rows(), w.cols()),
        fmt::format("must be [d_model, heads·d] with d_model={}, heads={}", layout.d_model, heads),
        "set heads to what the layer has");
  return w.template cast<T>();
}

/// As many as fit into W_k; without it every query head has keys of its own.
int kv_heads_of(const Tables& tables, const AttendLayer& layout) {
  const auto w_k = tables.find("W_k");
  if (w_k == tables.end() || layout.d_head == 0) return layout.heads;
  return static_cast<int>(std::max<Index>(1, w_k->second.cols() / layout.d_head));
}

template <class T>
std::vector<Matrix<T>> matrices_of(const Tensor& tensor) {
  std::vector<Matrix<T>> heads;
  for (std::size_t h = 0; h < heads_of(tensor); ++h)
    heads.push_back(head_matrix<T>(tensor, h, all_rows));
  return heads;
}

}  // namespace

AttendLayer attend_layer(const ParamSet& params, const AttendInputs& in, const Tables& tables) {
  check_qkv(in);
  return in.x ? layout_of_x(params, in, tables) : layout_of_qkv(params, in);
}

Sight sight_of(const ParamSet& params, const AttendInputs& in) {
  return {.causal = params.boolean("causal"),
          .window = params.is_used("window") ? params.integer("window") : 0,
          .mask = in.mask ? mask_of(*in.mask) : Mask()};
}

template <class T>
LayerProjections<T> projections_of(const Tables& tables, const AttendLayer& layout) {
  const int kv_heads = kv_heads_of(tables, layout);
  return {projection<T>(tables, "W_q", layout, layout.heads),
          projection<T>(tables, "W_k", layout, kv_heads),
          projection<T>(tables, "W_v", layout, kv_heads),
          {layout.heads, kv_heads}};
}

template <class T>
Matrix<T> contents_of(const AttendInputs& in) {
  return head_matrix<T>(*in.x, 0, all_rows);
}

template <class T>
LayerInputs<T> layer_of_qkv(const AttendInputs& in, const AttendLayer& layout) {
  return {matrices_of<T>(*in.q),
          matrices_of<T>(*in.k),
          matrices_of<T>(in.v ? *in.v : *in.k),
          layout.m,
          layout.n,
          layout.first_head};
}

template <class T>
std::unique_ptr<Encoding> encoding_of(const ParamSet& params, const AttendLayer& layout,
                                      Index d_head, const Tables& tables) {
  return make_encoding<T>(params.text("encoding"), {.d_model = layout.d_model,
                                                    .d_head = d_head,
                                                    .heads = layout.layer_heads,
                                                    .params = params,
                                                    .rounding = rounding_of(params),
                                                    .seed = params.integer("seed"),
                                                    .tables = &tables});
}

void check_output_projection(const Matrix<double>& W_o, Index rows) {
  if (W_o.rows() == rows) return;
  throw UsageError(fmt::format("W_o of shape [{}, {}]", W_o.rows(), W_o.cols()),
                   fmt::format("must have heads·d_v = {} rows", rows),
                   "save it from the same layer, applied from the right");
}

template LayerProjections<float> projections_of(const Tables&, const AttendLayer&);
template Matrix<float> contents_of(const AttendInputs&);
template LayerInputs<float> layer_of_qkv(const AttendInputs&, const AttendLayer&);
template std::unique_ptr<Encoding> encoding_of<float>(const ParamSet&, const AttendLayer&, Index,
                                                      const Tables&);
template LayerProjections<double> projections_of(const Tables&, const AttendLayer&);
template Matrix<double> contents_of(const AttendInputs&);
template LayerInputs<double> layer_of_qkv(const AttendInputs&, const AttendLayer&);
template std::unique_ptr<Encoding> encoding_of<double>(const ParamSet&, const AttendLayer&, Index,
                                                       const Tables&);

}  // namespace orrery

#include "experiments/studies/attend/attend_layer.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/data/sliced_tensor.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/token_inputs.h"

namespace orrery {
namespace {

Index token_rows(const Tensor& tensor) {
  return static_cast<Index>(tensor.shape[tensor.shape.size() - 2]);
}

int count(const ParamSet& params, const char* key) { return static_cast<int>(params.integer(key)); }

/// [heads, N, d] behind an optional batch axis.
struct OuterAxes {
  std::size_t batches{1};
  std::size_t heads{1};
};

OuterAxes outer_axes(const Tensor& tensor) {
  const auto& shape = tensor.shape;
  switch (shape.size()) {
    case 2:
      return {};
    case 3:
      return {1, shape[0]};
    case 4:
      return {shape[0], shape[1]};
    default:
      throw DataError(shape_text(tensor), "must be [N, d], [heads, N, d] or [batch, heads, N, d]",
                      "reshape it and save it again");
  }
}

void check_qkv(const AttendInputs& in) {
  if (in.x && (in.q || in.k || in.v))
    throw UsageError("x beside q, k or v", "gives the contents twice", "give x, or q, k and v");
  if (!in.x && (!in.q || !in.k))
    throw UsageError(in.q ? "q without k" : "no q", "attention needs q and k",
                     "give q=FILE and k=FILE, or x=FILE");
}

void check_axes(const AttendInputs& in) {
  const Tensor &in_q = in.q->described(), &in_k = in.k->described();
  const OuterAxes q = outer_axes(in_q), k = outer_axes(in_k),
                  v = in.v ? outer_axes(in.v->described()) : k;
  if (q.heads % k.heads != 0)
    throw DataError(fmt::format("{} and {}", shape_text(in_q), shape_text(in_k)),
                    "the heads of q must be a multiple of those of k",
                    "give as many heads, or groups of queries that share a key head");
  if (v.heads != k.heads)
    throw DataError(fmt::format("{} and {}", shape_text(in_k), shape_text(in.v->described())),
                    "k and v must have the same heads", "save them from the same layer");
  if (q.batches != k.batches || k.batches != v.batches)
    throw DataError(fmt::format("{} and {}", shape_text(in_q),
                                shape_text(q.batches != k.batches ? in_k : in.v->described())),
                    "q, k and v must have the same batch", "save them from the same forward pass");
}

// Positions of queries and keys when a list is missing: queries have the last of the keys'.

Positions last_of(const Positions& n, Index n_q) {
  if (static_cast<std::size_t>(n_q) > n.size())
    throw UsageError(fmt::format("{} queries and {} keys", n_q, n.size()),
                     "queries have by default the last of the keys' positions, and there are "
                     "fewer of these",
                     "give query_positions=");
  return {n.end() - n_q, n.end()};
}

/// n_k positions that end with those of the queries: the keys before them are one position apart.
Positions ending_with(const Positions& m, Index n_k) {
  const Index before = n_k - static_cast<Index>(m.size());
  if (before < 0)
    throw UsageError(fmt::format("{} queries and {} keys", m.size(), n_k),
                     "the queries would be the last of the keys, and there are fewer of these",
                     "give positions= of the keys too");
  if (before > 0 && m.front() < before)
    throw UsageError(
        fmt::format("query_positions from {} on, for {} of {} keys", m.front(), m.size(), n_k),
        "would put the keys before them at positions below 0", "give positions= of the keys too");
  Positions n = consecutive_positions(before, m.front() - before);
  n.insert(n.end(), m.begin(), m.end());
  return n;
}

void place(const ParamSet& params, const AttendInputs& in, Index n_q, Index n_k,
           AttendLayer& layout) {
  const Position first = params.integer("first_position");
  if (in.query_positions) check_positions(*in.query_positions, n_q);
  if (in.key_positions) {
    if (first != 0)
      throw UsageError(fmt::format("first_position={} beside positions", first),
                       "gives the positions of the keys twice", "give one of the two");
    check_positions(*in.key_positions, n_k);
    layout.n = *in.key_positions;
  } else if (in.query_positions && first == 0) {
    layout.n = ending_with(*in.query_positions, n_k);
  } else {
    layout.n = consecutive_positions(n_k, first);
  }
  layout.m = in.query_positions ? *in.query_positions : last_of(layout.n, n_q);
}

AttendLayer layout_of_qkv(const ParamSet& params, const AttendInputs& in) {
  check_axes(in);
  const Tensor &q = in.q->described(), &k = in.k->described();
  AttendLayer layout;
  layout.heads = static_cast<int>(outer_axes(q).heads);
  layout.kv_heads = static_cast<int>(outer_axes(k).heads);
  layout.batches = outer_axes(q).batches;
  layout.has_batch_axis = layout.has_head_axis = q.shape.size() == 4;
  layout.layer_heads = layout.heads > 1 ? layout.heads : count(params, "heads");
  layout.first_head = layout.heads > 1 ? 0 : count(params, "head");
  layout.d_head = static_cast<Index>(q.shape.back());
  layout.d_model = params.integer("d_model") > 0 ? params.integer("d_model")
                                                 : layout.layer_heads * layout.d_head;
  place(params, in, token_rows(q), token_rows(k), layout);
  return layout;
}

/// Every token is a query and a key, at one position.
void place_tokens(const ParamSet& params, const AttendInputs& in, Index tokens,
                  AttendLayer& layout) {
  place(params, in, tokens, tokens, layout);
  if (layout.m != layout.n)
    throw UsageError("query_positions other than positions, or than first_position",
                     "would put a token of x at two positions", "give one of them");
}

AttendLayer layout_of_x(const ParamSet& params, const AttendInputs& in, const Tables& tables) {
  if (in.x->shape.size() != 2 && in.x->shape.size() != 3)
    throw DataError(shape_text(*in.x), "must be [N, d_model] or [batch, N, d_model]",
                    "reshape it and save it again");
  AttendLayer layout;
  layout.has_batch_axis = in.x->shape.size() == 3;
  layout.batches = layout.has_batch_axis ? in.x->shape.front() : 1;
  layout.layer_heads = count(params, "heads");
  layout.d_model = static_cast<Index>(in.x->shape.back());
  const auto w_q = tables.find("W_q");
  layout.d_head = w_q == tables.end() ? layout.d_model : w_q->second.cols() / layout.layer_heads;
  layout.heads = w_q == tables.end() ? 1 : layout.layer_heads;
  layout.first_head = layout.heads > 1 ? 0 : count(params, "head");
  place_tokens(params, in, token_rows(*in.x), layout);
  return layout;
}

std::int32_t segment_id(double value, const Tensor& segments) {
  if (value == std::floor(value) && std::abs(value) <= std::numeric_limits<std::int32_t>::max())
    return static_cast<std::int32_t>(value);
  throw DataError(fmt::format("segments {} with value {}", segments.name, value),
                  "must hold whole numbers", "give the id of each token's segment: 0, 1, …");
}

/// [N_k] of each batch entry, or once for all.
std::vector<std::vector<std::int32_t>> segment_ids(const Tensor& segments,
                                                   const AttendLayer& layout) {
  const std::size_t keys = layout.n.size();
  const std::size_t rows = segments.values.size() / keys;
  const bool fits = segments.shape.back() == keys && segments.shape.size() <= 2 &&
                    (rows == 1 || rows == layout.batches);
  if (!fits)
    throw DataError(
        fmt::format("segments {}", shape_text(segments)),
        fmt::format("must be [N_k] or [batch, N_k] with batch={}, N_k={}", layout.batches, keys),
        "give one id per key; queries are the last of the keys");
  if (layout.m.size() > keys)
    throw UsageError(fmt::format("segments of {} keys for {} queries", keys, layout.m.size()),
                     "the queries would be the last of the keys, and there are fewer of these",
                     "give no segments");
  std::vector<std::vector<std::int32_t>> ids(rows);
  for (std::size_t i = 0; i < segments.values.size(); ++i)
    ids[i / keys].push_back(segment_id(segments.values[i], segments));
  return ids;
}

Matrices matrices_of(const Inputs& inputs, const char* key) {
  const auto found = inputs.find(key);
  return found == inputs.end() ? nullptr : std::get<Matrices>(found->second);
}

Matrices drawn_matrices(const ParamSet& params, const char* key) {
  const Index rows = params.integer("tokens"), d = params.integer("dim");
  Random random(params.integer("seed"), fmt::format("{} of attend", key));
  const Matrix<double> drawn = normal_matrix<double>(random, rows, d);
  return std::make_shared<const SlicedTensor>(
      Tensor{.name = key,
             .shape = {static_cast<std::size_t>(rows), static_cast<std::size_t>(d)},
             .values = {drawn.data(), drawn.data() + drawn.size()}});
}

}  // namespace

AttendInputs attend_inputs(const ParamSet& params, const Inputs& inputs) {
  AttendInputs in{.q = matrices_of(inputs, "q"),
                  .k = matrices_of(inputs, "k"),
                  .v = matrices_of(inputs, "v"),
                  .x = tensor_of(inputs, "x"),
                  .mask = tensor_of(inputs, "mask"),
                  .padding = tensor_of(inputs, "padding"),
                  .segments = tensor_of(inputs, "segments"),
                  .query_positions = given_positions(inputs, "query_positions"),
                  .key_positions = given_positions(inputs, "positions")};
  if (in.q || in.k || in.v || in.x) return in;
  in.q = drawn_matrices(params, "q");
  in.k = drawn_matrices(params, "k");
  in.v = drawn_matrices(params, "v");
  return in;
}

AttendLayer attend_layer(const ParamSet& params, const AttendInputs& in, const Tables& tables) {
  check_qkv(in);
  AttendLayer layout = in.x ? layout_of_x(params, in, tables) : layout_of_qkv(params, in);
  if (in.segments) layout.segments = segment_ids(*in.segments, layout);
  return layout;
}

SegmentsIn segments_of(const AttendLayer& layout, std::size_t batch) {
  if (layout.segments.empty()) return {};
  const std::span<const std::int32_t> keys =
      layout.segments.size() > 1 ? layout.segments[batch] : layout.segments.front();
  return {keys.last(layout.m.size()), keys};
}

template <class T>
LayerSource<T> source_of_qkv(const AttendInputs& in, const AttendLayer& layout, std::size_t batch) {
  const auto heads_of = [batch](const Matrices& array, int heads) {
    return [array, first = batch * static_cast<std::size_t>(heads)](int head) {
      return matrix_in<T>(array->matrix(first + static_cast<std::size_t>(head)), 0);
    };
  };
  return {HeadGroups(layout.heads, layout.kv_heads),
          heads_of(in.q, layout.heads),
          heads_of(in.k, layout.kv_heads),
          heads_of(in.v ? in.v : in.k, layout.kv_heads),
          layout.m,
          layout.n,
          layout.first_head,
          segments_of(layout, batch)};
}

template <class T>
LayerInputs<T> layer_of_qkv(const AttendInputs& in, const AttendLayer& layout, std::size_t batch) {
  const LayerSource<T> source = source_of_qkv<T>(in, layout, batch);
  LayerInputs<T> layer{{}, {}, {}, source.m, source.n, source.first_head, source.segments};
  for (int head = 0; head < layout.heads; ++head) layer.q.push_back(source.q(head));
  for (int head = 0; head < layout.kv_heads; ++head) layer.k.push_back(source.k(head));
  for (int head = 0; head < layout.kv_heads; ++head) layer.v.push_back(source.v(head));
  return layer;
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

template LayerSource<float> source_of_qkv(const AttendInputs&, const AttendLayer&, std::size_t);
template LayerInputs<float> layer_of_qkv(const AttendInputs&, const AttendLayer&, std::size_t);
template std::unique_ptr<Encoding> encoding_of<float>(const ParamSet&, const AttendLayer&, Index,
                                                      const Tables&);
template LayerSource<double> source_of_qkv(const AttendInputs&, const AttendLayer&, std::size_t);
template LayerInputs<double> layer_of_qkv(const AttendInputs&, const AttendLayer&, std::size_t);
template std::unique_ptr<Encoding> encoding_of<double>(const ParamSet&, const AttendLayer&, Index,
                                                       const Tables&);

}  // namespace orrery

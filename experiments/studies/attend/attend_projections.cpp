#include "experiments/studies/attend/attend_projections.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/identify/seen_mask.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_summary.h"

namespace orrery {
namespace {

using Shape = std::vector<std::size_t>;

bool is_flag(double value) { return value == 0 || value == 1; }

template <class Is>
std::size_t count(const Tensor& tensor, const Is& is) {
  return static_cast<std::size_t>(std::ranges::count_if(tensor.values, is));
}

/// "0, 2, 7": the first different values, at most four, in ascending order.
std::string values_text(const Tensor& mask) {
  constexpr std::size_t most = 4;
  std::vector<double> values = mask.values;
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(most, values.size()); ++i)
    text += (i > 0 ? ", " : "") + number_text(values[i]);
  return values.size() > most ? text + ", …" : text;
}

/// The kind that follows from the values. Only 0 and 1, with a 1 among them, is boolean: 1 is
/// visible. Nothing above 0, with something below, is additive.
std::string kind_of_values(const Tensor& mask) {
  const auto& values = mask.values;
  if (is_boolean_mask(values)) return "boolean";
  const bool none_above = std::ranges::all_of(values, [](double v) { return v <= 0; });
  const bool only_zero = std::ranges::all_of(values, [](double v) { return v == 0; });
  if (none_above && !only_zero) return "additive";
  throw UsageError(
      fmt::format("mask {} with values {}", mask.name, values_text(mask)),
      only_zero ? "hides every key if it is boolean and none if it is additive"
                : "is neither only 0 and 1 nor additive with nothing above 0",
      only_zero ? "choose mask_kind=boolean or mask_kind=additive"
                : "save it as bool, or set mask_kind=additive to add these values to the logits");
}

void require_flags(const Tensor& tensor, const std::string& what, const std::string& remedy) {
  if (std::ranges::all_of(tensor.values, is_flag)) return;
  throw DataError(fmt::format("{} {} with values {}", what, tensor.name, values_text(tensor)),
                  "must hold only 0 and 1", remedy);
}

std::string read_kind(const ParamSet& params, const Tensor& mask) {
  const std::string& wanted = params.text("mask_kind");
  if (wanted == "auto") return kind_of_values(mask);
  if (wanted == "boolean")
    require_flags(mask, "mask", "save it as bool, or set mask_kind=additive");
  return wanted;
}

std::string mask_note(const Tensor& mask, const std::string& kind) {
  if (kind == "boolean")
    return fmt::format("mask: boolean, 1 where a query sees a key; of {} values {} hide a key",
                       mask.values.size(), count(mask, [](double v) { return v == 0; }));
  const std::size_t hidden = count(mask, Mask::hides);
  const std::size_t zero = count(mask, [](double v) { return v == 0; });
  return fmt::format(
      "mask: additive, 0 where a query sees a key; of {} values {} hide a key and {} are added to "
      "a logit",
      mask.values.size(), hidden, mask.values.size() - hidden - zero);
}

/// With axes of 1 in front, up to `rank` of them.
Shape with_leading_ones(Shape shape, std::size_t rank) {
  shape.insert(shape.begin(), rank - std::min<std::size_t>(rank, shape.size()), 1);
  return shape;
}

bool spreads_to(const Shape& shape, const Shape& whole) {
  if (shape.size() != whole.size()) return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != 1 && shape[axis] != whole[axis]) return false;
  return true;
}

}  // namespace

std::vector<ParamSpec> mask_params() {
  ParamSpec mask = array_file_param(
      "mask",
      "Which keys each query sees, $[N_q, N_k]$, $[H, N_q, N_k]$ or $[B, H, N_q, N_k]$, an "
      "axis of 1 for all: 1 where it sees the key, or additive with 0 where it does.");
  mask.used_when = Condition{"kernel", {"softmax"}};
  mask.may_hide = true;
  ParamSpec kind = stated_if_set(read_while(
      "kernel", {"softmax"},
      choice_param(
          "mask_kind", "How the values of mask are read; auto decides by the values, or refuses.",
          "auto",
          {{"auto", "boolean if only 0 and 1, with a 1; additive if none above 0, one below"},
           {"boolean", "1 where a query sees a key, 0 where it does not"},
           {"additive",
            "added to the logits; -inf and the lowest number of fp16, bf16, fp32 or fp64 "
            "hide the key"}})));
  ParamSpec padding = array_file_param(
      "padding",
      "Which keys are tokens, $[N_k]$ or $[B, N_k]$: 1 for a token and 0 for padding, as the "
      "attention_mask of Transformers; key_padding_mask of PyTorch is its opposite.");
  return {std::move(mask), std::move(kind), std::move(padding)};
}

UserMask::UserMask(const ParamSet& params, const AttendInputs& in, const AttendLayer& layout)
    : in_(in), layout_(layout) {
  common_.causal = params.boolean("causal");
  common_.window = params.is_used("window") ? params.integer("window") : 0;
  if (in.mask) read_mask(params);
  if (!in.mask && params.text("mask_kind") != "auto")
    throw UsageError(fmt::format("mask_kind={}", params.text("mask_kind")),
                     "is read beside a mask only", "give mask=FILE, or leave mask_kind out");
  if (in.padding) read_padding();
}

void UserMask::read_mask(const ParamSet& params) {
  const Tensor& mask = *in_.mask;
  const Shape whole{layout_.batches, static_cast<std::size_t>(layout_.heads), layout_.m.size(),
                    layout_.n.size()};
  mask_shape_ = with_leading_ones(mask.shape, whole.size());
  if (mask.shape.size() < 2 || !spreads_to(mask_shape_, whole))
    throw DataError(
        fmt::format("mask {}", shape_text(mask)),
        fmt::format("must be [N_q, N_k], [heads, N_q, N_k] or [batch, heads, N_q, N_k] with "
                    "batch={}, heads={}, N_q={}, N_k={}, each or 1",
                    whole[0], whole[1], whole[2], whole[3]),
        "reshape it and save it again; flags of keys alone go to padding=FILE");
  kind_ = read_kind(params, mask);
  notes_.push_back(mask_note(mask, kind_));
}

void UserMask::read_padding() {
  const Tensor& padding = *in_.padding;
  const Shape shape = with_leading_ones(padding.shape, 2);
  if (!spreads_to(shape, {layout_.batches, layout_.n.size()}) || shape[1] != layout_.n.size())
    throw DataError(fmt::format("padding {}", shape_text(padding)),
                    fmt::format("must be [N_k] or [batch, N_k] with batch={}, N_k={}",
                                layout_.batches, layout_.n.size()),
                    "give one flag per key");
  require_flags(padding, "padding", "save 1 for a token and 0 for padding");
  notes_.push_back(fmt::format("padding: 0 for padding; of {} keys {} are padding",
                               padding.values.size(),
                               count(padding, [](double v) { return v == 0; })));
}

Mask UserMask::mask_of(std::size_t batch, std::size_t head) const {
  const auto along = [&](std::size_t axis, std::size_t i) {
    return mask_shape_[axis] == 1 ? 0 : i;
  };
  const std::size_t front = along(0, batch) * mask_shape_[1] + along(1, head);
  Matrix<double> values(static_cast<Index>(layout_.m.size()), static_cast<Index>(layout_.n.size()));
  for (Index i = 0; i < values.rows(); ++i)
    for (Index j = 0; j < values.cols(); ++j) {
      const std::size_t row = front * mask_shape_[2] + along(2, static_cast<std::size_t>(i));
      values(i, j) = in_.mask->values[row * mask_shape_[3] + along(3, static_cast<std::size_t>(j))];
    }
  if (kind_ == "additive") return Mask::additive(std::move(values));
  return Mask(values.unaryExpr([](double value) { return value != 0; }).eval());
}

MaskSpec UserMask::of_batch(std::size_t batch) const {
  MaskSpec spec = common_;
  if (in_.mask && mask_shape_[1] == 1) spec.mask = mask_of(batch, 0);
  if (in_.mask && mask_shape_[1] > 1)
    for (int head = 0; head < layout_.heads; ++head)
      spec.head_masks.push_back(mask_of(batch, static_cast<std::size_t>(head)));
  if (in_.padding) {
    const std::size_t keys = layout_.n.size();
    const std::size_t start = in_.padding->values.size() > keys ? batch * keys : 0;
    for (std::size_t key = 0; key < keys; ++key)
      spec.key_is_real.push_back(in_.padding->values[start + key] != 0);
  }
  return spec;
}

namespace {

/// The matrices that weights= describes, of which the encoding of the parameters may have some of
/// its own.
std::vector<std::string> matrix_names(const ParamSet& params) {
  std::vector<std::string> names{"W_q", "W_k", "W_v", "W_o"};
  for (const TableSpec& table : find_encoding(params.text("encoding")).info.tables)
    if (table.shape == projection_shape) names.push_back(table.name);
  return names;
}

bool is_torch_linear(const ParamSet& params) { return params.text("weights") == "torch_linear"; }

/// "W_q of shape [8, 4] with weights=torch_linear": as it was given.
std::string shape_text_of(const ParamSet& params, const char* name, const Matrix<double>& w) {
  const bool transposed = is_torch_linear(params);
  return fmt::format("{} of shape [{}, {}] with weights={}", name, transposed ? w.cols() : w.rows(),
                     transposed ? w.rows() : w.cols(), params.text("weights"));
}

/// @param inputs   the channels that w takes, and what they are called
/// @param outputs  what its other dimension is called
[[noreturn]] void refuse_matrix(const ParamSet& params, const char* name, const Matrix<double>& w,
                                const std::string& inputs, const std::string& outputs,
                                const std::string& numbers, bool other_way_fits) {
  const bool transposed = is_torch_linear(params);
  throw UsageError(shape_text_of(params, name, w),
                   fmt::format("must be [{}, {}] with {}", transposed ? outputs : inputs,
                               transposed ? inputs : outputs, numbers),
                   other_way_fits
                       ? fmt::format("it fits weights={}", transposed ? "x_W" : "torch_linear")
                       : std::string("set heads to what the layer has, or save the layer's own"));
}

template <class T>
Matrix<T> projection(const ParamSet& params, const Tables& tables, const char* name,
                     const AttendLayer& layout, int heads) {
  const auto found = tables.find(name);
  if (found == tables.end()) return Matrix<T>::Identity(layout.d_model, layout.d_model);
  const Matrix<double>& w = found->second;
  if (w.rows() != layout.d_model || w.cols() % heads != 0)
    refuse_matrix(params, name, w, "d_model", "heads·d",
                  fmt::format("d_model={}, heads={}", layout.d_model, heads),
                  w.cols() == layout.d_model && w.rows() % heads == 0);
  return w.template cast<T>();
}

/// As many as fit into W_k; without it every query head has keys of its own.
int kv_heads_of(const ParamSet& params, const Tables& tables, const AttendLayer& layout) {
  const auto found = tables.find("W_k");
  if (found == tables.end() || layout.d_head == 0) return layout.heads;
  const Matrix<double>& w = found->second;
  if (w.rows() != layout.d_model || w.cols() % layout.d_head != 0)
    refuse_matrix(params, "W_k", w, "d_model", "kv_heads·d",
                  fmt::format("d_model={}, d={}", layout.d_model, layout.d_head),
                  w.cols() == layout.d_model && w.rows() % layout.d_head == 0);
  return static_cast<int>(w.cols() / layout.d_head);
}

/// One row of `width` numbers, or empty when it is not given.
template <class T>
Matrix<T> bias(const Tables& tables, const char* name, Index width) {
  const auto found = tables.find(name);
  if (found == tables.end()) return {};
  if (found->second.rows() != 1 || found->second.cols() != width)
    throw UsageError(
        fmt::format("{} of shape [{}, {}]", name, found->second.rows(), found->second.cols()),
        fmt::format("must be [{}], one number per channel that its W gives", width),
        "save it from the same layer");
  return found->second.template cast<T>();
}

}  // namespace

ParamSpec weights_param() {
  return stated_if_set(choice_param(
      "weights",
      "How $W_q$, $W_k$, $W_v$, $W_o$ and projections of the encoding are stored; to be said "
      "where any of them is given.",
      "unstated",
      {{"unstated", "no projection is given"},
       {"x_W", "applied as $x·W$: [d_model, heads·d]"},
       {"torch_linear",
        "applied as $x·W^T$, [heads·d, d_model], as torch.nn.Linear "
        "stores its weight"}}));
}

std::vector<ParamSpec> projection_params() {
  std::vector<ParamSpec> specs;
  for (const char* of : {"q", "k", "v", "o"}) {
    const bool output = std::string_view(of) == "o";
    const auto add = [&](const char* letter, const char* shape) {
      const std::string name = fmt::format("{}_{}", letter, of);
      ParamSpec spec = table_param(
          name,
          fmt::format("{} {}", shape,
                      output ? "Acts on the heads' outputs side by side." : "Acts on contents x."));
      specs.push_back(output ? spec : read_while("x", {"*"}, std::move(spec)));
    };
    add("W", output ? "$[H d_v, d]$" : "[d_model, heads·d_head]");
    add("b", output ? "[d_model]" : "[heads·d_head]");
  }
  return specs;
}

Tables applied_from_the_right(const ParamSet& params, Tables tables) {
  bool any = false;
  for (const std::string& name : matrix_names(params)) {
    const auto found = tables.find(name);
    if (found == tables.end()) continue;
    any = true;
    if (params.text("weights") == "unstated")
      throw UsageError(
          fmt::format("{} of shape [{}, {}] without weights=", name, found->second.rows(),
                      found->second.cols()),
          "can be applied as x·W or as x·Wᵀ",
          "set weights=torch_linear for the weight of a torch.nn.Linear, [heads·d, d_model], or "
          "weights=x_W for [d_model, heads·d]");
    if (is_torch_linear(params)) found->second = found->second.transpose().eval();
  }
  if (!any && params.text("weights") != "unstated")
    throw UsageError(fmt::format("weights={}", params.text("weights")),
                     "is read beside a projection only",
                     fmt::format("give {}=FILE, or leave weights out",
                                 fmt::join(matrix_names(params), "=FILE or ")));
  if (tables.count("b_o") > 0 && tables.count("W_o") == 0)
    throw UsageError("b_o without W_o", "is added to the output projection", "give W_o=FILE too");
  return tables;
}

template <class T>
std::optional<LayerProjections<T>> projections_of(const ParamSet& params, const AttendInputs& in,
                                                  const Tables& tables, const AttendLayer& layout) {
  if (!in.x) return std::nullopt;
  Matrix<T> w_q = projection<T>(params, tables, "W_q", layout, layout.heads);
  const int kv_heads = kv_heads_of(params, tables, layout);
  LayerProjections<T> w{std::move(w_q),
                        projection<T>(params, tables, "W_k", layout, kv_heads),
                        projection<T>(params, tables, "W_v", layout, kv_heads),
                        {layout.heads, kv_heads}};
  w.b_q = bias<T>(tables, "b_q", w.W_q.cols());
  w.b_k = bias<T>(tables, "b_k", w.W_k.cols());
  w.b_v = bias<T>(tables, "b_v", w.W_v.cols());
  return w;
}

template <class T>
Index output_channels(const ParamSet& params, const Tables& tables, Index width) {
  const Matrix<double>& w = tables.at("W_o");
  if (w.rows() != width)
    refuse_matrix(params, "W_o", w, "heads·d_v", "d_model", fmt::format("heads·d_v={}", width),
                  w.cols() == width);
  static_cast<void>(output_bias<T>(tables, w.cols()));
  return w.cols();
}

template <class T>
Matrix<T> output_bias(const Tables& tables, Index channels) {
  return bias<T>(tables, "b_o", channels);
}

template std::optional<LayerProjections<float>> projections_of(const ParamSet&, const AttendInputs&,
                                                               const Tables&, const AttendLayer&);
template std::optional<LayerProjections<double>> projections_of(const ParamSet&,
                                                                const AttendInputs&, const Tables&,
                                                                const AttendLayer&);
template Index output_channels<float>(const ParamSet&, const Tables&, Index);
template Index output_channels<double>(const ParamSet&, const Tables&, Index);
template Matrix<float> output_bias(const Tables&, Index);
template Matrix<double> output_bias(const Tables&, Index);

}  // namespace orrery

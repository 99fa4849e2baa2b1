#include "experiments/studies/attend/attend_mask.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.h"
#include "experiments/identify/seen_mask.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"

namespace orrery {
namespace {

using Shape = std::vector<std::size_t>;

bool is_flag(double value) { return value == 0 || value == 1; }

template <class Is>
std::size_t count(const Tensor& tensor, const Is& is) {
  return static_cast<std::size_t>(std::count_if(tensor.values.begin(), tensor.values.end(), is));
}

/// "0, 2, 7": the first different values, at most four, in ascending order.
std::string values_text(const Tensor& mask) {
  constexpr std::size_t most = 4;
  std::vector<double> values = mask.values;
  std::sort(values.begin(), values.end());
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
  const bool none_above =
      std::all_of(values.begin(), values.end(), [](double v) { return v <= 0; });
  const bool only_zero = std::all_of(values.begin(), values.end(), [](double v) { return v == 0; });
  if (none_above && !only_zero) return "additive";
  throw UsageError(
      fmt::format("mask {} with values {}", mask.name, values_text(mask)),
      only_zero ? "hides every key if it is boolean and none if it is additive"
                : "is neither only 0 and 1 nor additive with nothing above 0",
      only_zero ? "choose mask_kind=boolean or mask_kind=additive"
                : "save it as bool, or set mask_kind=additive to add these values to the logits");
}

void require_flags(const Tensor& tensor, const std::string& what, const std::string& remedy) {
  if (std::all_of(tensor.values.begin(), tensor.values.end(), is_flag)) return;
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

}  // namespace orrery

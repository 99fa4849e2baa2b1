#include "experiments/identify/identify_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "experiments/identify/identify_matrix.h"
#include "experiments/identify/structures.h"

namespace orrery {

namespace {
namespace in_identify_tensors {

/// Heads and rows of a tensor of 2 to 4 dimensions.
struct Shape {
  Index heads, rows, channels;
};

Shape shape_of(const Tensor& tensor, bool tokens_first) {
  const std::vector<std::size_t>& shape = tensor.shape;
  if (shape.size() < 2 || shape.size() > 4)
    throw DataError(fmt::format("{} {}", tensor.name, shape_words(tensor)),
                    "must be [N, d], [H, N, d] or [B, H, N, d]", "save q of one layer");
  const auto size = [&](std::size_t from_end) {
    return static_cast<Index>(shape[shape.size() - 1 - from_end]);
  };
  Index heads = 1;
  for (std::size_t i = 3; i <= shape.size(); ++i) heads *= size(i - 1);
  if (tokens_first && shape.size() > 2) return {heads / size(2) * size(1), size(2), size(0)};
  return {heads, size(1), size(0)};
}

/// Sequences of a batch: the first axis, where it is not that of the tokens. Of [H, N, d] it may be
/// heads, which no program pads differently.
Index sequences_of(const Tensor& tensor, bool tokens_first) {
  const std::size_t axes = tensor.shape.size();
  return axes == 4 || (axes == 3 && !tokens_first) ? static_cast<Index>(tensor.shape[0]) : 1;
}

/// [B, N, H, d] as [B·H·N, d].
Matrix<double> heads_first(const Tensor& tensor, const Shape& shape) {
  const Index inner =
      tensor.shape.size() > 2 ? static_cast<Index>(tensor.shape[tensor.shape.size() - 2]) : 1;
  const Index batches = shape.heads / inner;
  Matrix<double> out(shape.heads * shape.rows, shape.channels);
  for (Index b = 0; b < batches; ++b)
    for (Index n = 0; n < shape.rows; ++n)
      for (Index h = 0; h < inner; ++h) {
        const double* from =
            tensor.values.data() + ((b * shape.rows + n) * inner + h) * shape.channels;
        std::copy(from, from + shape.channels, out.row((b * inner + h) * shape.rows + n).data());
      }
  return out;
}

TensorReport identify_heads(const Tensor& before, const Tensor& after,
                            const IdentifyOptions& options) {
  const Shape shape = shape_of(before, options.tokens_first);
  const Index sequences = sequences_of(before, options.tokens_first);
  if (options.tokens_first) {
    const Matrix<double> x = heads_first(before, shape), y = heads_first(after, shape);
    return identify_matrix(x, y, shape.heads, options, {}, sequences);
  }
  using In = Eigen::Map<const Matrix<double>>;
  return identify_matrix(In(before.values.data(), shape.heads * shape.rows, shape.channels),
                         In(after.values.data(), shape.heads * shape.rows, shape.channels),
                         shape.heads, options, {}, sequences);
}

/// [N, H·d] as [N, H, d], and with a batch before it.
Tensor with_heads(Tensor tensor, Index d) {
  const auto channels = static_cast<std::size_t>(d);
  const std::size_t heads = tensor.shape.back() / channels;
  tensor.shape.back() = heads;
  tensor.shape.push_back(channels);
  return tensor;
}

/// How pairs of heads of d channels turn, of a few rows, and whether they keep their length and turn
/// alike in all heads: a few of them might be the same part of wider ones.
PairPhasors turns_of_heads(const Tensor& before, const Tensor& after, Index d,
                           const IdentifyOptions& options) {
  constexpr Index heads = 64;
  const Tensor x = with_heads(before, d), y = with_heads(after, d);
  const Shape shape = shape_of(x, true);
  const Matrix<double> from = heads_first(x, shape), to = heads_first(y, shape);
  const Precision format =
      options.format.empty() ? narrowest_format(to) : precision_named(options.format);
  const RotatedTensor tensor{.heads = shape.heads,
                             .before = from,
                             .after = to,
                             .positions = AxisPositions::Zero(shape.rows, 1),
                             .format = format};
  return likely_structures(sample_of(tensor, shape.rows, heads)).front().phasors;
}

/// [rows, C] of [N, C] or of the first of [B, N, C].
Tensor first_rows(const Tensor& tensor, std::size_t most) {
  const std::size_t channels = tensor.shape.back();
  const std::size_t rows = std::min<std::size_t>(most, tensor.shape[tensor.shape.size() - 2]);
  const auto end = tensor.values.begin() + static_cast<std::ptrdiff_t>(rows * channels);
  return {.name = tensor.name, .shape = {rows, channels}, .values = {tensor.values.begin(), end}};
}

/// Channels of a head where heads lie side by side, [N, H·d] or [B, N, H·d]: as the layer has them,
/// or the fewest at which all heads turn alike; 0 where they do not lie so.
Index joined_heads(const Tensor& before, const Tensor& after, const IdentifyOptions& options) {
  constexpr Index fewest = 16, most = 256;
  const std::size_t axes = before.shape.size();
  const bool may_join = axes == 2 || (axes == 3 && !options.tokens_first);
  if (!may_join || before.values.empty()) return 0;
  const auto channels = static_cast<Index>(before.shape.back());
  if (options.expected && options.expected->rope.d_head > 0) {
    const RopeConvention& rope = options.expected->rope;
    const bool joined = channels > rope.d_head && channels % rope.d_head == 0;
    return joined ? rope.d_head : 0;
  }
  constexpr double alike = 16, still = 0.9;
  constexpr std::size_t rows = 12;
  const Tensor from = first_rows(before, rows), to = first_rows(after, rows);
  for (Index d = fewest; d <= std::min<Index>(most, channels / 2); d += 2) {
    if (channels % d != 0) continue;
    const PairPhasors phasors = turns_of_heads(from, to, d, options);
    if (phasors.misfit < alike && phasors.turns.real().minCoeff() < still) return d;
  }
  return 0;
}

}  // namespace in_identify_tensors
}  // namespace

TensorReport identify_tensors(const std::string& name, const Tensor& before, const Tensor& after,
                              const IdentifyOptions& options) {
  using namespace in_identify_tensors;
  if (before.shape != after.shape)
    throw DataError(fmt::format("{} and {}", shape_words(before), shape_words(after)),
                    "the tensors before and after must have the same shape",
                    "save the same heads and tokens");
  const Index joined = joined_heads(before, after, options);
  TensorReport report;
  if (joined > 0) {
    IdentifyOptions apart = options;
    apart.tokens_first = true;
    report = identify_heads(with_heads(before, joined), with_heads(after, joined), apart);
    report.notes.push_back(fmt::format("heads of {} channels lie side by side", joined));
  } else {
    report = identify_heads(before, after, options);
  }
  report.name = name;
  report.shape = shape_words(before);
  return report;
}

}  // namespace orrery

#include "experiments/checkpoints/decode_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "core/errors.h"
#include "core/parallel.h"

namespace orrery {
namespace {

// Work that a thread takes at a time: some 10 µs, so that taking it costs nothing.
constexpr Index numbers_at_a_time = Index{1} << 16;

StoredType decoded_type(const StoredTensor& tensor, std::string_view name) {
  if (!tensor.type)
    throw DataError(name, fmt::format("has type {}, which is not decoded", tensor.type_name),
                    "save the weights as F32, F16 or BF16, or as a GGUF of Q8_0");
  return *tensor.type;
}

/// The bits of a number that are all 1 in a NaN or an infinity alone.
constexpr std::uint32_t exponent_of(float) { return 0x7F800000; }
constexpr std::uint64_t exponent_of(double) { return 0x7FF0000000000000; }

/// Without branches, for loops.
template <class T>
bool all_finite(const T* x, Index count) {
  constexpr auto exponent = exponent_of(T{});
  using Bits = std::remove_const_t<decltype(exponent)>;
  Bits bad = 0;
  for (Index i = 0; i < count; ++i)
    bad |= (std::bit_cast<Bits>(x[i]) & exponent) == exponent ? Bits{1} : Bits{0};
  return bad == 0;
}

/// "[1, 0]": the index in the tensor of its `linear`-th number.
std::string index_of(std::uint64_t linear, const std::vector<std::uint64_t>& shape) {
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0; linear /= shape[d]) index[d] = linear % shape[d];
  return fmt::format("[{}]", fmt::join(index, ", "));
}

const char* kind_of_value(double value) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "inf" : "-inf";
}

/// Decodes one row after another of a tensor.
template <class T>
class RowDecoder {
 public:
  RowDecoder(const StoredTensor& tensor, std::string_view name)
      : tensor_(tensor),
        name_(name),
        type_(decoded_type(tensor, name)),
        columns_(matrix_size(tensor).columns),
        blocks_(static_cast<std::size_t>(columns_) / gguf_block(type_).numbers) {}

  void decode(Index row, T* out) {
    const std::size_t row_bytes = blocks_ * gguf_block(type_).bytes;
    numbers_of(tensor_.data.data() + static_cast<std::size_t>(row) * row_bytes, out);
    if (!all_finite(out, columns_)) refuse(row, out);
  }

 private:
  void numbers_of(const char* bytes, float* out) { decode_gguf_blocks(type_, bytes, blocks_, out); }

  void numbers_of(const char* bytes, double* out) {
    if (type_ == StoredType::f64) {
      std::memcpy(out, bytes, static_cast<std::size_t>(columns_) * sizeof(double));
      return;
    }
    floats_.resize(static_cast<std::size_t>(columns_));
    decode_gguf_blocks(type_, bytes, blocks_, floats_.data());
    std::copy(floats_.begin(), floats_.end(), out);
  }

  [[noreturn]] void refuse(Index row, const T* numbers) const {
    const T* const bad =
        std::find_if(numbers, numbers + columns_, [](T x) { return !std::isfinite(x); });
    const auto at = static_cast<std::uint64_t>(row * columns_ + (bad - numbers));
    throw DataError(
        name_,
        fmt::format("holds {} at {}: every weight must be finite",
                    kind_of_value(static_cast<double>(*bad)), index_of(at, tensor_.shape)),
        "download the file again; if it is so there, the model is damaged");
  }

  const StoredTensor& tensor_;
  std::string_view name_;
  StoredType type_;
  Index columns_;
  std::size_t blocks_;
  std::vector<float> floats_{};
};

/// The matrix whose rows are those of the first dimension.
template <class T>
Matrix<T> whole(const PlacedTensor& placed, int threads) {
  const MatrixSize size = matrix_size(*placed.tensor);
  const Index rows =
      placed.tensor->shape.size() < 2 ? 1 : static_cast<Index>(placed.tensor->shape.front());
  Matrix<T> out(rows, rows == 0 ? 0 : size.rows * size.columns / rows);
  if (out.size() == 0) return out;
  Eigen::Map<Matrix<T>> as_stored(out.data(), size.rows, size.columns);
  decode_rows<T>(*placed.tensor, placed.name, 0, as_stored, threads);
  return out;
}

template <class T>
Matrix<T> columns_of(const Matrix<T>& all, const std::vector<PlacedLinear::Rows>& ranges,
                     Index count) {
  Matrix<T> out(all.rows(), count);
  Index at = 0;
  for (const PlacedLinear::Rows& range : ranges) {
    out.middleCols(at, range.count) = all.middleCols(range.first, range.count);
    at += range.count;
  }
  return out;
}

template <class T>
Matrix<T> weights(const PlacedLinear& placed, int threads) {
  if (placed.transposed) {
    Matrix<T> all = whole<T>(placed.W, threads);
    if (!placed.outputs.empty()) all = columns_of(all, placed.outputs, placed.out);
    return all.transpose();
  }
  if (placed.outputs.empty()) return whole<T>(placed.W, threads);
  Matrix<T> out(placed.out, placed.in);
  Index at = 0;
  for (const PlacedLinear::Rows& range : placed.outputs) {
    decode_rows<T>(*placed.W.tensor, placed.W.name, range.first, out.middleRows(at, range.count),
                   threads);
    at += range.count;
  }
  return out;
}

}  // namespace

MatrixSize matrix_size(const StoredTensor& tensor) {
  MatrixSize size{.rows = 1, .columns = 1};
  if (tensor.shape.empty()) return size;
  for (std::size_t d = 0; d + 1 < tensor.shape.size(); ++d)
    size.rows *= static_cast<Index>(tensor.shape[d]);
  size.columns = static_cast<Index>(tensor.shape.back());
  return size;
}

template <class T>
void decode_rows(const StoredTensor& tensor, std::string_view name, Index first, MatrixOut<T> out,
                 int threads) {
  const MatrixSize size = matrix_size(tensor);
  check_invariant(out.cols() == size.columns && first >= 0 && out.rows() <= size.rows &&
                      first <= size.rows - out.rows(),
                  "rows that are decoded are rows of the tensor");
  decoded_type(tensor, name);
  if (out.size() == 0) return;
  const Index at_a_time = std::max<Index>(1, numbers_at_a_time / size.columns);
  const Index parts = (out.rows() + at_a_time - 1) / at_a_time;
  in_parallel(parts, threads, [&]() -> std::function<void(std::ptrdiff_t)> {
    return [&, decoder = RowDecoder<T>(tensor, name)](std::ptrdiff_t part) mutable {
      const Index end = std::min<Index>(out.rows(), (part + 1) * at_a_time);
      for (Index row = part * at_a_time; row < end; ++row)
        decoder.decode(first + row, out.row(row).data());
    };
  });
}

template <class T>
Matrix<T> decoded(const PlacedTensor& placed, int threads) {
  return placed ? whole<T>(placed, threads) : Matrix<T>{};
}

template <class T>
LinearWeights<T> decoded(const PlacedLinear& placed, int threads) {
  if (!placed.W) return {};
  LinearWeights<T> linear{.W = weights<T>(placed, threads)};
  if (!placed.b || !placed.adds_b) return linear;
  linear.b = decoded<T>(placed.b);
  const std::vector<PlacedLinear::Rows>& own =
      placed.biases.empty() ? placed.outputs : placed.biases;
  if (!own.empty()) linear.b = columns_of<T>(linear.b, own, placed.out);
  return linear;
}

template <class T>
NormWeights<T> decoded(const PlacedNorm& placed) {
  return {.gain = decoded<T>(placed.gain), .bias = decoded<T>(placed.bias)};
}

#define ORRERY_INSTANTIATE(T)                                                                 \
  template void decode_rows(const StoredTensor&, std::string_view, Index, MatrixOut<T>, int); \
  template Matrix<T> decoded(const PlacedTensor&, int);                                       \
  template LinearWeights<T> decoded(const PlacedLinear&, int);                                \
  template NormWeights<T> decoded(const PlacedNorm&)

ORRERY_INSTANTIATE(float);
ORRERY_INSTANTIATE(double);
#undef ORRERY_INSTANTIATE

}  // namespace orrery

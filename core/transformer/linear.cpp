#include "core/transformer/linear.h"

#include <algorithm>
#include <memory>

#include "core/kernels/dense.h"
#include "core/parallel.h"

namespace orrery {
namespace {

/// Outputs of a linear layer that a thread computes at once: at most 128, in whole panels of every
/// level, and so many parts that all threads get the same.
Index outputs_at_once(Index out, int threads) {
  constexpr Index most = 128, panel = 32;
  const Index team = std::max(1, threads);
  const Index parts = std::max<Index>(1, ((out + most - 1) / most + team - 1) / team) * team;
  return std::clamp((out + parts * panel - 1) / (parts * panel) * panel, panel, most);
}

template <class T>
Matrix<T> packed_rows(const MatrixIn<T>& x, int threads) {
  constexpr Index worth_a_thread = 1 << 16;
  const auto& kernels = kernels::dense_kernels<T>();
  const auto block = static_cast<Index>(kernels.inner_block);
  Matrix<T> packed(x.rows(), x.cols());
  in_parallel((x.cols() + block - 1) / block, x.size() < worth_a_thread ? 1 : threads, [&] {
    return [&](std::ptrdiff_t part) {
      const Index first = part * block;
      kernels.pack_rows(static_cast<std::size_t>(x.rows()),
                        static_cast<std::size_t>(std::min(block, x.cols() - first)),
                        x.data() + first, x.outerStride(), packed.data() + x.rows() * first);
    };
  });
  return packed;
}

}  // namespace

template <class T>
Matrix<T> linear(const LinearWeights<T>& w, const MatrixIn<T>& x, int threads) {
  const auto& kernels = kernels::dense_kernels<T>();
  const Index out = w.W.rows(), outputs_of_part = outputs_at_once(out, threads);
  Matrix<T> y(x.rows(), out);
  if (y.size() == 0) return y;
  const Matrix<T> packed = packed_rows<T>(x, threads);
  const auto compute = [&](std::ptrdiff_t part, T* room) {
    const Index first = part * outputs_of_part;
    kernels.multiply({.rows = static_cast<std::size_t>(x.rows()),
                      .inner = static_cast<std::size_t>(x.cols()),
                      .outputs = static_cast<std::size_t>(std::min(outputs_of_part, out - first)),
                      .x = packed.data(),
                      .W = w.W.data() + (w.is_packed ? 0 : first * w.W.cols()),
                      .W_stride = w.W.cols(),
                      .all = w.is_packed ? static_cast<std::size_t>(out) : 0,
                      .first = w.is_packed ? static_cast<std::size_t>(first) : 0,
                      .b = w.b.size() > 0 ? w.b.data() + first : nullptr,
                      .y = y.data() + first,
                      .y_stride = out,
                      .room = room});
  };
  in_parallel((out + outputs_of_part - 1) / outputs_of_part, threads, [&] {
    const auto room = std::make_shared<Matrix<T>>(
        1, static_cast<Index>(kernels.room(static_cast<std::size_t>(outputs_of_part))));
    return [&, room](std::ptrdiff_t part) { compute(part, room->data()); };
  });
  return y;
}

template <class T>
LinearWeights<T> packed(const LinearWeights<T>& w) {
  const auto outputs = static_cast<std::size_t>(w.W.rows());
  if (w.is_packed || w.W.size() == 0 || outputs % kernels::packed_outputs != 0) return w;
  LinearWeights<T> other{.W = Matrix<T>(w.W.rows(), w.W.cols()), .b = w.b, .is_packed = true};
  kernels::dense_kernels<T>().pack_weights(outputs, static_cast<std::size_t>(w.W.cols()),
                                           w.W.data(), other.W.data());
  return other;
}

template LinearWeights<float> packed(const LinearWeights<float>&);
template LinearWeights<double> packed(const LinearWeights<double>&);
template Matrix<float> linear(const LinearWeights<float>&, const MatrixIn<float>&, int);
template Matrix<double> linear(const LinearWeights<double>&, const MatrixIn<double>&, int);

}  // namespace orrery

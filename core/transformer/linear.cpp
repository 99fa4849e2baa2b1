#include "core/transformer/linear.h"

#include <algorithm>
#include <memory>

#include "core/kernels/dense.h"
#include "core/parallel.h"

namespace orrery {
namespace {

/// Outputs of a linear layer that a thread computes at once: a multiple of every level's panel,
/// few enough for the narrow layers of small models to keep several threads busy.
constexpr Index outputs_of_thread = 128;

template <class T>
Matrix<T> packed_rows(const MatrixIn<T>& x) {
  Matrix<T> packed(x.rows(), x.cols());
  kernels::dense_kernels<T>().pack_rows(static_cast<std::size_t>(x.rows()),
                                        static_cast<std::size_t>(x.cols()), x.data(),
                                        x.outerStride(), packed.data());
  return packed;
}

}  // namespace

template <class T>
Matrix<T> linear(const LinearWeights<T>& w, const MatrixIn<T>& x, int threads) {
  const auto& kernels = kernels::dense_kernels<T>();
  const Matrix<T> packed = packed_rows<T>(x);
  const Index out = w.W.rows();
  Matrix<T> y(x.rows(), out);
  const auto compute = [&](std::ptrdiff_t part, T* room) {
    const Index first = part * outputs_of_thread;
    kernels.multiply({.rows = static_cast<std::size_t>(x.rows()),
                      .inner = static_cast<std::size_t>(x.cols()),
                      .outputs = static_cast<std::size_t>(std::min(outputs_of_thread, out - first)),
                      .x = packed.data(),
                      .W = w.W.data() + first * w.W.cols(),
                      .W_stride = w.W.cols(),
                      .b = w.b.size() > 0 ? w.b.data() + first : nullptr,
                      .y = y.data() + first,
                      .y_stride = out,
                      .room = room});
  };
  in_parallel((out + outputs_of_thread - 1) / outputs_of_thread, threads, [&] {
    const auto room = std::make_shared<Matrix<T>>(
        1, static_cast<Index>(kernels.room(static_cast<std::size_t>(outputs_of_thread))));
    return [&, room](std::ptrdiff_t part) { compute(part, room->data()); };
  });
  return y;
}

template Matrix<float> linear(const LinearWeights<float>&, const MatrixIn<float>&, int);
template Matrix<double> linear(const LinearWeights<double>&, const MatrixIn<double>&, int);

}  // namespace orrery

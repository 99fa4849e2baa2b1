#include "core/transformer/activation.h"

#include <cmath>
#include <numbers>

namespace orrery {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double gelu_by_tanh(double slope, double x) {
  return x * (1 + std::tanh(slope * (x + 0.044715 * x * x * x))) / 2;
}

double value_at(Activation f, double x) {
  switch (f) {
    case Activation::relu:
      return x < 0 ? 0 : x;  // keeps a NaN
    case Activation::squared_relu:
      return x < 0 ? 0 : x * x;
    case Activation::gelu:
      return x * std::erfc(-x / std::numbers::sqrt2) / 2;
    case Activation::gelu_tanh:
      return gelu_by_tanh(2 * std::numbers::inv_sqrtpi / std::numbers::sqrt2, x);
    case Activation::gelu_tanh_rounded:
      return gelu_by_tanh(0.79788456, x);
    case Activation::gelu_quick:
      return x * sigmoid(1.702 * x);
    case Activation::tanh:
      return std::tanh(x);
    case Activation::silu:
      return x * sigmoid(x);
  }
  return x;
}

}  // namespace

template <class T>
void activate(Activation f, MatrixOut<T> x) {
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      x(i, j) = static_cast<T>(value_at(f, static_cast<double>(x(i, j))));
}

std::string_view activation_name(Activation f) {
  switch (f) {
    case Activation::relu:
      return "relu";
    case Activation::squared_relu:
      return "squared_relu";
    case Activation::gelu:
      return "gelu";
    case Activation::gelu_tanh:
      return "gelu_tanh";
    case Activation::gelu_tanh_rounded:
      return "gelu_tanh_rounded";
    case Activation::gelu_quick:
      return "gelu_quick";
    case Activation::tanh:
      return "tanh";
    case Activation::silu:
      return "silu";
  }
  return "";
}

template void activate<float>(Activation, MatrixOut<float>);
template void activate<double>(Activation, MatrixOut<double>);

}  // namespace orrery

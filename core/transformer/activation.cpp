#include "core/transformer/activation.h"

#include <cmath>
#include <numbers>

#include "core/kernels/activations.h"

namespace orrery {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Slopes of the arguments of σ and tanh.
constexpr double quick_slope = 1.702;
constexpr double tanh_slope = 2 * std::numbers::inv_sqrtpi / std::numbers::sqrt2;  // √(2/π)
constexpr double rounded_tanh_slope = 0.79788456;

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
      return gelu_by_tanh(tanh_slope, x);
    case Activation::gelu_tanh_rounded:
      return gelu_by_tanh(rounded_tanh_slope, x);
    case Activation::gelu_quick:
      return x * sigmoid(quick_slope * x);
    case Activation::tanh:
      return std::tanh(x);
    case Activation::silu:
      return x * sigmoid(x);
  }
  return x;
}

/// (x σ(slope x))'
double slope_of_times_sigmoid(double slope, double x) {
  const double s = sigmoid(slope * x);
  return s + slope * x * s * (1 - s);
}

double slope_of_gelu_by_tanh(double slope, double x) {
  const double t = std::tanh(slope * (x + 0.044715 * x * x * x));
  return (1 + t + x * (1 - t * t) * slope * (1 + 3 * 0.044715 * x * x)) / 2;
}

/// f'(x)
double slope_at(Activation f, double x) {
  switch (f) {
    case Activation::relu:
      return x > 0 ? 1 : 0;
    case Activation::squared_relu:
      return x > 0 ? 2 * x : 0;
    case Activation::gelu:
      return std::erfc(-x / std::numbers::sqrt2) / 2 +
             x * std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    case Activation::gelu_tanh:
      return slope_of_gelu_by_tanh(tanh_slope, x);
    case Activation::gelu_tanh_rounded:
      return slope_of_gelu_by_tanh(rounded_tanh_slope, x);
    case Activation::gelu_quick:
      return slope_of_times_sigmoid(quick_slope, x);
    case Activation::tanh:
      return 1 - std::tanh(x) * std::tanh(x);
    case Activation::silu:
      return slope_of_times_sigmoid(1, x);
  }
  return 1;
}

/// Number by number; slopes may be null.
template <class T>
void activate_each(Activation f, std::size_t n, T* x, T* slopes) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = static_cast<double>(x[i]);
    if (slopes) slopes[i] = static_cast<T>(slope_at(f, at));
    x[i] = static_cast<T>(value_at(f, at));
  }
}

void activate_row(Activation f, std::size_t n, double* x, double* slopes) {
  activate_each(f, n, x, slopes);
}

void activate_row(Activation f, std::size_t n, float* x, float* slopes) {
  const kernels::ActivationKernels& kernels = kernels::activation_kernels();
  switch (f) {
    case Activation::relu:
      if (slopes)
        for (std::size_t i = 0; i < n; ++i) slopes[i] = x[i] > 0 ? 1 : 0;
      for (std::size_t i = 0; i < n; ++i) x[i] = x[i] < 0 ? 0 : x[i];  // keeps a NaN
      return;
    case Activation::squared_relu:
      return activate_each(f, n, x, slopes);
    case Activation::gelu:
      return kernels.gelu(n, x, slopes);
    case Activation::gelu_tanh:
      return kernels.gelu_by_tanh(n, tanh_slope, x, slopes);
    case Activation::gelu_tanh_rounded:
      return kernels.gelu_by_tanh(n, rounded_tanh_slope, x, slopes);
    case Activation::gelu_quick:
      return kernels.times_sigmoid(n, quick_slope, x, slopes);
    case Activation::tanh:
      return kernels.tanh(n, x, slopes);
    case Activation::silu:
      return kernels.times_sigmoid(n, 1, x, slopes);
  }
}

}  // namespace

template <class T>
void activate(Activation f, MatrixOut<T> x) {
  for (Index i = 0; i < x.rows(); ++i)
    activate_row(f, static_cast<std::size_t>(x.cols()), x.row(i).data(), nullptr);
}

template <class T>
void activate(Activation f, MatrixOut<T> x, MatrixOut<T> slopes) {
  for (Index i = 0; i < x.rows(); ++i)
    activate_row(f, static_cast<std::size_t>(x.cols()), x.row(i).data(), slopes.row(i).data());
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
template void activate<float>(Activation, MatrixOut<float>, MatrixOut<float>);
template void activate<double>(Activation, MatrixOut<double>, MatrixOut<double>);

}  // namespace orrery

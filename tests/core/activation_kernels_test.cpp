#include "core/kernels/activations.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tests/support/sampled.h"

using namespace orrery::kernels;

namespace {

constexpr float infinite_float = std::numeric_limits<float>::infinity();
constexpr double sqrt_2_over_pi = 0.79788456080286535588;
/// Of a unit in the last place: half of one by rounding, and what fp64 is off by.
constexpr double most_units_off = 0.51;

using ExactActivation = long double (*)(long double);

struct ActivationCase {
  const char* name;
  void (*run)(const ActivationKernels&, std::size_t, float* x, float* slopes);
  ExactActivation exact;
};

long double exact_silu(long double x) { return x / (1 + std::exp(-x)); }

long double exact_quick(long double x) {
  return x / (1 + std::exp(-static_cast<long double>(1.702) * x));
}

long double exact_gelu(long double x) {
  return x * std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2;
}

long double exact_gelu_by_tanh(long double x) {
  return x / (1 + std::exp(-2 * static_cast<long double>(sqrt_2_over_pi) *
                           (x + static_cast<long double>(0.044715) * x * x * x)));
}

long double exact_tanh(long double x) { return std::tanh(x); }

const ActivationCase activation_cases[] = {
    {"silu",
     [](const ActivationKernels& k, std::size_t n, float* x, float* slopes) {
       k.times_sigmoid(n, 1, x, slopes);
     },
     exact_silu},
    {"gelu_quick",
     [](const ActivationKernels& k, std::size_t n, float* x, float* slopes) {
       k.times_sigmoid(n, 1.702, x, slopes);
     },
     exact_quick},
    {"gelu",
     [](const ActivationKernels& k, std::size_t n, float* x, float* slopes) {
       k.gelu(n, x, slopes);
     },
     exact_gelu},
    {"gelu_tanh",
     [](const ActivationKernels& k, std::size_t n, float* x, float* slopes) {
       k.gelu_by_tanh(n, sqrt_2_over_pi, x, slopes);
     },
     exact_gelu_by_tanh},
    {"tanh",
     [](const ActivationKernels& k, std::size_t n, float* x, float* slopes) {
       k.tanh(n, x, slopes);
     },
     exact_tanh}};

std::vector<Level> levels_of_activations() {
  std::vector<Level> found;
  for (const Level level : {Level::baseline, Level::v3, Level::v4})
    if (has_level(level)) found.push_back(level);
  return found;
}

/// Every number of both signs whose bits are a multiple of 4099, a prime: a million from 0 to 3e38.
std::vector<float> sweep() {
  constexpr std::uint32_t step = 4099, infinity_bits = 0x7f800000;
  std::vector<float> x;
  for (std::uint32_t bits = 0; bits < infinity_bits; bits += step)
    for (const std::uint32_t sign : {0U, 0x80000000U}) {
      float value;
      const std::uint32_t all = bits | sign;
      static_assert(sizeof value == sizeof all);
      __builtin_memcpy(&value, &all, sizeof value);
      x.push_back(value);
    }
  return x;
}

/// How far y is from the exact value, in units of its last place.
double units_off(float y, long double exact) {
  const float size = std::abs(static_cast<float>(exact));
  if (y == static_cast<float>(exact) || std::isinf(size))
    return y == static_cast<float>(exact) ? 0 : 1;
  const long double unit = std::nextafter(size, infinite_float) - size;
  return static_cast<double>(std::abs(static_cast<long double>(y) - exact) / unit);
}

void check_accuracy(Level level, const ActivationCase& activation, const std::vector<float>& x) {
  std::vector<float> y = x;
  activation.run(activation_kernels(level), y.size(), y.data(), nullptr);
  double worst = 0;
  float at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = units_off(y[i], activation.exact(static_cast<long double>(x[i])));
    if (off > worst) at = x[i];
    worst = off > worst ? off : worst;
  }
  INFO(name(level) << ", " << activation.name << " at " << at);
  CHECK(worst <= most_units_off);
}

}  // namespace

TEST_CASE("Activations of fp32 are right to 0.51 units in the last place, at every level") {
  const std::vector<float> x = sweep();
  std::size_t seen = 0;
  for (const Level level : levels_of_activations())
    for (const ActivationCase& activation : activation_cases)
      if (orrery::test::is_tried(seen++)) check_accuracy(level, activation, x);
}

TEST_CASE("Activations keep NaN and have their limits at infinity, at every level") {
  for (const Level level : levels_of_activations())
    for (const ActivationCase& activation : activation_cases) {
      std::vector<float> x{std::numeric_limits<float>::quiet_NaN(), infinite_float, -0.0f};
      activation.run(activation_kernels(level), x.size(), x.data(), nullptr);
      INFO(name(level) << ", " << activation.name);
      CHECK(std::isnan(x[0]));
      CHECK(x[1] == (activation.exact == exact_tanh ? 1 : infinite_float));
      CHECK((x[2] == 0 && std::signbit(x[2])));
    }
}

TEST_CASE("Activations give each number the same bits, wherever it stands among others") {
  constexpr std::size_t most = 70;
  for (const Level level : levels_of_activations())
    for (const ActivationCase& activation : activation_cases)
      for (std::size_t n = 0; n <= most; ++n) {
        std::vector<float> x(n + 1, 7), one(1);
        for (std::size_t i = 0; i < n; ++i) x[i] = 0.37f * static_cast<float>(i) - 9;
        const std::vector<float> before = x;
        activation.run(activation_kernels(level), n, x.data(), nullptr);
        bool same = x[n] == 7;
        for (std::size_t i = 0; i < n; ++i) {
          one[0] = before[i];
          activation.run(activation_kernels(level), 1, one.data(), nullptr);
          same = same && one[0] == x[i];
        }
        INFO(name(level) << ", " << activation.name << " of " << n);
        CHECK(same);
      }
}

TEST_CASE(
    "Slopes of activations are the limits of differences, at every level, beside the values") {
  constexpr std::size_t n = 163;
  for (const Level level : levels_of_activations())
    for (const ActivationCase& activation : activation_cases) {
      std::vector<float> x(n), slopes(n + 1, 7);
      for (std::size_t i = 0; i < n; ++i) x[i] = 0.15f * static_cast<float>(i) - 12.1f;
      const std::vector<float> before = x;
      activation.run(activation_kernels(level), n, x.data(), slopes.data());
      CHECK(slopes[n] == 7);
      std::vector<float> alone = before;
      activation.run(activation_kernels(level), n, alone.data(), nullptr);
      CHECK(x == alone);
      for (std::size_t i = 0; i < n; ++i) {
        constexpr long double step = 1e-5L;
        const auto at = static_cast<long double>(before[i]);
        const long double exact =
            (activation.exact(at + step) - activation.exact(at - step)) / (2 * step);
        INFO(name(level) << ", " << activation.name << " at " << before[i]);
        CHECK(static_cast<double>(slopes[i]) ==
              Approx(static_cast<double>(exact)).epsilon(1e-7).margin(2e-9));
      }
    }
}

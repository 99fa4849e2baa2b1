// Attention with each encoding against NumPy, from tests/golden/generate_core.py.
#include <catch2/catch.hpp>

#include "core/encodings/alibi.h"
#include "core/encodings/none.h"
#include "core/encodings/rope.h"
#include "core/encodings/sinusoidal.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

constexpr Index golden_width = 8;

struct GoldenHead {
  nlohmann::json file = golden("core.json").at("attention");
  Positions positions = file.at("positions").get<Positions>();

  template <class T>
  void check(const std::string& name, const Encoding& encoding, int head, double tolerance) const {
    INFO(name);
    const Projections<T> w{matrix_of<T>(file.at("W_q")), matrix_of<T>(file.at("W_k")),
                           matrix_of<T>(file.at("W_v"))};
    const Matrix<T> x = matrix_of<T>(file.at("x"));
    const auto out = attention_head<T>(encoding, w, {x, x, positions, positions, head},
                                       Mask::causal(positions, positions));
    const auto& expected = file.at("cases").at(name);
    CHECK(largest_difference(out.logits, matrix_of<T>(expected.at("logits"))) < tolerance);
    CHECK(largest_difference(out.weights, matrix_of<T>(expected.at("weights"))) < tolerance);
    CHECK(largest_difference(out.output, matrix_of<T>(expected.at("output"))) < tolerance);
  }
};

template <class T>
void check_all(double tolerance) {
  const GoldenHead head;
  head.check<T>("none", NoEncoding<T>(), 0, tolerance);
  using L = SinusoidalLayout;
  head.check<T>("sinusoidal interleaved", Sinusoidal<T>(golden_width, 1e4, L::interleaved), 0,
                tolerance);
  head.check<T>("sinusoidal concatenated", Sinusoidal<T>(golden_width, 1e4, L::concatenated), 0,
                tolerance);
  head.check<T>("sinusoidal tensor2tensor", Sinusoidal<T>(golden_width, 1e4, L::tensor2tensor), 0,
                tolerance);
  for (const Index r : {8, 4}) {
    const std::string turned = std::to_string(r);
    head.check<T>("rope interleaved " + turned, Rope<T>({.d_head = golden_width, .rotary_dims = r}),
                  0, tolerance);
    head.check<T>(
        "rope half_split " + turned,
        Rope<T>({.d_head = golden_width, .rotary_dims = r, .pairing = RopePairing::half_split}), 0,
        tolerance);
  }
  for (const int h : {0, 5}) {
    const std::string which = std::to_string(h);
    head.check<T>("alibi symmetric head " + which, Alibi<T>(6), h, tolerance);
    head.check<T>("alibi causal head " + which, Alibi<T>(6, AlibiForm::causal), h, tolerance);
  }
}

}  // namespace

TEST_CASE("Every encoding's attention equals NumPy's in fp64") { check_all<double>(2e-12); }

TEST_CASE("Every encoding's attention equals NumPy's in fp32") { check_all<float>(2e-4); }

#include "core/encodings/axis_rope.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include "core/encodings/axis_layout.h"
#include "core/encodings/rope.h"
#include "core/random.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

AxisDesign design_named(const std::string& name) {
  if (name == "interleaved") return AxisDesign::interleaved;
  if (name == "time_last") return AxisDesign::time_last;
  if (name == "time_still") return AxisDesign::time_still;
  return name == "axial" ? AxisDesign::axial : AxisDesign::chunked;
}

using Axes = std::vector<std::size_t>;

}  // namespace

TEST_CASE("By hand: which axis turns which pair") {
  CHECK(axes_of_pairs(AxisDesign::chunked, {1, 2, 1}) == Axes{0, 1, 1, 2});
  CHECK(axes_of_pairs(AxisDesign::interleaved, {4, 2, 1}) == Axes{0, 1, 2, 0, 1, 0, 0});
  CHECK(axes_of_pairs(AxisDesign::time_last, {2, 2, 1}) == Axes{1, 2, 1, 0, 0});
  // Qwen3-VL: T H W twenty times, and four of T.
  const Axes qwen = axes_of_pairs(AxisDesign::interleaved, {24, 20, 20});
  for (std::size_t t = 0; t < 64; ++t) CHECK(qwen[t] == (t < 60 ? t % 3 : 0));
}

TEST_CASE("By hand: a row and a column of one pair each, in quarter turns") {
  const AxisRope<double> rope({.d_head = 4,
                               .pairing = RopePairing::interleaved,
                               .design = AxisDesign::axial,
                               .sections = {1, 1}});
  CHECK(rope.theta() == std::vector<double>{1, 1});
  AxisPositions at(1, 2);
  at << 2, -3;
  Matrix<double> x(1, 4), expected(1, 4);
  x << 1, 0, 0, 1;
  expected << std::cos(2.0), std::sin(2.0), std::sin(3.0), std::cos(3.0);
  rope.rotate(at, x);
  CHECK(largest_difference(x, expected) < 1e-15);
}

TEMPLATE_TEST_CASE("Queries turn as in Transformers' Qwen2-VL and Qwen3-VL, and as loops have it",
                   "", float, double) {
  const auto file = golden("axis_rope.json");
  AxisPositions at(static_cast<Index>(file.at("positions").size()), 3);
  for (Index i = 0; i < at.rows(); ++i)
    for (Index a = 0; a < 3; ++a)
      at(i, a) =
          file.at("positions").at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(a));
  for (const auto& [name, c] : file.at("cases").items()) {
    INFO(name);
    Matrix<TestType> x = matrix_of<TestType>(file.at("x"));
    const AxisRope<TestType> rope(
        {.d_head = x.cols(),
         .pairing = RopePairing::half_split,
         .base = file.at("base"),
         .design = design_named(name),
         .sections = c.at("sections").template get<std::vector<Index>>()});
    rope.rotate(at, x);
    // Transformers' angles are fp32: 1000·2^-24.
    const bool fp32 = name == "chunked" || name == "interleaved" || sizeof(TestType) == 4;
    CHECK(largest_difference(x, matrix_of<TestType>(c.at("turned"))) < (fp32 ? 1e-4 : 1e-12));
  }
}

TEST_CASE("Where all axes agree it is RoPE, but for axial and a time that stands still") {
  Random random(3, "axes");
  const Matrix<double> x = normal_matrix<double>(random, 5, 16);
  const Positions line{0, 1, 7, 900, Position{1} << 40};
  AxisPositions at(5, 3);
  for (Index i = 0; i < 5; ++i) at.row(i).setConstant(line[static_cast<std::size_t>(i)]);
  for (const RopePairing pairing : {RopePairing::half_split, RopePairing::interleaved}) {
    Matrix<double> expected = x;
    Rope<double>({.d_head = 16, .pairing = pairing}).transform_queries(line, expected);
    for (const AxisDesign design :
         {AxisDesign::chunked, AxisDesign::interleaved, AxisDesign::time_last, AxisDesign::axial}) {
      Matrix<double> turned = x;
      AxisRope<double>({.d_head = 16, .pairing = pairing, .design = design, .sections = {4, 2, 2}})
          .rotate(at, turned);
      const double difference = largest_difference(turned, expected);
      if (design == AxisDesign::axial)
        CHECK(difference > 0.1);
      else
        CHECK(difference < 1e-14);
    }
  }
}

TEST_CASE("Scores depend on differences, axis by axis; a still time changes nothing") {
  Random random(4, "axes");
  const Matrix<double> q = normal_matrix<double>(random, 1, 16),
                       k = normal_matrix<double>(random, 1, 16);
  const auto score = [&](AxisDesign design, const AxisPositions& m, const AxisPositions& n) {
    const AxisRope<double> rope({.d_head = 16,
                                 .pairing = RopePairing::half_split,
                                 .design = design,
                                 .sections = {4, 2, 2}});
    Matrix<double> a = q, b = k;
    rope.rotate(m, a);
    rope.rotate(n, b);
    return (a * b.transpose())(0, 0);
  };
  AxisPositions m(1, 3), n(1, 3), shift(1, 3), later(1, 3);
  m << 5, 9, 2;
  n << 3, 30, 0;
  shift << 1000, -7, Position{1} << 30;
  later << 77, 0, 0;
  for (const AxisDesign design :
       {AxisDesign::chunked, AxisDesign::interleaved, AxisDesign::time_last, AxisDesign::time_still,
        AxisDesign::axial}) {
    CHECK(score(design, m + shift, n + shift) == Approx(score(design, m, n)).epsilon(1e-12));
    const double change = std::abs(score(design, m + later, n) - score(design, m, n));
    if (design == AxisDesign::time_still)
      CHECK(change == 0);
    else
      CHECK(change > 1e-3);
  }
}

TEST_CASE("Sections are the shares of each design's source unless pairs are asked for") {
  using Sections = std::vector<Index>;
  const auto sections = [](std::vector<std::pair<const char*, const char*>> given, Index pairs) {
    ParamSet params(AxisRope<double>::info().params);
    for (const auto& [key, value] : given) params.set(key, value);
    return axis_sections_of(params, pairs);
  };
  constexpr const char* design = "axis_rope.design";
  CHECK(sections({}, 64) == Sections{16, 24, 24});
  CHECK(sections({{design, "interleaved"}}, 64) == Sections{24, 20, 20});
  CHECK(sections({{design, "time_last"}}, 64) == Sections{16, 24, 24});
  CHECK(sections({{design, "axial"}}, 32) == Sections{0, 16, 16});
  CHECK(sections({{design, "per_head"}, {"axis_rope.head_axis", "row"}}, 8) == Sections{0, 8, 0});
  CHECK(sections({{"axis_rope.time_pairs", "11"}, {"axis_rope.row_pairs", "11"}}, 32) ==
        Sections{11, 11, 10});
  CHECK_THROWS_WITH(sections({{"axis_rope.time_pairs", "30"}, {"axis_rope.row_pairs", "3"}}, 32),
                    Contains("leave no pairs of 32"));
  for (const Index pairs : {1, 2, 3, 5, 7, 33, 64})
    for (const char* name : {"chunked", "interleaved", "time_last", "time_still", "axial"})
      CHECK(axes_of_pairs(
                name == std::string("interleaved") ? AxisDesign::interleaved : AxisDesign::chunked,
                sections({{design, name}}, pairs))
                .size() == static_cast<std::size_t>(pairs));
}

TEST_CASE("Frequencies scale and part of a head turns as RoPE's do") {
  Random random(5, "axes");
  const Matrix<double> x = normal_matrix<double>(random, 4, 16);
  const Positions tokens{0, 3, 70, 4000};
  ParamSet params(AxisRope<double>::info().params), plain(Rope<double>::info().params);
  for (ParamSet* set : {&params, &plain})
    for (const auto& [key, value] :
         {std::pair("rope.scaling", "yarn"), std::pair("rope.factor", "8"),
          std::pair("rope.fraction", "0.5")})
      set->set(key, value);
  params.set("axis_rope.layout", "text");
  Matrix<double> turned = x, expected = x;
  AxisRope<double>::make({.d_model = 16, .d_head = 16, .params = params})
      ->transform_queries(tokens, turned);
  Rope<double>::make({.d_model = 16, .d_head = 16, .params = plain})
      ->transform_queries(tokens, expected);
  CHECK(largest_difference(turned, expected) < 1e-14);
  CHECK(turned.rightCols(8) == x.rightCols(8));
}

TEST_CASE("Sections and positions that do not fit are refused, and NaN stays") {
  const auto make = [](AxisDesign design, std::vector<Index> sections) {
    return AxisRope<double>({.d_head = 8, .design = design, .sections = std::move(sections)});
  };
  CHECK_THROWS_WITH(make(AxisDesign::chunked, {2, 1}), Contains("sections 2+1 of 8 channels"));
  CHECK_THROWS_WITH(make(AxisDesign::chunked, {5, -1}), Contains("a section of -1 pairs"));
  CHECK_THROWS_WITH(make(AxisDesign::interleaved, {1, 3}),
                    Contains("interleaves beyond the 4 pairs"));
  const AxisRope<double> rope = make(AxisDesign::chunked, {2, 2});
  Matrix<double> x = Matrix<double>::Ones(1, 8);
  CHECK_THROWS_WITH(rope.rotate(AxisPositions::Zero(1, 3), x), Contains("must be [N, 2]"));
  CHECK_THROWS_WITH(rope.rotate(AxisPositions::Constant(1, 2, max_position + 1), x),
                    Contains("2^53"));
  x(0, 3) = std::numeric_limits<double>::quiet_NaN();
  rope.rotate(AxisPositions::Ones(1, 2), x);
  CHECK(std::isnan(x(0, 3)));
  CHECK(std::isfinite(x(0, 0)));
}

#include "core/encodings/axis_layout.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/encodings/axis_rope.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

AxisPositions matrix(std::initializer_list<std::array<Position, 3>> rows) {
  AxisPositions at(static_cast<Index>(rows.size()), 3);
  Index i = 0;
  for (const auto& row : rows) {
    for (std::size_t axis = 0; axis < 3; ++axis) at(i, static_cast<Index>(axis)) = row[axis];
    ++i;
  }
  return at;
}

AxisLayout small(AxisLayoutKind kind) {
  return {.kind = kind, .text_before = 1, .frames = 2, .rows = 1, .columns = 2, .time_step = 3};
}

ParamSet params_of_layout(const std::string& layout) {
  ParamSet params(AxisRope<double>::info().params);
  params.set("axis_rope.layout", layout);
  return params;
}

template <class Json>
AxisPositions positions_in(const Json& json) {
  AxisPositions at(static_cast<Index>(json.size()), 3);
  for (Index i = 0; i < at.rows(); ++i)
    for (Index axis = 0; axis < 3; ++axis)
      at(i, axis) = json.at(static_cast<std::size_t>(i))
                        .at(static_cast<std::size_t>(axis))
                        .template get<Position>();
  return at;
}

}  // namespace

TEST_CASE("By hand: one token of text, two frames of one row with two patches, and text") {
  const Positions tokens{-1, 0, 1, 2, 3, 4, 5, 6};
  CHECK(axis_positions(small(AxisLayoutKind::text), tokens) == matrix({{-1, -1, -1},
                                                                       {0, 0, 0},
                                                                       {1, 1, 1},
                                                                       {2, 2, 2},
                                                                       {3, 3, 3},
                                                                       {4, 4, 4},
                                                                       {5, 5, 5},
                                                                       {6, 6, 6}}));
  CHECK(axis_positions(small(AxisLayoutKind::grid), tokens) == matrix({{-1, -1, -1},
                                                                       {0, 0, 0},
                                                                       {1, 1, 1},
                                                                       {1, 1, 2},
                                                                       {4, 1, 1},
                                                                       {4, 1, 2},
                                                                       {5, 5, 5},
                                                                       {6, 6, 6}}));
  CHECK(axis_positions(small(AxisLayoutKind::diagonal), tokens) == matrix({{-1, -1, -1},
                                                                           {0, 0, 0},
                                                                           {1, 1, 1},
                                                                           {1, 1, 2},
                                                                           {4, 4, 4},
                                                                           {4, 4, 5},
                                                                           {5, 5, 5},
                                                                           {6, 6, 6}}));
}

TEST_CASE("Tokens lie where Qwen2-VL and VideoRoPE have them, and turn as Qwen2-VL turns them") {
  const auto file = golden("axis_rope.json");
  for (const auto& [layout, c] : file.at("sequences").items()) {
    INFO(layout);
    ParamSet params = params_of_layout(layout);
    params.set_value("base", file.at("base").get<double>());
    params.set("rope.pairing", "half_split");
    for (const char* name : {"text_before", "frames", "rows", "columns", "time_step"})
      params.set_value(std::string("axis_rope.") + name, c.at(name).get<std::int64_t>());
    const EncodingSettings settings{.d_model = 16, .d_head = 16, .params = params};
    const AxisPositions expected = positions_in(c.at("positions"));
    const Positions tokens = consecutive_positions(expected.rows());
    CHECK(axis_positions(axis_layout_of(settings), tokens) == expected);
    Matrix<double> x = matrix_of<double>(c.at("x"));
    AxisRope<double>::make(settings)->transform_queries(tokens, x);
    // Transformers' angles are fp32.
    CHECK(largest_difference(x, matrix_of<double>(c.at("turned"))) < 1e-5);
  }
}

TEST_CASE("Given positions replace the layout, and end with the table") {
  const ParamSet params = params_of_layout("grid");
  Tables tables;
  tables["axis_rope.positions"] = (Matrix<double>(2, 3) << 5, 6, 7, -1, 0, 9).finished();
  const EncodingSettings settings{.d_model = 8, .d_head = 8, .params = params, .tables = &tables};
  const AxisLayout layout = axis_layout_of(settings);
  CHECK(axis_positions(layout, Positions{1, 0}) == matrix({{-1, 0, 9}, {5, 6, 7}}));
  CHECK_THROWS_WITH(axis_positions(layout, Positions{2}),
                    Contains("position 2") && Contains("rows for 0 to 1"));
  CHECK_THROWS_WITH(axis_positions(layout, Positions{-1}), Contains("position -1"));
  const auto rope = AxisRope<double>::make(settings);
  CHECK(rope->traits().last_position == 1);
  CHECK_FALSE(rope->traits().relative);
}

TEST_CASE("Positions that are no whole numbers, too far or of two axes are refused") {
  const ParamSet params = params_of_layout("text");
  const auto layout_with = [&](const Matrix<double>& table) {
    const Tables tables{{"axis_rope.positions", table}};
    return axis_layout_of({.d_model = 8, .d_head = 8, .params = params, .tables = &tables});
  };
  for (const double wrong : {0.5, 0x1p54, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_WITH(layout_with(Matrix<double>::Constant(2, 3, wrong)),
                      Contains("must be whole numbers"));
  CHECK_THROWS_WITH(layout_with(Matrix<double>::Zero(4, 2)), Contains("must be [N, 3]"));
}

TEST_CASE("Behind the last patch there is text alone") {
  CHECK(text_from(small(AxisLayoutKind::text)) == -max_position);
  CHECK(text_from(small(AxisLayoutKind::grid)) == 5);
  CHECK(text_from(small(AxisLayoutKind::diagonal)) == 5);
}

TEST_CASE("Only text makes multi-axis RoPE relative") {
  for (const auto& [layout, relative] :
       {std::pair("text", true), std::pair("grid", false), std::pair("diagonal", false)}) {
    const ParamSet params = params_of_layout(layout);
    const auto rope = AxisRope<double>::make({.d_model = 8, .d_head = 8, .params = params});
    CHECK(rope->traits().relative == relative);
  }
}

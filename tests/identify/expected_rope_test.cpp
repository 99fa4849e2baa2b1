// What a configuration leaves open is nothing to deviate from.
#include "experiments/identify/expected_rope.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>

#include "core/random.h"
#include "experiments/identify/identify_matrices.h"
#include "experiments/identify/identify_matrix.h"
#include "experiments/model_files/read_config.h"
#include "tests/identify/drawn_rope.h"

using namespace orrery;
using namespace orrery::tests;

namespace {

constexpr Index two_heads = 2, rows_of_each = 24;

double in_fp32(double x) { return round_to(Precision::fp32, x); }

Matrix<double> fp32_vectors(std::int64_t seed, Index d) {
  Random random(seed, "expected");
  return normal_matrix<double>(random, two_heads * rows_of_each, d).unaryExpr(&in_fp32);
}

LayerPlan planned_layer(const std::string& type, const std::string& more = "") {
  return read_config(R"({"model_type": ")" + type + R"(", "num_hidden_layers": 1, "hidden_size": 32,
    "num_attention_heads": 2)" +
                         more + "}",
                     "config.json")
      .layers.at(0);
}

/// Of 16 channels.
WrittenRope turning(RopePairing pairing, Index turned = 16) {
  WrittenRope rope{{.d_head = 16, .rotary_dims = turned, .pairing = pairing}};
  rope.rounding = fp32_stages();
  return rope;
}

Matrix<double> turned_by(const WrittenRope& rope, const Matrix<double>& before) {
  RowPlaces places{.heads = {0, 1}, .rows = {}, .positions = AxisPositions(rows_of_each, 1)};
  for (Index n = 0; n < rows_of_each; ++n) {
    places.positions(n, 0) = n;
    places.rows.push_back(n);
  }
  return apply_written(rope, places, before).unaryExpr(&in_fp32);
}

/// Of vectors that a rope turned, where a layer's is expected.
TensorReport turned_report(const LayerPlan& layer, const WrittenRope& rope) {
  const Matrix<double> before = fp32_vectors(7, 16);
  return identify_matrix(before, turned_by(rope, before), two_heads,
                         {.format = "fp32", .expected = layer});
}

Tensor tensor_of(const Matrix<double>& rows) {
  return {.shape = {two_heads, rows_of_each, static_cast<std::size_t>(rows.cols())},
          .values = {rows.data(), rows.data() + rows.size()}};
}

/// Of the logits of such vectors.
TensorReport logits_report(const LayerPlan& layer, const WrittenRope& rope) {
  const Matrix<double> q = fp32_vectors(7, 16), k = fp32_vectors(8, 16);
  const Matrix<double> turned_q = turned_by(rope, q), turned_k = turned_by(rope, k);
  Matrix<double> logits(two_heads * rows_of_each, rows_of_each);
  for (Index h = 0; h < two_heads; ++h)
    logits.middleRows(h * rows_of_each, rows_of_each) =
        turned_q.middleRows(h * rows_of_each, rows_of_each) *
        turned_k.middleRows(h * rows_of_each, rows_of_each).transpose() / 4;
  return identify_logits_matrix("logits", tensor_of(q), tensor_of(k),
                                tensor_of(logits.unaryExpr(&in_fp32)),
                                {.format = "fp32", .expected = layer});
}

const std::string half_of_head = R"(, "partial_rotary_factor": 0.5)";

}  // namespace

TEST_CASE("Neither pairing of a type that is not known is a mistake, and of a known one it is") {
  const LayerPlan unknown = planned_layer("anything", R"(, "rope_theta": 10000)");
  for (const RopePairing pairing : {RopePairing::interleaved, RopePairing::half_split})
    for (const TensorReport& report :
         {turned_report(unknown, turning(pairing)), logits_report(unknown, turning(pairing))}) {
      INFO(report.name);
      CHECK(report.as_expected);
      CHECK(report.deviations.empty());
      CHECK(report.hypotheses.front().defect.empty());
    }
  const LayerPlan llama = planned_layer("llama");
  const WrittenRope other = turning(RopePairing::interleaved);
  for (const TensorReport& report : {turned_report(llama, other), logits_report(llama, other)}) {
    CHECK_FALSE(report.as_expected);
    CHECK(report.hypotheses.front().defect == "wrong_pairing");
  }
}

TEST_CASE("A part that is perhaps not read leaves the whole head as right, and no other part") {
  const LayerPlan unknown = planned_layer("anything", half_of_head);
  const auto report = [](const LayerPlan& layer, Index turned) {
    return turned_report(layer, turning(RopePairing::half_split, turned));
  };
  for (const Index turned : {8, 16}) {
    CHECK(report(unknown, turned).as_expected);
    CHECK(report(unknown, turned).hypotheses.front().defect.empty());
  }
  CHECK_FALSE(report(unknown, 4).as_expected);
  CHECK(report(planned_layer("zaya", half_of_head), 16).hypotheses.front().defect ==
        "partial_ignored");
  CHECK(report(planned_layer("diffllama", half_of_head), 16).as_expected);
}

TEST_CASE("p-RoPE of latent attention is expected of the head and of its slice alone") {
  const LayerPlan layer = planned_layer("glm4_moe_lite", R"(, "qk_nope_head_dim": 8,
    "qk_rope_head_dim": 16, "rope_parameters": {"rope_type": "proportional", "rope_theta": 10000,
    "partial_rotary_factor": 0.5})");
  for (const Index d : {16, 24}) {
    const Index first = d - 16;
    const Matrix<double> before = fp32_vectors(9, d);
    Matrix<double> after = before;
    for (Index row = 0; row < before.rows(); ++row)
      for (Index t = 0; t < 8; ++t) {  // as Transformers writes neighbours: in two halves
        const double theta = t < 4 ? std::pow(1e4, -static_cast<double>(t) / 8) : 0;
        const double angle = static_cast<double>(row % rows_of_each) * theta;
        const double a = before(row, first + 2 * t), b = before(row, first + 2 * t + 1);
        after(row, first + t) = in_fp32(a * std::cos(angle) - b * std::sin(angle));
        after(row, first + 8 + t) = in_fp32(a * std::sin(angle) + b * std::cos(angle));
      }
    const TensorReport report =
        identify_matrix(before, after, two_heads, {.format = "fp32", .expected = layer});
    INFO(d);
    CHECK(report.as_expected);
    CHECK(report.deviations.empty());
  }
}

TEST_CASE("Where hidden states turn, q and k are not what to save") {
  const LayerPlan layer =
      planned_layer("wav2vec2-conformer", R"(, "position_embeddings_type": "rotary")");
  const auto says = [&](const WrittenRope& rope) {
    const std::vector<std::string> notes = turned_report(layer, rope).notes;
    return std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
      return note.find("before W_q and W_k: save these") != std::string::npos;
    });
  };
  CHECK(says(turning(RopePairing::interleaved, 8)));
  CHECK_FALSE(says(turning(RopePairing::half_split)));
}

// attend on numbers at the edges: every encoding, precision and feature map either refuses, by a
// documented rule, or gives finite numbers, or counts the queries whose numbers are not finite.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/data/sliced_tensor.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/held_arrays.h"

using namespace orrery;

namespace {

constexpr std::int64_t far_end = std::int64_t{1} << 53;
constexpr double tiny = std::numeric_limits<double>::denorm_min();

using Words = std::vector<std::pair<std::string, std::string>>;

struct Edge {
  std::string name{};
  std::vector<double> values{1.0, -0.5, 0.25, 2.0, -1.0};  ///< repeated to fill q, k, v and x
  std::size_t rows{4};
  std::size_t channels{4};
  std::vector<std::int64_t> positions{0, 1, 2, 3};
  std::vector<std::int64_t> query_positions{};  ///< those of the keys unless given
  Words words{};                                ///< of softmax attention alone
  bool all_masked{false};
  bool is_large{false};  ///< its products overflow in some format
};

std::vector<Edge> edges() {
  std::vector<Edge> all{{.name = "usual"},
                        {.name = "fp64 subnormals", .values = {tiny, -tiny, 1e-310, 0}},
                        {.name = "fp32 subnormals", .values = {1e-45, -1e-40, 1e-39}},
                        {.name = "fp16 subnormals", .values = {6e-8, -1e-7, 3e-5}},
                        {.name = "zeros", .values = {0.0, -0.0}},
                        {.name = "one token", .rows = 1, .positions = {7}},
                        {.name = "d = 1", .channels = 1},
                        {.name = "d = 2", .channels = 2},
                        {.name = "d = 3", .channels = 3},
                        {.name = "repeated positions", .positions = {5, 5, 5, 5}},
                        {.name = "descending positions", .positions = {9, 6, 2, 0}},
                        {.name = "negative positions", .positions = {-4, -1, 0, 3}},
                        {.name = "±2^52", .positions = {-far_end / 2, -1, 0, far_end / 2}},
                        {.name = "±2^53", .positions = {-far_end, -far_end + 1, 0, far_end}},
                        {.name = "window 1", .words = {{"window", "1"}}},
                        {.name = "window beyond N", .words = {{"window", "1000000000"}}},
                        {.name = "causal", .words = {{"causal", "true"}}},
                        {.name = "queries before keys",
                         .positions = {10, 11, 12, 13},
                         .query_positions = {0, 1, 2, 10},
                         .words = {{"causal", "true"}}},
                        {.name = "all masked", .all_masked = true}};
  for (const double size : {1.8e19, 3.4e38, 1.3e154, 1e308, std::numeric_limits<double>::max()}) {
    all.push_back({.name = "± " + number_text(size), .values = {size, -size, size}});
    all.push_back({.name = "mixed with " + number_text(size), .values = {0, tiny, size, 1}});
    all.rbegin()[0].is_large = all.rbegin()[1].is_large = true;
  }
  return all;
}

Tensor repeated_tensor(const std::string& name, std::size_t rows, std::size_t columns,
                       const std::vector<double>& repeated) {
  Tensor filled{.name = name, .shape = {rows, columns}};
  for (std::size_t i = 0; i < rows * columns; ++i)
    filled.values.push_back(repeated[i % repeated.size()]);
  return filled;
}

bool adds_to_input(const std::string& encoding) {
  return encoding == "sinusoidal" || encoding == "learned";
}

Tensor positions(const std::vector<std::int64_t>& values) {
  return {.name = "positions", .shape = {values.size()}, .values = {values.begin(), values.end()}};
}

Inputs inputs_of(const Edge& edge, const std::string& encoding) {
  Inputs in{{"positions", positions(edge.positions)}};
  const auto filled = [&](const char* name) {
    return repeated_tensor(name, edge.rows, edge.channels, edge.values);
  };
  if (adds_to_input(encoding)) {
    in["x"] = filled("x");
  } else {
    for (const char* name : {"q", "k", "v"})
      in[name] = std::make_shared<const SlicedTensor>(filled(name));
    if (!edge.query_positions.empty()) in["query_positions"] = positions(edge.query_positions);
  }
  if (edge.all_masked) in["mask"] = repeated_tensor("mask", edge.rows, edge.rows, {0});
  return in;
}

/// The rule by which an encoding refuses an edge; empty where it must not.
std::string rule(const std::string& encoding, const Edge& edge) {
  const std::set<std::string> in_pairs{"rope", "sinusoidal", "transformer_xl",
                                       "xpos", "axis_rope",  "grape_multiplicative"};
  const bool turns_pairs = in_pairs.contains(encoding);
  if (turns_pairs && edge.channels % 2 != 0) return "must be even";
  std::vector<std::int64_t> sorted = edge.positions;
  std::sort(sorted.begin(), sorted.end());
  const bool in_table = sorted.front() >= 0 && sorted.back() < 512;
  if (encoding == "xpos" && sorted.back() - sorted.front() > 100000) return "xpos.centre";
  if (encoding == "learned" && !in_table) return "the learned table has positions 0 to 511";
  if (encoding == "tupe" && !in_table) return "TUPE's table has positions 0 to 511";
  if (encoding == "transformer_xl" && sorted.back() - sorted.front() > far_end)
    return "must lie within ±2^53, where fp64 holds every whole number: Transformer-XL";
  return "";
}

/// What attend gave, and said of it.
struct Attended {
  test::HeldArrays arrays{};
  Result result{};
  /// Queries that a scalar counts; 0 without it.
  std::size_t counted(const std::string& name) const {
    for (const Scalar& scalar : result.scalars)
      if (scalar.name == name) return static_cast<std::size_t>(scalar.value);
    return 0;
  }
};

bool all_finite(const std::vector<double>& values, std::size_t row, std::size_t rows) {
  const std::size_t columns = values.size() / rows;
  for (std::size_t c = 0; c < columns; ++c)
    if (!std::isfinite(values[row * columns + c])) return false;
  return true;
}

double tolerance(const std::string& precision) {
  if (precision.ends_with("bf16")) return 1e-2;
  return precision.ends_with("fp16") ? 2e-3 : 1e-5;
}

/// What is wrong with the rows of softmax attention; empty when nothing is.
std::string fault_of_softmax(const Edge& edge, const Attended& attended, double slack) {
  const std::vector<double> weights = attended.arrays.numbers("weights"),
                            output = attended.arrays.numbers("output");
  std::size_t blind = 0, undefined = 0, overflowed = 0;
  for (std::size_t row = 0; row < edge.rows; ++row) {
    double sum = 0;
    bool negative = false;
    for (std::size_t n = 0; n < edge.rows; ++n) {
      sum += weights[row * edge.rows + n];
      negative = negative || weights[row * edge.rows + n] < 0;
    }
    if (negative) return "a weight is negative";
    if (std::isnan(sum))
      ++undefined;
    else if (sum == 0)
      ++blind;
    else if (!(std::abs(sum - 1) <= slack))
      return "a row sums to " + std::to_string(sum);
    if (!std::isnan(sum) && !all_finite(output, row, edge.rows)) ++overflowed;
  }
  if (blind != attended.counted("fully_masked_rows")) return "a query without keys is not counted";
  if (undefined != attended.counted("nan_rows")) return "a query with NaN weights is not counted";
  if (overflowed != attended.counted("overflowed_rows"))
    return "an output that overflowed is not counted";
  if (!edge.is_large && undefined + overflowed > 0) return "it should be finite";
  return "";
}

/// The same of linear attention.
std::string fault_of_linear(const Edge& edge, const Attended& attended) {
  const std::vector<double> output = attended.arrays.numbers("output"),
                            normalizers = attended.arrays.numbers("normalizers"),
                            numerators = attended.arrays.numbers("numerators"),
                            weights = attended.arrays.numbers("weights");
  std::size_t overflowed = 0, infinite = 0, undefined = 0, zero = 0;
  for (std::size_t row = 0; row < edge.rows; ++row) {
    if (std::isinf(normalizers[row])) ++infinite;
    if (std::isnan(normalizers[row])) ++undefined;
    if (normalizers[row] == 0) ++zero;
    if (!all_finite(output, row, edge.rows) || !all_finite(weights, row, edge.rows) ||
        !std::isfinite(numerators[row]))
      ++overflowed;
  }
  if (infinite != attended.counted("infinite_normalizers"))
    return "an infinite normaliser is not counted";
  if (undefined != attended.counted("nan_normalizers")) return "a NaN normaliser is not counted";
  if (overflowed != attended.counted("overflowed_rows"))
    return "an output that overflowed is not counted";
  if (attended.counted("zero_normalizers") > zero) return "a normaliser is counted as 0 and is not";
  if (!edge.is_large && infinite + undefined + overflowed > 0) return "it should be finite";
  return "";
}

std::string fault_of(const Edge& edge, const ParamSet& params, const std::string& rule) {
  const std::string& encoding = params.text("encoding");
  try {
    SilentProgress progress;
    Attended attended;
    attended.result = find_experiment("attend").stream(params, inputs_of(edge, encoding),
                                                       attended.arrays, progress);
    if (!rule.empty()) return "it should be refused: " + rule;
    return params.text("kernel") == "linear"
               ? fault_of_linear(edge, attended)
               : fault_of_softmax(edge, attended, tolerance(params.text("precision")));
  } catch (const UsageError& error) {
    const bool by_the_rule =
        !rule.empty() && std::string(error.what()).find(rule) != std::string::npos;
    return by_the_rule ? "" : std::string("it is refused: ") + error.what();
  }
}

}  // namespace

TEST_CASE("Softmax attention at the edges is refused by rule, finite, or announced") {
  const ParamSet defaults(find_experiment("attend").info.params);
  std::string faults;
  for (const EncodingSummary& encoding : encoding_list())
    for (const Choice& precision : defaults.spec("precision").choices)
      for (const Edge& edge : edges()) {
        ParamSet params = defaults;
        params.set("encoding", encoding.name);
        params.set("precision", precision.name);
        for (const auto& [key, value] : edge.words) params.set(key, value);
        if (edge.all_masked) params.set("mask_kind", "boolean");
        const std::string fault = fault_of(edge, params, rule(encoding.name, edge));
        if (!fault.empty())
          faults += encoding.name + " " + precision.name + " " + edge.name + ": " + fault + "\n";
      }
  INFO(faults);
  CHECK(faults.empty());
}

TEST_CASE("Linear attention at the edges is refused by rule, finite, or announced") {
  const ParamSet defaults(find_experiment("attend").info.params);
  std::string faults;
  for (const std::string encoding : {"none", "rope", "sinusoidal", "learned"})
    for (const Choice& map : defaults.spec("linear.feature_map").choices)
      for (const Choice& variant : defaults.spec("linear.variant").choices)
        for (const std::string precision : {"exact", "exact_fp32", "eager_fp32"})
          for (const Edge& edge : edges()) {
            if (edge.all_masked || !edge.words.empty()) continue;
            ParamSet params = defaults;
            for (const auto& [key, value] : Words{{"encoding", encoding},
                                                  {"kernel", "linear"},
                                                  {"precision", precision},
                                                  {"linear.feature_map", map.name},
                                                  {"linear.variant", variant.name},
                                                  {"linear.weights", "true"}})
              params.set(key, value);
            // FAVOR+ has an even number of features, whatever the channels.
            const bool turns_even = encoding == "rope" && map.name == "favor" &&
                                    variant.name != "rotated_before_features";
            const std::string fault =
                fault_of(edge, params, turns_even ? "" : rule(encoding, edge));
            if (!fault.empty())
              faults += encoding + " " + map.name + " " + variant.name + " " + precision + " " +
                        edge.name + ": " + fault + "\n";
          }
  INFO(faults);
  CHECK(faults.empty());
}

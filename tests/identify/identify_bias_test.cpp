// What the search finds in the biases of released programs, and of masks.
#include "experiments/identify/identify_bias.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/errors.h"
#include "tests/support/golden_file.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

struct BiasCase {
  Index heads{};
  Matrix<double> bias{};
  Positions queries{}, keys{};
  Precision format{};

  BiasAnswer answer() const {
    return identify_bias(
        {.heads = heads, .bias = bias, .queries = queries, .keys = keys, .format = format});
  }
};

Positions counted(Index count) {
  Positions positions;
  for (Index i = 0; i < count; ++i) positions.push_back(i);
  return positions;
}

BiasCase read_case(const json& entry) {
  auto shape = entry.at("shape").get<std::vector<Index>>();
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  const bool bf16 = entry.at("bf16");
  BiasCase found{.heads = shape[0],
                 .bias = Matrix<double>(shape[0] * shape[1], shape[2]),
                 .keys = counted(shape[2]),
                 .format = bf16 ? Precision::bf16 : Precision::fp32};
  const std::string hex = entry.at("bias");
  const std::size_t digits = bf16 ? 4 : 8;
  for (Index i = 0; i < found.bias.size(); ++i) {
    const std::string number = hex.substr(static_cast<std::size_t>(i) * digits, digits);
    auto bits = static_cast<std::uint32_t>(std::stoul(number, nullptr, 16));
    if (bf16) bits <<= 16;
    found.bias.data()[i] = static_cast<double>(std::bit_cast<float>(bits));
  }
  if (entry.contains("positions"))
    found.queries = entry.at("positions").get<Positions>();
  else
    for (Index i = 0; i < shape[1]; ++i) found.queries.push_back(shape[2] - shape[1] + i);
  return found;
}

std::string fact(const BiasHypothesis& hypothesis, const std::string& name, Precision format) {
  for (const auto& [field, value] : facts_of(hypothesis.bias, format))
    if (field == name) return value;
  return "";
}

BiasCase causal_alibi(Index n) {
  BiasCase made{.heads = 2,
                .bias = Matrix<double>(2 * n, n),
                .queries = counted(n),
                .keys = counted(n),
                .format = Precision::fp32};
  const std::vector<double> slopes = alibi_slopes(2);
  for (Index h = 0; h < 2; ++h)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        made.bias(h * n + i, j) =
            j > i ? -std::numeric_limits<double>::infinity()
                  : -slopes[static_cast<std::size_t>(h)] * static_cast<double>(i - j);
  return made;
}

}  // namespace

TEST_CASE(
    "The search tells which bias released programs add to logits, and which cells they hide") {
  const json file = golden("identify_bias.json");
  for (const auto& item : file.at("cases").items()) {
    const json& entry = item.value();
    const BiasCase matrix = read_case(entry);
    const BiasAnswer answer = matrix.answer();
    const BiasHypothesis& best = answer.best();
    INFO(item.key() << ": " << short_text(best.bias, matrix.format) << ", residual "
                    << best.residual.rms() << "; " << mask_text(answer.mask));
    CHECK(answer.explained == entry.value("explained", true));
    for (const auto& expected : entry.at("facts").items())
      CHECK(fact(best, expected.key(), matrix.format) == expected.value().get<std::string>());
    CHECK(defect_of(best.bias, matrix.format).empty() != entry.value("defect", false));
    CHECK_THAT(mask_text(answer.mask), Contains(entry.value("mask", "hides nothing")));
    if (entry.contains("ties")) {
      REQUIRE(answer.hypotheses.size() > 1);
      CHECK(answer.hypotheses[1].tied);
    }
  }
}

TEST_CASE(
    "A causal mask leaves open whether ALiBi's bias has |m − n| or m − n, and a key ahead tells") {
  const BiasCase matrix = causal_alibi(12);
  const BiasAnswer answer = matrix.answer();
  REQUIRE(answer.hypotheses.size() > 1);
  const WrittenBias &first = answer.best().bias, &second = answer.hypotheses[1].bias;
  CHECK(first.form == AlibiForm::symmetric);
  CHECK(second.form == AlibiForm::causal);
  CHECK(answer.hypotheses[1].tied);
  const auto r = telling_distance(first, second, 2, matrix.format);
  REQUIRE(r.has_value());
  CHECK(*r == -1);
}

TEST_CASE("A bias that depends on more than m − n is said to, by how many roundings") {
  BiasCase matrix = causal_alibi(12);
  CHECK(matrix.answer().toeplitz.of_values == 0);
  matrix.bias(7, 3) += 0.25;
  const BiasAnswer answer = matrix.answer();
  CHECK_FALSE(answer.explained);
  CHECK(answer.toeplitz.of_values > 1e5);
}

TEST_CASE("The key's position alone gives weights that depend on m − n, and logits that do not") {
  BiasCase matrix = causal_alibi(12);
  for (Index i = 0; i < matrix.bias.rows(); ++i)
    for (Index j = 0; j <= i % 12; ++j) matrix.bias(i, j) = 0.0625 * static_cast<double>(j);
  const BiasAnswer answer = matrix.answer();
  CHECK(answer.best().bias.form == AlibiForm::key);
  CHECK(answer.toeplitz.of_weights == 0);
  CHECK(answer.toeplitz.of_values > 1e5);
}

TEST_CASE("A NaN or an infinity that is seen leaves a bias unexplained") {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    BiasCase matrix = causal_alibi(12);
    matrix.bias(7, 3) = bad;
    const BiasAnswer answer = matrix.answer();
    CHECK_FALSE(answer.explained);
    CHECK(std::isnan(answer.best().residual.rms()));
  }
}

TEST_CASE("A matrix that hides everything has no bias to explain") {
  BiasCase matrix = causal_alibi(4);
  matrix.bias.setConstant(-std::numeric_limits<double>::infinity());
  const BiasAnswer answer = matrix.answer();
  CHECK(answer.mask.rule == MaskRule::everything);
  CHECK(answer.hypotheses.empty());
}

TEST_CASE("A bias of another shape than its positions is refused") {
  BiasCase matrix = causal_alibi(4);
  matrix.queries.pop_back();
  CHECK_THROWS_AS(matrix.answer(), UsageError);
}

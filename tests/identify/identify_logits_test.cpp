// What the search finds in the logits of queries and keys that Transformers turned.
#include "experiments/identify/identify_logits.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "core/errors.h"
#include "experiments/identify/describe_rope.h"
#include "tests/support/golden_file.h"
#include "tests/support/sampled.h"

using namespace orrery;
using namespace orrery::test;
using nlohmann::json;

namespace {

Matrix<double> numbers_of_hex(const std::string& hex, std::size_t digits, Index rows,
                              Index columns) {
  Matrix<double> values(rows, columns);
  for (Index i = 0; i < values.size(); ++i) {
    const std::string number = hex.substr(static_cast<std::size_t>(i) * digits, digits);
    auto bits = static_cast<std::uint32_t>(std::stoul(number, nullptr, 16));
    if (digits == 4) bits <<= 16;
    values.data()[i] = static_cast<double>(std::bit_cast<float>(bits));
  }
  return values;
}

struct LogitsCase {
  Index heads{};
  Matrix<double> q{}, k{}, logits{};
  Positions positions{};
  Precision format{Precision::fp32};

  LogitsQuestion question() const {
    return {.heads = heads,
            .q = q,
            .k = k,
            .logits = logits,
            .queries = positions,
            .keys = positions,
            .format = format};
  }
};

LogitsCase read_logits_case(const json& file, const json& entry) {
  const auto shape = file.at("shape").get<std::vector<Index>>();
  const Index rows = shape[0] * shape[1];
  LogitsCase found{.heads = shape[0],
                   .q = numbers_of_hex(file.at("q"), 4, rows, shape[2]),
                   .k = numbers_of_hex(file.at("k"), 4, rows, shape[2]),
                   .positions = file.at("positions").get<Positions>()};
  const bool bf16 = entry.at("bf16");
  found.logits = numbers_of_hex(entry.at("logits"), bf16 ? 4 : 8, rows, shape[1]);
  if (bf16) found.format = Precision::bf16;
  return found;
}

std::string value_of(const LogitsHypothesis& found, const std::string& field, Precision format) {
  if (field == "scale") {
    WrittenRope own = found.of_q;
    own.amplitude.reset();
    const double a = amplitude_of(own);
    return scale_words(found.scale / (a * a), own.d_head, format);
  }
  const std::string of_k = " of k";
  const bool is_k = field.size() > of_k.size() && field.ends_with(of_k);
  WrittenRope rope = is_k ? found.of_k : found.of_q;
  rope.amplitude.reset();
  const std::string name = is_k ? field.substr(0, field.size() - of_k.size()) : field;
  for (const auto& [key, value] : facts_of(rope))
    if (key == name) return value;
  return "";
}

}  // namespace

TEST_CASE("The search tells which rope turned the queries and keys of logits") {
  const json file = golden("identify_logits.json");
  std::size_t seen = 0;
  for (const auto& item : file.at("cases").items()) {
    if (!is_tried(seen++)) continue;
    const json& entry = item.value();
    const LogitsCase matrix = read_logits_case(file, entry);
    const LogitsAnswer answer = identify_logits(matrix.question());
    const LogitsHypothesis& best = answer.best();
    INFO(item.key() << ": " << short_text(best.of_q) << " | " << short_text(best.of_k) << ", scale "
                    << best.scale << ", residual " << best.residual.rms());
    CHECK(answer.explained == entry.value("explained", true));
    for (const auto& fact : entry.at("facts").items())
      CHECK(value_of(best, fact.key(), matrix.format) == fact.value().get<std::string>());
    if (entry.contains("base")) CHECK(best.of_q.base == Approx(entry.at("base").get<double>()));
  }
}

TEST_CASE("Logits at distance 0 alone leave the rope open") {
  const json file = golden("identify_logits.json");
  LogitsCase matrix = read_logits_case(file, file.at("cases").at("llama"));
  matrix.heads = 1;
  matrix.q = matrix.q.topRows(1).eval();
  matrix.k = matrix.k.topRows(1).eval();
  matrix.logits = matrix.logits.topLeftCorner(1, 1).eval();
  matrix.positions = {0};
  const LogitsAnswer answer = identify_logits(matrix.question());
  REQUIRE(answer.hypotheses.size() > 4);
  CHECK(answer.hypotheses[4].tied);
}

TEST_CASE("Logits with a NaN are not explained, and logits of other shapes are refused") {
  const json file = golden("identify_logits.json");
  LogitsCase matrix = read_logits_case(file, file.at("cases").at("llama"));
  matrix.logits(3, 2) = std::numeric_limits<double>::quiet_NaN();
  const LogitsAnswer answer = identify_logits(matrix.question());
  CHECK_FALSE(answer.explained);
  CHECK(std::isnan(answer.best().residual.rms()));
  matrix.logits = matrix.logits.leftCols(3).eval();
  CHECK_THROWS_AS(identify_logits(matrix.question()), UsageError);
}

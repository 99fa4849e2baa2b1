// What the search finds in tensors that Transformers and PyTorch turned, against how they were
// set.
#include <bit>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/identify/describe_rope.h"
#include "experiments/identify/identify_rotation.h"
#include "tests/support/golden_file.h"
#include "tests/support/sampled.h"

using namespace orrery;
using namespace orrery::test;
using nlohmann::json;

namespace {

/// Four hexadecimal digits per bf16 number, or eight per fp32 number.
Matrix<double> numbers_of(const std::string& hex, bool fp32, Index rows, Index columns) {
  Matrix<double> values(rows, columns);
  const std::size_t digits = fp32 ? 8 : 4;
  for (Index i = 0; i < values.size(); ++i) {
    const std::string number = hex.substr(digits * static_cast<std::size_t>(i), digits);
    const auto bits = static_cast<std::uint32_t>(std::stoul(number, nullptr, 16));
    values.data()[i] = static_cast<double>(std::bit_cast<float>(fp32 ? bits : bits << 16));
  }
  return values;
}

struct GoldenCase {
  Matrix<double> before, after;
  AxisPositions positions;
  Index heads;
  Precision format;

  RotationQuestion question() const {
    return {.tensor = {.heads = heads,
                       .before = before,
                       .after = after,
                       .positions = positions,
                       .format = format}};
  }
};

GoldenCase read_case(const json& file, const json& entry) {
  const auto shape = entry.at("shape").get<std::vector<Index>>();
  GoldenCase found;
  found.heads = shape[0];
  const Index rows = shape[0] * shape[1];
  found.before = numbers_of(file.at("inputs").at(entry.at("before").get<std::string>()), false,
                            rows, shape[2]);
  const bool fp32 = entry.value("fp32", false);
  found.after = numbers_of(entry.at("after"), fp32, rows, shape[2]);
  found.format = fp32 ? Precision::fp32 : Precision::bf16;
  const json& at = entry.at("positions");
  found.positions.resize(shape[1], at[0].is_array() ? static_cast<Index>(at[0].size()) : 1);
  for (Index n = 0; n < shape[1]; ++n)
    for (Index axis = 0; axis < found.positions.cols(); ++axis) {
      const json& row = at[static_cast<std::size_t>(n)];
      found.positions(n, axis) = row.is_array()
                                     ? row[static_cast<std::size_t>(axis)].get<Position>()
                                     : row.get<Position>();
    }
  return found;
}

/// The field's value, also where facts_of leaves it out as usual.
std::string value_of(const WrittenRope& rope, const std::string& field) {
  for (const auto& [name, value] : facts_of(rope))
    if (name == field) return value;
  if (field == "scaling") return "none";
  if (field == "attention factor") return "1";
  return "";
}

void check_facts(const std::string& name) {
  const json file = golden(name);
  std::size_t seen = 0;
  for (const auto& item : file.at("cases").items()) {
    if (!is_tried(seen++)) continue;
    const json& entry = item.value();
    const GoldenCase tensors = read_case(file, entry);
    const RotationAnswer answer = identify_rotation(tensors.question());
    INFO(item.key() << ": " << short_text(answer.best().rope) << ", residual "
                    << answer.best().residual.rms());
    CHECK(answer.explained);
    for (const auto& fact : entry.at("facts").items()) {
      const std::string found = value_of(answer.best().rope, fact.key());
      INFO(fact.key() << " is " << found);
      CHECK(found == fact.value().get<std::string>());
    }
    if (entry.contains("ties")) {
      REQUIRE(answer.hypotheses.size() > 1);
      CHECK(answer.hypotheses[1].tied);
    }
  }
}

/// Rows of one head, as NumPy wrote fp32.
Matrix<double> rows_of(const json& entry, const char* name) {
  const auto shape = entry.at("shape").get<std::vector<Index>>();
  return numbers_of(entry.at(name), true, shape[0] * shape[1], shape[2]);
}

}  // namespace

TEST_CASE("Rows are found wherever they are, and the rope with them") {
  const json file = golden("identify_rows.json");
  std::size_t seen = 0, unexplained = 0;
  for (const json& entry : file.at("cases")) {
    if (!is_tried(seen++)) continue;
    const Matrix<double> before = rows_of(entry, "before"), after = rows_of(entry, "after");
    const auto heads = entry.at("shape")[0].get<Index>(), rows = entry.at("shape")[1].get<Index>();
    AxisPositions stated(rows, 1);
    for (Index n = 0; n < rows; ++n) stated(n, 0) = n;
    RotationQuestion question{
        .tensor = {.heads = heads,
                   .before = before,
                   .after = after,
                   .positions = stated,
                   .format = precision_named(entry.at("format").get<std::string>())}};
    question.assumed = true;
    const RotationAnswer answer = identify_rotation(question);
    const WrittenRope& rope = answer.best().rope;
    INFO(entry.at("kind") << " " << entry.at("format") << ": " << short_text(rope) << ", residual "
                          << answer.best().residual.rms());
    if (!answer.explained) {  // in bf16, which of the scalings slow pairs have
      ++unexplained;
      continue;
    }
    CHECK(name(rope.pairing) == entry.at("pairing").get<std::string>());
    CHECK(rope.base == entry.at("base").get<double>());
    CHECK(rope.rotary_dims == entry.at("width").get<Index>());
    CHECK(value_of(rope, "scaling") == entry.at("scaling").get<std::string>());
    for (Index n = 0; n < rows; ++n)
      for (Index h = 0; h < heads; ++h)
        CHECK(written_position(rope, answer.positions(n, 0), n, h) ==
              entry.at("positions")[static_cast<std::size_t>(n)].get<Position>());
  }
  CHECK(unexplained <= 1);
}

TEST_CASE("The search tells how released programs turned their queries") {
  check_facts("identify.json");
}

TEST_CASE("The search tells drawn ropes that it once told wrong") {
  check_facts("identify_drawn.json");
}

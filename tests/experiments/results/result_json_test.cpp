#include "experiments/results/result_json.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "experiments/results/json_fields.h"
#include "tests/experiments/results/example_result.h"
#include "tests/support/approved_file.h"

using namespace orrery;

TEST_CASE("A result is written as the approved JSON") {
  const std::string text = json_text(to_json(example_result()));
  CHECK(text == approved_file("result.json", text));
}

TEST_CASE("Every finite double reads back from JSON as itself") {
  std::mt19937_64 random(1);
  Result result;
  for (int i = 0; i < 2000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (std::isfinite(value)) result.scalars.push_back({.value = value});
  }
  for (const double value : {5e-324, 1.7976931348623157e308, 0.1, 9007199254740993.0, 1e22})
    result.scalars.push_back({.value = value});
  const auto back = nlohmann::json::parse(json_text(to_json(result)));
  for (std::size_t i = 0; i < result.scalars.size(); ++i)
    CHECK(back["scalars"][i]["value"].get<double>() == result.scalars[i].value);
}

TEST_CASE("A stopped result says so") {
  Result result;
  result.status = Status::stopped;
  CHECK(to_json(result)["status"] == "stopped");
  CHECK(to_json(result)["tables"].is_array());
}

TEST_CASE("Bytes that are not UTF-8 do not keep a result from being written") {
  Result result;
  result.provenance.params = {{"text", "caf\xE9.txt"}};
  const auto back = nlohmann::json::parse(json_text(to_json(result)));
  CHECK(back["provenance"]["params"]["text"] == "caf\uFFFD.txt");
}

TEST_CASE("The head of a result is read without what follows it") {
  const std::string text = json_text(to_json(example_result()));
  const Result head = result_head(text), whole = example_result();
  CHECK(head.scalars.size() == whole.scalars.size());
  CHECK(json_text(to_json(head)["scalars"]) == json_text(to_json(whole)["scalars"]));
  CHECK(json_text(to_json(head)["checks"]) == json_text(to_json(whole)["checks"]));
  CHECK(json_text(to_json(head)["provenance"]) == json_text(to_json(whole)["provenance"]));
  CHECK(head.tables.empty());
  const std::size_t rest = text.find("\"tables\"") + std::string("\"tables\"").size();
  CHECK(result_head(text.substr(0, rest) + ": what is not JSON").scalars.size() ==
        whole.scalars.size());
  // However its lines are broken, and whatever has the name deeper down.
  CHECK(json_text(to_json(result_head(json_line(to_json(whole))))) == json_text(to_json(head)));
  std::string deeper = text;
  deeper.insert(1, "\n\"more\": {\"a\": 1,\n  \"tables\": 2},");
  CHECK(json_text(to_json(result_head(deeper))) == json_text(to_json(head)));
  CHECK_THROWS_AS(result_head(text.substr(0, rest - 20)), MalformedJson);
  CHECK_THROWS_AS(result_head("[1]"), MalformedJson);
  CHECK_THROWS_AS(result_head("{}"), MalformedJson);
  CHECK_THROWS_AS(result_head("{\"a\": " + std::string(100, '[') + std::string(100, ']') + "}"),
                  MalformedJson);
}

#include "experiments/sweeps/sweep_layout.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace orrery;

TEST_CASE("Parameters are written by their kind, and read back as the texts that they were") {
  const std::vector<ParamSpec> specs{
      {.key = "dim", .kind = ParamKind::integer}, {.key = "base", .kind = ParamKind::real},
      {.key = "limit", .kind = ParamKind::real},  {.key = "causal", .kind = ParamKind::boolean},
      {.key = "text", .kind = ParamKind::file},   {.key = "form", .kind = ParamKind::choice}};
  PointRecord point{.id = "a", .label = "a", .status = PointStatus::done};
  point.params = {{"dim", "64"},  {"base", "1e+07"}, {"limit", "inf"}, {"causal", "true"},
                  {"text", "42"}, {"form", "1"},     {"gone", "7"}};
  const nlohmann::ordered_json json = to_json(point, specs);
  CHECK(
      json["params"].dump() ==
      R"({"dim":64,"base":10000000.0,"limit":"inf","causal":true,"text":"42","form":"1","gone":"7"})");
  PointRecord again;
  read_point(json, again);
  CHECK(again.params == point.params);
}

#include "experiments/results/figure_json.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "experiments/results/json_fields.h"
#include "experiments/setup/common_axes.h"
#include "tests/support/same_result.h"

using namespace orrery;

namespace {

/// Figures here have no arrays and no long curves.
std::string no_place(const std::shared_ptr<const Array>&, std::string_view) { return {}; }
std::shared_ptr<const Array> no_array(Array, const std::string&) { return nullptr; }
std::optional<Table> no_table(Table, const std::string&, std::size_t) { return std::nullopt; }

Figure curve() {
  return {"profile_rope",
          "Profile",
          "d = 64",
          LinePlot{.x = distance_axis(), .y = channel_axis()},
          {.kind = "profile", .encodings = {"rope"}, .term = "content"}};
}

}  // namespace

TEST_CASE("Roles are saved with a figure and its axes") {
  for (const Axis& axis :
       {query_axis(), key_axis(), position_axis(), channel_axis(), distance_axis(), Axis{}}) {
    Figure figure = curve();
    std::get<LinePlot>(figure.content).y = axis;
    CHECK(test::same(figure_from_json(figure_json(figure, no_place), no_array, no_table), figure));
  }
}

TEST_CASE("A figure that was saved before there were roles is read without them") {
  nlohmann::ordered_json json = figure_json(curve(), no_place);
  json.erase("role");
  for (const char* axis : {"x", "y"}) json["content"][axis].erase("role");
  Figure expected = curve();
  expected.role = {};
  auto& plot = std::get<LinePlot>(expected.content);
  plot.x.role = plot.y.role = AxisRole::none;
  CHECK(test::same(figure_from_json(json, no_array, no_table), expected));
}

TEST_CASE("A role of another form is refused") {
  nlohmann::ordered_json json = figure_json(curve(), no_place);
  json["content"]["x"]["role"] = "sideways";
  CHECK_THROWS_AS(figure_from_json(json, no_array, no_table), MalformedJson);
  json = figure_json(curve(), no_place);
  json["role"]["encodings"] = "rope";
  CHECK_THROWS_AS(figure_from_json(json, no_array, no_table), MalformedJson);
}

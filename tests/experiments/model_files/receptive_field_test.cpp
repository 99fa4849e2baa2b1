#include "experiments/model_files/position_plan.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

using namespace orrery;
using Numbers = std::vector<double>;

namespace {

using Window = std::optional<std::int64_t>;

PositionPlan plan_with(const std::vector<Window>& windows, bool causal = true) {
  PositionPlan plan;
  for (const Window& window : windows) {
    LayerPlan layer{.encoding = "rope", .window = window, .causal = causal};
    plan.layers.push_back(layer);
  }
  return plan;
}

}  // namespace

TEST_CASE("By hand: windows of two and three over five tokens, without a residual") {
  // From position 4: the last layer's window of 2 gives 1/2 to 3 and 4; the first layer's of 3
  // shares each among three.
  const ReceptiveField field = receptive_field(plan_with({3, 2}), 5, 0.0);
  CHECK(field.reach == Numbers{0, 1, 3});
  REQUIRE(field.influence.size() == 5);
  const Numbers expected{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6, 0};
  for (std::size_t r = 0; r < 5; ++r)
    CHECK(field.influence[r] == Approx(expected[r]).margin(1e-15));
  CHECK(field.half == Numbers{0, 0, 1});
  CHECK(field.most == Numbers{0, 1, 3});
}

TEST_CASE("By hand: a residual of one half keeps half at every layer") {
  const ReceptiveField field = receptive_field(plan_with({Window{}}), 4, 0.5);
  const Numbers expected{0.625, 0.125, 0.125, 0.125};
  for (std::size_t r = 0; r < 4; ++r)
    CHECK(field.influence[r] == Approx(expected[r]).margin(1e-15));
  CHECK(field.reach.back() == 3);
}

TEST_CASE("Influence equals the row of the product of the layers' matrices") {
  const std::vector<Window> windows{4, Window{}, 3, 5};
  constexpr int n = 12;
  constexpr double rho = 0.3;
  for (const bool causal : {true, false}) {
    Numbers row(n, 0.0);
    row.back() = 1;
    for (auto window = windows.rbegin(); window != windows.rend(); ++window) {
      Numbers next(n, 0.0);
      for (int i = 0; i < n; ++i) {
        std::vector<int> seen;
        for (int j = 0; j < n; ++j) {
          const int r = i - j;
          const bool inside = !*window || std::abs(r) < **window;
          if (inside && (!causal || r >= 0)) seen.push_back(j);
        }
        for (const int j : seen)
          next[static_cast<std::size_t>(j)] +=
              (1 - rho) * row[static_cast<std::size_t>(i)] / static_cast<double>(seen.size());
        next[static_cast<std::size_t>(i)] += rho * row[static_cast<std::size_t>(i)];
      }
      row = next;
    }
    const ReceptiveField field = receptive_field(plan_with(windows, causal), n, rho);
    for (std::size_t r = 0; r < n; ++r)
      CHECK(field.influence[r] == Approx(row[n - 1 - r]).margin(1e-14));
  }
}

TEST_CASE("Layers without attention show a query itself alone, and one token sees itself") {
  PositionPlan plan = plan_with({3, 3});
  plan.layers[0].encoding = "not_attention";
  CHECK(receptive_field(plan, 9, 0.5).reach == Numbers{0, 2, 2});
  const ReceptiveField alone = receptive_field(plan, 1, 0.5);
  CHECK(alone.influence == Numbers{1});
  CHECK(alone.most.back() == 0);
}

#include "experiments/figure/plot/difference.h"

#include <catch2/catch.hpp>

namespace orrery {
namespace {

LinePlot plot_of(std::vector<Series> series) { return {.series = std::move(series)}; }

std::vector<std::string> ghost_names(const LinePlot& plot) {
  std::vector<std::string> names;
  for (const Series& series : plot.series)
    if (series.is_ghost()) names.push_back(series.name);
  return names;
}

using Names = std::vector<std::string>;

TEST_CASE("A single curve of another result is named by its settings alone") {
  LinePlot plot = plot_of({{.name = "RoPE", .x = {0, 1}, .y = {1, 2}, .color = 2}});
  const LinePlot other = plot_of({{.name = "RoPE",
                                   .x = {0, 1},
                                   .y = {3, 4},
                                   .band_low = {2, 3},
                                   .band_high = {4, 5},
                                   .color = 2}});
  add_ghosts(plot, {.plot = other, .name = "base 500", .settings = "base 500"}, {});
  REQUIRE(plot.series.size() == 2);
  CHECK_FALSE(plot.series[0].is_ghost());
  CHECK(plot.series[1].name == "base 500");
  CHECK(plot.series[1].ghost == "base 500");
  CHECK(plot.series[1].y == std::vector<double>{3, 4});
  CHECK(plot.series[1].band_low.empty());
}

TEST_CASE("Several curves, or other ones, are named each") {
  LinePlot plot =
      plot_of({{.name = "RoPE", .x = {0}, .y = {1}}, {.name = "T5", .x = {0}, .y = {1}}});
  const LinePlot other =
      plot_of({{.name = "RoPE", .x = {0}, .y = {3}}, {.name = "T5", .x = {0}, .y = {4}}});
  SECTION("at other settings") {
    add_ghosts(plot, {.plot = other, .name = "dim 64", .settings = "dim 64"}, {});
    CHECK(ghost_names(plot) == Names{"RoPE · dim 64", "T5 · dim 64"});
  }
  SECTION("without those that the reader hid") {
    add_ghosts(plot, {.plot = other, .name = "dim 64", .settings = "dim 64"}, {"RoPE"});
    CHECK(ghost_names(plot) == Names{"T5 · dim 64"});
  }
  SECTION("of another encoding") {
    const LinePlot alibi = plot_of({{.name = "ALiBi", .x = {0}, .y = {3}}});
    add_ghosts(plot, {.plot = alibi, .name = "ALiBi"}, {});
    add_ghosts(plot, {.plot = alibi, .name = "ALiBi · dim 64", .settings = "dim 64"}, {});
    CHECK(ghost_names(plot) == Names{"ALiBi", "ALiBi · dim 64"});
  }
  SECTION("but not twice by the same setting") {
    const LinePlot named = plot_of(
        {{.name = "RoPE, base 500000", .x = {0}, .y = {3}}, {.name = "T5", .x = {0}, .y = {3}}});
    add_ghosts(plot, {.plot = named, .name = "base 500\u2009000", .settings = "base 500\u2009000"},
               {});
    CHECK(ghost_names(plot) == Names{"RoPE, base 500000", "T5 · base 500\u2009000"});
  }
}

TEST_CASE("Curves that are equal where both have values are said to be so, not drawn twice") {
  const Series rope{.name = "RoPE", .x = {0, 1, 2}, .y = {1, 2, 3}};
  const Series t5{.name = "T5", .x = {0, 1, 2}, .y = {1, 2, 4}};
  const Series fewer{.name = "T5", .x = {0, 2}, .y = {1, 4}};
  const Series other{.name = "RoPE", .x = {0, 1, 2}, .y = {1, 2, 5}};
  const LinePlot plain = plot_of({rope, t5});
  LinePlot plot = plain;
  const LinePlot both = plot_of({rope, fewer}), one = plot_of({other, fewer});
  SECTION("all") {
    add_ghosts(plot, {.plot = both, .name = "seed 1", .settings = "seed 1"}, {});
    CHECK(ghost_names(plot) == Names{"seed 1 = RoPE, T5"});
    CHECK(plot.series.back().ghost == "seed 1 = RoPE, T5");
  }
  SECTION("some") {
    add_ghosts(plot, {.plot = one, .name = "seed 1", .settings = "seed 1"}, {});
    CHECK(ghost_names(plot) == Names{"RoPE · seed 1", "seed 1 = T5"});
    CHECK(plot.series.back().ghost == "seed 1");
  }
  SECTION("unless that is of no interest") {
    add_ghosts(plot, {.plot = one, .name = "seed 1", .settings = "seed 1", .tells_equal = false},
               {});
    CHECK(ghost_names(plot) == Names{"RoPE · seed 1"});
  }
  SECTION("where only the choice of curves differs, it is no news") {
    add_ghosts(plot, {.plot = both, .name = "RoPE + T5"}, {});
    CHECK(plot.series.size() == plain.series.size());
  }
}

TEST_CASE("Fixed ranges widen to show the ghosts; fitted ones stay fitted") {
  LinePlot plot = plot_of({{.name = "a", .x = {0}, .y = {1}}});
  plot.y.range = Range{0, 1};
  LinePlot other = plot_of({{.name = "a", .x = {0}, .y = {2}}});
  other.y.range = Range{-1, 0.5};
  other.x.range = Range{0, 9};
  add_ghosts(plot, {.plot = other, .name = "n 1", .settings = "n 1"}, {});
  CHECK(plot.y.range == Range{-1, 1});
  CHECK_FALSE(plot.x.range);
}

TEST_CASE("Plots of other quantities share no axes") {
  LinePlot a, b;
  CHECK(share_axes(a, b));
  b.y.unit = "bits";
  CHECK_FALSE(share_axes(a, b));
}

}  // namespace
}  // namespace orrery

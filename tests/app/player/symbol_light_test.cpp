#include "app/player/figure_marks.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "app/player/director.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/support/temp_folder.h"

namespace orrery {
namespace {}  // namespace

TEST_CASE("A label has a symbol only as a whole") {
  CHECK(has_symbol("$|S_j|$", "S_j"));
  CHECK_FALSE(has_symbol("$|S_j|$", "S"));
  CHECK_FALSE(has_symbol("$|S_j|$", "j"));
  CHECK(has_symbol("$m − n$", "m"));
  CHECK(has_symbol("$m − n$", "n"));
  CHECK_FALSE(has_symbol("mean", "m"));
  CHECK(has_symbol("$B_m = Σ \\cos(m θ_t)$", "θ_t"));
  CHECK_FALSE(has_symbol("$B_m = Σ \\cos(m θ_t)$", "θ"));
  CHECK(has_symbol("$a_{mn}$", "a_{m,n}"));
  CHECK_FALSE(has_symbol("$m₀$", "m"));
  CHECK_FALSE(has_symbol("$m$", ""));
}

TEST_CASE("A symbol names axes by their symbol or role, and the one curve of its axis") {
  Figure figure{.id = "f",
                .content = LinePlot{.x = {.symbol = "$m − n$", .role = AxisRole::relative_distance},
                                    .y = {.symbol = "$|S_j|$"},
                                    .series = {{.name = "RoPE"}}}};
  CHECK(parts_named(figure, "r").x_axis);
  CHECK(parts_named(figure, "m").x_axis);
  CHECK_FALSE(parts_named(figure, "t").any());
  CHECK(parts_named(figure, "S_j").y_axis);
  CHECK(parts_named(figure, "S_j").series == std::vector<std::string>{"RoPE"});
  std::get<LinePlot>(figure.content)
      .series.push_back({.name = "k = R_64 q", .label = "$k = R_{64} q$"});
  CHECK(parts_named(figure, "S_j").series.empty());
  CHECK(parts_named(figure, "R_64").series == std::vector<std::string>{"k = R_64 q"});
  figure.content = Heatmap{.y = {.role = AxisRole::query_position}, .symbol = "$a_{mn}$"};
  CHECK(parts_named(figure, "a_{m,n}").color_bar);
  CHECK(parts_named(figure, "m").y_axis);
}

TEST_CASE("An axis under the mouse gives the symbols of the step that name it") {
  FigureLayout layout;
  layout.x_axis = {0, 100, 100, 20};
  layout.y_axis = {-20, 0, 20, 100};
  layout.legend = {{{50, 10, 30, 10}, "cos(r θ_t)"}};
  const Figure figure{
      .id = "f",
      .content =
          LinePlot{.x = {.role = AxisRole::relative_distance},
                   .y = {.symbol = "$|S_j|$"},
                   .series = {{.name = "cos(r θ_t)", .label = "$\\cos(r θ_t)$"}, {.name = "b"}}}};
  const std::vector<std::string> symbols{"r", "S_j", "θ_t"};
  const auto at = [&](double x, double y) { return symbols_at(figure, layout, {x, y}, symbols); };
  CHECK(at(50, 110) == std::vector<std::string>{"r"});
  CHECK(at(-10, 50) == std::vector<std::string>{"S_j"});
  CHECK(at(60, 15) == std::vector<std::string>{"r", "θ_t"});
  CHECK(at(20, 50).empty());
}

TEST_CASE("A symbol that a step points at lights its axis, its curve and its control") {
  const TempFolder folder;
  const auto vertices_with = [&](const std::string& block) {
    const std::filesystem::path file = folder.path() / "mine.md";
    std::ofstream(file) << "# T\n\n```lesson\nmisconception: None.\n```\n\n## One\n\nDrag $r$ or "
                           "$q$.\n\n```state\nexperiment = \"long_term_decay\"\nfigure = "
                           "\"decay_bound\"\n```\n```controls\ndistance\n```\n"
                        << block << "```say\nA.\n```\n```card\nKeep.\n```\n";
    const auto session = start_session({}, {});
    test::NullDesktop desktop(*session, 1280, 800);
    desktop.settle();
    desktop.app().open_lesson(file.string());
    desktop.settle();
    CHECK(desktop.app().director().player().problems().empty());
    return desktop.vertices();
  };
  const std::size_t dark = vertices_with("");
  CHECK(vertices_with("```spotlight\nsymbol q\n```\n") == dark);
  CHECK(vertices_with("```spotlight\nsymbol r\n```\n") > dark);
}

}  // namespace orrery

#include "experiments/figure/plot/draw_figure.h"
#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/curve_cache.h"
#include "experiments/figure/plot/figure_layout.h"
#include "experiments/figure/plot/figure_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/support/approved.h"
#include "tests/support/recording_canvas.h"
#include "tests/support/sample_figures.h"

using namespace orrery;
using test::RecordingCanvas;

namespace {

constexpr Rect area{0.0, 0.0, 640.0, 440.0};

FigureStyle light() { return figure_style(Theme::light); }

FigureLayout draw(RecordingCanvas& canvas, const Figure& figure, const FigureView& view = {},
                  HeatmapCache* cache = nullptr) {
  return draw_figure(canvas, figure, area, light(), view, cache);
}

bool collide(const Rect& a, const Rect& b) {
  constexpr double touch = 0.05;
  return a.x + touch < b.right() && b.x + touch < a.right() && a.y + touch < b.bottom() &&
         b.y + touch < a.bottom();
}

bool within(const Rect& inner, const Rect& outer) {
  constexpr double rounding = 1e-6;
  return inner.x >= outer.x - rounding && inner.right() <= outer.right() + rounding &&
         inner.y >= outer.y - rounding && inner.bottom() <= outer.bottom() + rounding;
}

bool shows(const RecordingCanvas& canvas, const std::string& text) {
  return std::any_of(canvas.texts.begin(), canvas.texts.end(),
                     [&](const auto& t) { return t.utf8 == text; });
}

Figure lines(std::vector<double> x, std::vector<double> y) {
  LinePlot plot;
  Series series;
  series.name = "curve";
  series.x = std::move(x);
  series.y = std::move(y);
  plot.series.push_back(series);
  return {"lines", "", "", plot};
}

/// The curves of a figure once more, half as high, as those of other results.
Figure with_ghosts(Figure figure) {
  auto* plot = std::get_if<LinePlot>(&figure.content);
  if (!plot) return figure;
  const std::vector<Series> own = plot->series;
  for (Series ghost : own) {
    for (double& y : ghost.y) y /= 2;
    ghost.band_low = ghost.band_high = {};
    ghost.ghost = plot->series.size() % 2 == 0 ? "base 500\u2009000" : "max distance 64 · dim 32";
    ghost.name += " · " + ghost.ghost;
    plot->series.push_back(std::move(ghost));
  }
  return figure;
}

/// The box without the space above and below the letters, into which those of symbols may reach.
Rect room_of(const RecordingCanvas::Text& text) {
  const double part = 0.06 * text.style.size;
  Rect room = text.box;
  if (text.style.upward)
    room.x += part, room.width -= 2 * part;
  else
    room.y += part, room.height -= 2 * part;
  return room;
}

void check_readable(const RecordingCanvas& canvas, const Rect& whole) {
  REQUIRE(canvas.balanced());
  REQUIRE(canvas.all_finite);
  for (std::size_t i = 0; i < canvas.texts.size(); ++i) {
    INFO("text " << canvas.texts[i].utf8 << " at " << canvas.texts[i].box.x << ", "
                 << canvas.texts[i].box.y << ", " << canvas.texts[i].box.width << " by "
                 << canvas.texts[i].box.height);
    REQUIRE(within(canvas.texts[i].box, whole));
    for (std::size_t k = 0; k < i; ++k) {
      INFO("and " << canvas.texts[k].utf8);
      REQUIRE_FALSE(collide(room_of(canvas.texts[i]), room_of(canvas.texts[k])));
    }
  }
}

}  // namespace

TEST_CASE("At every size and scale all text is inside, nothing overlaps, no point is lost") {
  const std::vector<Size> sizes{{0, 0},     {1, 1},     {3, 200},   {200, 3},
                                {40, 30},   {90, 120},  {160, 120}, {220, 160},
                                {320, 560}, {640, 440}, {900, 300}, {1600, 1000}};
  std::vector<Figure> figures = test::sample_figures();
  for (const Figure& figure : test::sample_figures()) figures.push_back(with_ghosts(figure));
  for (const Figure& figure : figures) {
    for (const Size& size : sizes) {
      for (const double scale : {0.7, 1.0, 1.5, 3.0}) {
        INFO(figure.id << " at " << size.width << " x " << size.height << ", scale " << scale);
        RecordingCanvas canvas;
        const Rect whole{7.0, 11.0, size.width, size.height};
        const FigureLayout layout =
            draw_figure(canvas, figure, whole, figure_style(Theme::dark, scale));
        check_readable(canvas, whole);
        REQUIRE(within(layout.plot, {0.0, 0.0, whole.right(), whole.bottom()}));
        REQUIRE(layout.plot.width >= 0.0);
        REQUIRE(layout.plot.height >= 0.0);
      }
    }
  }
}

TEST_CASE("Nothing is drawn into an area that is not finite") {
  RecordingCanvas canvas;
  draw_figure(canvas, test::decay_figure(), {0.0, 0.0, std::nan(""), 100.0}, light());
  CHECK(canvas.log().empty());
}

TEST_CASE("Figures without data are drawn as empty axes, not as a crash") {
  for (const Figure& figure :
       {Figure{"a", "", "", LinePlot{}}, Figure{"b", "", "", Heatmap{}},
        Figure{"c", "", "", TableFigure{}}, Figure{"d", "", "", VectorPlot{}},
        Figure{"e", "", "", MapEquation{}}, Figure{"f", "", "", MapEquation{.terms = {{}}}},
        lines({}, {}), lines({1.0}, {1.0}), lines({std::nan("")}, {std::nan("")}),
        lines({0.0, 1.0}, {5.0, 5.0}), lines({0.0, 1.0, 2.0}, {1.0})}) {
    RecordingCanvas canvas;
    draw(canvas, figure);
    check_readable(canvas, area);
  }
}

TEST_CASE("A plot of only zeros and negative values on log axes is empty, not a crash") {
  Figure figure = lines({0.0, -1.0, -2.0}, {0.0, -1.0, 0.0});
  auto& plot = std::get<LinePlot>(figure.content);
  plot.x.scale = AxisScale::log2;
  plot.y.scale = AxisScale::log10;
  RecordingCanvas canvas;
  draw(canvas, figure);
  check_readable(canvas, area);
}

TEST_CASE("A view's ranges and scales replace the figure's") {
  RecordingCanvas canvas;
  FigureView view;
  view.x = Range{10.0, 20.0};
  view.y = Range{-5.0, 5.0};
  view.y_scale = AxisScale::log10;
  const FigureLayout layout = draw(canvas, test::decay_figure(), view);
  CHECK(layout.x.data == Range{10.0, 20.0});
  CHECK(layout.y.scale == AxisScale::log10);
  CHECK(layout.y.data.min > 0.0);
  CHECK(layout.y.data.max == 5.0);
  CHECK(layout.x.at_min == layout.plot.x);
  CHECK(layout.y.at_min == layout.plot.bottom());
}

TEST_CASE("A hidden curve leaves the plot and its range, and stays in the legend") {
  Figure figure = lines({0.0, 1.0}, {0.0, 1.0});
  auto& plot = std::get<LinePlot>(figure.content);
  plot.series.push_back(plot.series[0]);
  plot.series[1].name = "tall";
  plot.series[1].y = {0.0, 100.0};
  RecordingCanvas canvas;
  FigureView view;
  view.hidden = {"tall"};
  const FigureLayout layout = draw(canvas, figure, view);
  CHECK(layout.y.data.max < 2.0);
  REQUIRE(layout.legend.size() == 2);
  CHECK(layout.legend[1].series == "tall");
  CHECK(shows(canvas, "tall"));
}

TEST_CASE("The runs of a mean are thin, have no name of their own, and hide with it") {
  Figure figure = lines({0.0, 1.0}, {0.0, 1.0});
  auto& plot = std::get<LinePlot>(figure.content);
  plot.series.push_back(plot.series[0]);
  plot.series[1].name = "curve, seed 0";
  plot.series[1].part_of = "curve";
  plot.series[1].y = {0.0, 50.0};
  plot.series.push_back(plot.series[0]);
  plot.series[2].name = "other";
  RecordingCanvas canvas;
  const FigureLayout whole = draw(canvas, figure);
  REQUIRE(whole.legend.size() == 2);
  CHECK(whole.y.data.max > 49.0);
  CHECK_FALSE(shows(canvas, "curve, seed 0"));
  const std::string thin = fmt::format("line {:.2f} ", 0.4 * light().line_width);
  CHECK(canvas.log().find(thin) != std::string::npos);
  RecordingCanvas without;
  FigureView view;
  view.hidden = {"curve"};
  const FigureLayout hidden = draw(without, figure, view);
  CHECK(hidden.y.data.max < 2.0);
  CHECK(without.log().find(thin) == std::string::npos);
}

TEST_CASE("The legend does not move while a reader pans and zooms") {
  const auto corner = [](const FigureView& view) {
    RecordingCanvas canvas;
    return draw(canvas, test::decay_figure(), view).legend.at(0).box;
  };
  FigureView zoomed;
  zoomed.x = Range{100.0, 150.0};
  zoomed.y = Range{0.0, 30.0};
  CHECK(corner({}).x == Approx(corner(zoomed).x).margin(12.0));
  CHECK(corner({}).y == Approx(corner(zoomed).y));
}

TEST_CASE("A crowded plot has its legend beside it") {
  LinePlot plot;
  for (int k = 0; k < 6; ++k) {
    Series series;
    series.name = "noise " + std::to_string(k);
    series.x = test::counting(400);
    for (const double x : series.x) series.y.push_back(std::sin(1e4 * x + k));
    plot.series.push_back(series);
  }
  RecordingCanvas canvas;
  const FigureLayout layout = draw(canvas, {"crowd", "", "", plot});
  REQUIRE(layout.legend.size() == 6);
  CHECK(layout.legend[0].box.x >= layout.plot.right());
}

TEST_CASE("Long names are shortened in the middle, so that different ends stay visible") {
  LinePlot plot;
  for (const std::string end : {"A", "B"}) {
    Series series;
    series.name = std::string(120, 'x') + end;
    series.x = {0.0, 1.0};
    series.y = {0.0, 1.0};
    plot.series.push_back(series);
  }
  RecordingCanvas canvas;
  draw(canvas, {"names", "", "", plot});
  check_readable(canvas, area);
  for (const std::string end : {"A", "B"}) {
    CHECK(std::any_of(canvas.texts.begin(), canvas.texts.end(), [&](const auto& t) {
      return t.utf8.find("…") != std::string::npos && t.utf8.ends_with(end);
    }));
  }
}

TEST_CASE("A long caption is cut so that the plot keeps most of the area") {
  Figure figure = test::decay_figure();
  for (int i = 0; i < 8; ++i) figure.caption += figure.caption;
  RecordingCanvas canvas;
  const FigureLayout layout = draw(canvas, figure);
  CHECK(layout.plot.height > 0.45 * area.height);
  CHECK(canvas.texts.back().utf8.ends_with("…"));
}

TEST_CASE("A square map has square cells, row 0 on top") {
  RecordingCanvas canvas;
  const Figure figure = test::attention_figure(9);
  const auto& map = std::get<Heatmap>(figure.content);
  const FigureLayout layout = draw(canvas, figure);
  CHECK(layout.plot.width == Approx(layout.plot.height));
  const Rect first = cell_rect(map, layout, {0, 0});
  CHECK(first.x == Approx(layout.plot.x));
  CHECK(first.y == Approx(layout.plot.y));
  CHECK(first.width == Approx(first.height));
  CHECK(cell_at(map, layout, {layout.plot.x + 1.0, layout.plot.y + 1.0}) == Cell{0, 0});
  CHECK(cell_at(map, layout, {layout.plot.right() - 1.0, layout.plot.y + 1.0}) == Cell{0, 8});
  CHECK(cell_at(map, layout, {layout.plot.x + 1.0, layout.plot.bottom() - 1.0}) == Cell{8, 0});
  CHECK_FALSE(cell_at(map, layout, {layout.plot.x - 1.0, layout.plot.y}).has_value());
}

TEST_CASE("Cells are labelled by tokens if they fit, by positions otherwise") {
  RecordingCanvas few, many;
  draw(few, test::attention_figure(9));
  draw(many, test::attention_figure(1200));
  CHECK(shows(few, "transformers"));
  CHECK_FALSE(shows(many, "transformers"));
  CHECK(shows(many, "1000"));
}

TEST_CASE("A map with masked cells and NaN has a key for their colours") {
  RecordingCanvas masked, signed_map;
  draw(masked, test::attention_figure(9));
  CHECK(shows(masked, "masked"));
  CHECK_FALSE(shows(masked, "NaN"));
  draw(signed_map, test::signed_figure(40));
  CHECK(shows(signed_map, "NaN"));
  CHECK_FALSE(shows(signed_map, "masked"));
}

TEST_CASE("The colour bar runs over the range of the map, symmetric when signed") {
  RecordingCanvas canvas;
  const FigureLayout layout = draw(canvas, test::signed_figure(40));
  CHECK(layout.color.data.min == -layout.color.data.max);
  CHECK(layout.color.at_min == Approx(layout.color_bar.bottom()));
  CHECK(layout.color_bar.x > layout.plot.right());
  FigureView view;
  view.color = Range{-0.25, 0.5};
  RecordingCanvas again;
  CHECK(draw(again, test::signed_figure(40), view).color.data == Range{-0.5, 0.5});
}

TEST_CASE("An unchanged map keeps its image, a changed one gets a new one") {
  const Figure figure = test::signed_figure(64);
  HeatmapCache cache;
  const auto image = [&](const FigureView& view) {
    RecordingCanvas canvas;
    draw(canvas, figure, view, &cache);
    return canvas.images;
  };
  const auto first = image({}), second = image({});
  REQUIRE(first.size() == 2);
  CHECK(first[0] == second[0]);
  CHECK(first[1] == second[1]);
  FigureView zoomed;
  zoomed.x = Range{3.0, 9.0};
  CHECK(image(zoomed)[0] != first[0]);
  FigureView ranged;
  ranged.color = Range{-0.1, 0.1};
  CHECK(image(ranged)[0] != first[0]);
}

TEST_CASE("A zoomed map draws only the visible cells") {
  FigureView view;
  view.x = Range{9.5, 19.5};
  view.y = Range{-0.5, 4.5};
  RecordingCanvas canvas;
  draw(canvas, test::signed_figure(500), view);
  CHECK(canvas.images[0]->width == 10);
  CHECK(canvas.images[0]->height == 5);
}

TEST_CASE("Maps without cells, of one cell, of equal cells and of only NaN are drawn") {
  const float missing = std::numeric_limits<float>::quiet_NaN();
  for (const auto& values :
       {test::matrix(1, 1, {3.0F}), test::matrix(2, 2, {1, 1, 1, 1}),
        test::matrix(1, 3, {missing, missing, missing}), test::matrix(0, 0, {}),
        test::matrix(1, 50, std::vector<float>(50, 0.0F))}) {
    for (const Meaning meaning : {Meaning::sequential, Meaning::diverging, Meaning::cyclic}) {
      Heatmap map;
      map.values = values;
      map.meaning = meaning;
      RecordingCanvas canvas;
      draw(canvas, {"small", "", "", map});
      check_readable(canvas, area);
    }
  }
}

TEST_CASE("The range of a map's axis gives the centres of its first and last cell") {
  Heatmap map;
  map.values = test::matrix(1, 5, {0, 1, 2, 3, 4});
  map.x.range = Range{1000.0, 1040.0};
  RecordingCanvas canvas;
  const Figure figure{"offset", "", "", map};
  const FigureLayout layout = draw(canvas, figure);
  CHECK(layout.x.data == Range{995.0, 1045.0});
  const double y = layout.plot.y + 1.0;
  CHECK(cell_at(map, layout, {layout.x.to_canvas(1040.0), y}) == Cell{0, 4});
}

TEST_CASE("A plane of vectors has the same unit on both axes") {
  RecordingCanvas canvas;
  const FigureLayout layout = draw(canvas, test::chain_figure());
  const double x = layout.x.to_canvas(1.0) - layout.x.to_canvas(0.0);
  const double y = layout.y.to_canvas(0.0) - layout.y.to_canvas(1.0);
  CHECK(x == Approx(y));
}

TEST_CASE("Numbers in a table are right-aligned") {
  RecordingCanvas canvas;
  draw(canvas, test::table_figure());
  const auto right = [&](const std::string& text) {
    const auto found = std::find_if(canvas.texts.begin(), canvas.texts.end(),
                                    [&](const auto& t) { return t.utf8 == text; });
    REQUIRE(found != canvas.texts.end());
    return found->box.right();
  };
  CHECK(right("65536") == Approx(right("4160")));
  CHECK(right("1.2×10⁻³") == Approx(right("—")));
  CHECK(right("parameters") == Approx(right("4160")));
}

TEST_CASE("A table that is too long shows how many rows it leaves out") {
  TableFigure table;
  table.header = {"n"};
  for (int i = 0; i < 500; ++i) table.rows.push_back({std::to_string(i)});
  RecordingCanvas canvas;
  draw(canvas, {"long", "", "", table});
  check_readable(canvas, area);
  CHECK(canvas.texts.back().utf8.ends_with("more rows"));
}

TEST_CASE("Cells that are too long go on in the next line while there is room") {
  const std::string cell = "one two three four five six seven eight nine ten eleven twelve";
  const Figure figure{"t", "", "", TableFigure{{"key", "value"}, {{"a", cell}, {"b", "last"}}}};
  RecordingCanvas canvas;
  draw_figure(canvas, figure, {0.0, 0.0, 200.0, 300.0}, figure_style(Theme::light));
  check_readable(canvas, {0.0, 0.0, 200.0, 300.0});
  std::string all;
  for (const auto& text : canvas.texts) all += text.utf8 + " ";
  CHECK(all.find(cell) != std::string::npos);
  CHECK(all.find("last") != std::string::npos);
  CHECK(all.find("…") == std::string::npos);
}

TEST_CASE("Drawings are as approved") {
  struct Case {
    const char* name;
    Figure figure;
    Theme theme;
  };
  const std::vector<Case> cases{{"decay", test::decay_figure(), Theme::dark},
                                {"errors", test::error_figure(), Theme::light},
                                {"attention", test::attention_figure(9), Theme::light},
                                {"signed", test::signed_figure(120), Theme::dark},
                                {"chain", test::chain_figure(), Theme::print},
                                {"table", test::table_figure(), Theme::light},
                                {"equation_of_maps", test::equation_figure(8), Theme::light}};
  for (const Case& one : cases) {
    RecordingCanvas canvas;
    draw_figure(canvas, one.figure, {0.0, 0.0, 480.0, 320.0}, figure_style(one.theme));
    CHECK(test::difference_from_approved(std::string("figure/") + one.name + ".txt",
                                         canvas.log()) == "");
  }
}

TEST_CASE("For any numbers, all drawn points are finite and near the area") {
  const double inf = std::numeric_limits<double>::infinity();
  const double huge = std::numeric_limits<double>::max();
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<double> odd{0.0,   1.0,  -1.0,   inf,   -inf,  std::nan(""), huge,
                                -huge, tiny, 1e-300, 1e200, -1e30, 3.5,          1e16};
  const std::vector<AxisScale> scales{AxisScale::linear, AxisScale::log2, AxisScale::log10,
                                      AxisScale::symlog};
  std::size_t next = 1;
  const auto number = [&] { return odd[(next = next * 1103515245 + 12345) / 65536 % odd.size()]; };
  for (int turn = 0; turn < 400; ++turn) {
    LinePlot plot;
    plot.x.scale = scales[static_cast<std::size_t>(turn % 4)];
    plot.y.scale = scales[static_cast<std::size_t>(turn / 4 % 4)];
    plot.y.symlog_threshold = number();
    Series series;
    series.name = "odd";
    series.style = turn % 3 == 0 ? LineStyle::points : LineStyle::solid;
    for (int i = 0; i < 12; ++i) {
      series.x.push_back(number());
      series.y.push_back(number());
      series.band_low.push_back(number());
      series.band_high.push_back(number());
    }
    plot.series.push_back(series);
    plot.rules.push_back({Rule::Direction::vertical, number(), "rule"});
    VectorPlot vectors;
    for (int i = 0; i < 5; ++i) {
      vectors.arrows.push_back({number(), number(), number(), number(), number()});
    }
    FigureView view;
    if (turn % 2 == 1) view.x = Range{number(), number()};
    if (turn % 5 == 1) view.y = Range{number(), number()};
    if (turn % 7 == 1) view.color = Range{number(), number()};
    for (const Figure& figure : {Figure{"odd", "", "", plot}, Figure{"odd", "", "", vectors}}) {
      INFO("turn " << turn);
      RecordingCanvas canvas;
      draw(canvas, figure, view);
      check_readable(canvas, area);
      REQUIRE(canvas.farthest < 1000.0);
    }
    Heatmap map;
    map.values = test::matrix(2, 2, {static_cast<float>(number()), 1.0F, 2.0F, 3.0F});
    RecordingCanvas canvas;
    draw(canvas, {"odd", "", "", map}, view);
    check_readable(canvas, area);
  }
}

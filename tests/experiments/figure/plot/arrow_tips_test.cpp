#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "experiments/figure/color/style.h"
#include "experiments/figure/plot/draw_figure.h"
#include "experiments/figure/plot/figure_layout.h"
#include "tests/support/recording_canvas.h"

using namespace orrery;
using test::RecordingCanvas;

TEST_CASE("Each arrow is named at its tip, within the plot, and no name lies on another") {
  const Range all{-1.1, 1.1};
  VectorPlot plot{.x = {.range = all}, .y = {.range = all}};
  plot.arrows = {{0, 0, 1, 0, 0}, {0, 0, -1, 0, 1}, {0, 0, -1, 0.01, 2}, {0, 0, 0, 1, 3}};
  plot.sum = Arrow{0, 0, 0, -1, 4};
  plot.tips = {"east wind", "west wind", "again", "north", "south"};
  RecordingCanvas canvas;
  const FigureLayout layout = draw_figure(canvas, {"tips", "", "", plot}, {0, 0, 640, 440},
                                          figure_style(Theme::light), {}, nullptr);
  std::vector<RecordingCanvas::Text> names;
  for (const auto& text : canvas.texts)
    if (std::find(plot.tips.begin(), plot.tips.end(), text.utf8) != plot.tips.end())
      names.push_back(text);
  CHECK(names.size() == plot.tips.size());
  const auto apart = [](const Rect& a, const Rect& b) {
    return a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
  };
  for (std::size_t i = 0; i < names.size(); ++i) {
    INFO(names[i].utf8);
    CHECK(names[i].box.x >= layout.plot.x);
    CHECK(names[i].box.right() <= layout.plot.right());
    for (std::size_t j = i + 1; j < names.size(); ++j) CHECK(apart(names[i].box, names[j].box));
  }
}

#include "app/gui/ui.h"

#include <catch2/catch.hpp>
#include <string>

#include "experiments/figure/plot/draw_figure.h"
#include "tests/support/recording_canvas.h"

namespace orrery {
namespace {

/// Size of the letters of a table's first cell.
double cell_size(std::size_t rows, const FigureStyle& style) {
  TableFigure table{.header = {"name", "value"}};
  for (std::size_t i = 0; i < rows; ++i) table.rows.push_back({"cell", std::to_string(i)});
  test::RecordingCanvas canvas;
  draw_figure(canvas, {"table", "", "", table}, {0, 0, 1000, 600}, style);
  for (const test::RecordingCanvas::Text& text : canvas.texts)
    if (text.utf8 == "cell") return text.style.size;
  return 0.0;
}

TEST_CASE("A short table is enlarged on a page of the desktop, a long one fills it") {
  const FigureStyle page = desktop_style(Theme::dark, 1.0);
  CHECK(cell_size(4, page) == Approx(page.largest_table * page.text_size));
  CHECK(cell_size(60, page) < page.text_size);
  // Figures that are written keep the size of their text.
  const FigureStyle print = figure_style(Theme::print);
  CHECK(cell_size(4, print) == print.text_size);
}

}  // namespace
}  // namespace orrery

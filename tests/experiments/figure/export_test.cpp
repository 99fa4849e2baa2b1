#include "experiments/figure/export.h"

#include <array>
#include <catch2/catch.hpp>
#include <regex>

#include "experiments/figure/plot/draw_figure.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/recording_canvas.h"
#include "tests/support/sample_figures.h"

namespace orrery {
namespace {

std::vector<Formula> formulas() { return formulas_of({"long_term_decay"}); }

ExportOptions with_formulas(Theme theme = Theme::light) {
  return {.theme = theme, .formulas = formulas()};
}

constexpr std::array formats{FigureFormat::svg, FigureFormat::png, FigureFormat::pdf};

std::size_t place(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  INFO(part);
  REQUIRE(at != std::string::npos);
  return at;
}

TEST_CASE("A figure with formulas gives the same bytes every time") {
  for (const Figure& figure : test::sample_figures())
    for (const FigureFormat format : formats) {
      INFO(figure.id << " as " << extension(format));
      const std::string bytes = export_figure(figure, format, with_formulas());
      CHECK(bytes == export_figure(figure, format, with_formulas()));
      CHECK(bytes != export_figure(figure, format, Theme::light));
      CHECK(bytes != export_figure(figure, format, with_formulas(Theme::dark)));
    }
}

TEST_CASE("Without formulas a figure is unchanged") {
  for (const Figure& figure : test::sample_figures())
    CHECK(export_figure(figure, FigureFormat::svg, ExportOptions{}) ==
          svg_of(figure, Theme::light, {}, figure.id));
}

TEST_CASE("In SVG the letters of formulas are text, between title and plot") {
  const std::string svg = export_figure(test::decay_figure(), FigureFormat::svg, with_formulas());
  const std::size_t body = place(svg, "<rect");
  const std::string drawn = svg.substr(body);
  CHECK(place(drawn, ">Long-term decay") < place(drawn, ">∑</text>"));
  CHECK(place(drawn, ">∑</text>") < place(drawn, ">eq. (37)</text>"));
  CHECK(place(drawn, ">base</text>") < place(drawn, ">relative distance"));
}

TEST_CASE("The page grows by the strip, and title, plot and caption keep their size") {
  const FigureStyle style = figure_style(Theme::light);
  for (const Figure& figure : test::sample_figures())
    for (const Size page : {Size{760, 500}, Size{300, 260}, Size{150, 90}, Size{90, 700}}) {
      test::RecordingCanvas bare, canvas;
      const Rect area{0, 0, page.width, page.height};
      const EquationStrip strip =
          lay_out_strip(formulas(), canvas, figure_room(area, style).width, style);
      const double more = strip_room(strip, style);
      CHECK(more > strip.height);
      const FigureLayout before = draw_figure(bare, figure, area, style);
      const FigureLayout after =
          draw_figure_with(canvas, figure, strip, {page.width, page.height + more}, style);
      INFO(figure.id << " " << page.width << " x " << page.height);
      CHECK(after.plot.width == Approx(before.plot.width));
      CHECK(after.plot.height == Approx(before.plot.height));
      CHECK(after.plot.x == Approx(before.plot.x));
      CHECK(canvas.texts.size() > bare.texts.size());
      CHECK(canvas.balanced());
      for (const test::RecordingCanvas::Text& text : canvas.texts) {
        INFO(text.utf8);
        CHECK(text.box.x >= 0.0);
        CHECK(text.box.right() <= page.width);
        CHECK(text.box.y + 0.2 * text.style.size >= 0.0);  // a line is taller than its letters
        CHECK(text.box.bottom() <= page.height + more);
      }
    }
}

TEST_CASE("A formula that cannot be read is refused with its position") {
  const std::vector<Formula> wrong{{R"(\frc{1}{2})", ""}};
  CHECK_THROWS_WITH(
      export_figure(test::decay_figure(), FigureFormat::svg, ExportOptions{.formulas = wrong}),
      Catch::Contains("frac"));
}

TEST_CASE("On a page without captions, and in panels, a picture keeps its notices") {
  Figure figure = test::decay_figure();
  figure.caption = "contents: random; no trained model · first 32 of 256 tokens · d = 64 channels";
  const auto svg_of = [](const auto& drawing) {
    return export_figure(drawing, FigureFormat::svg, ExportOptions{.page = {.width = 234.0}});
  };
  // As text that is drawn, in lines, not in the file's description alone.
  const auto is_drawn = [](const std::string& svg, const std::string& words) {
    const std::size_t end = svg.find("</desc>");
    const std::regex between_lines("</text>\\s*<text[^>]*>");
    return std::regex_replace(svg.substr(end == std::string::npos ? 0 : end), between_lines, " ")
               .find(words) != std::string::npos;
  };
  for (const std::string& svg :
       {svg_of(figure), svg_of(lettered_panels("panels", "", {figure, figure}))}) {
    CHECK(is_drawn(svg, "no trained model · first 32 of 256 tokens"));
    CHECK_FALSE(is_drawn(svg, "64 channels"));
  }
  figure.caption = "d = 64 channels";
  CHECK_FALSE(is_drawn(svg_of(figure), "64 channels"));
}

}  // namespace
}  // namespace orrery

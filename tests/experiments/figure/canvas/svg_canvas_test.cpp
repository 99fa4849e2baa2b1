#include "experiments/figure/canvas/svg_canvas.h"

#include <cairo.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "core/errors.h"
#include "experiments/figure/canvas/cairo_canvas.h"
#include "experiments/figure/export.h"
#include "tests/support/sample_figures.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tools.h"
#include "tests/support/xml_check.h"

using namespace orrery;
using test::XmlCheck;

namespace {

constexpr std::array themes{Theme::light, Theme::dark, Theme::print};

std::string svg(const Figure& figure, Theme theme = Theme::light) {
  return export_figure(figure, FigureFormat::svg, theme);
}

std::unique_ptr<FileCanvas> small_canvas() { return svg_canvas({100.0, 50.0}, {"t", "d", "id"}); }

/// All texts in drawing order.
std::string drawn_words(const XmlCheck& xml) {
  std::string words;
  for (const XmlCheck::Text& text : xml.texts())
    if (text.element == "text") words += text.content + " ";
  return words;
}

Figure wave(std::size_t points) {
  Series series{.name = "wave", .x = test::counting(points)};
  for (const double x : series.x) series.y.push_back(std::sin(0.02 * x));
  return {"wave", "A wave", "", LinePlot{.series = {series}}};
}

}  // namespace

TEST_CASE("Every figure is well-formed SVG in every theme") {
  for (const Theme theme : themes) {
    for (const Figure& figure : test::sample_figures()) {
      INFO(figure.id);
      const XmlCheck xml(svg(figure, theme));
      CHECK(xml.error().empty());
      CHECK(xml.count("svg") == 1);
    }
  }
}

TEST_CASE("An independent XML parser reads every figure") {
  const bool python = test::has_program("python3");
  if (!python && !test::has_program("xmllint")) {
    WARN("neither python3 nor xmllint is installed: only our own reader was asked");
    return;
  }
  const std::string reader =
      python ? "python3 -c 'import sys, xml.etree.ElementTree as tree\n"
               "for path in sys.argv[1:]:\n"
               "  assert tree.parse(path).getroot().tag == \"{http://www.w3.org/2000/svg}svg\"' "
             : "xmllint --noout ";
  const TempFolder temp;
  for (const Figure& figure : test::sample_figures())
    temp.file(figure.id + std::to_string(figure.content.index()) + ".svg", svg(figure));
  CHECK(std::system((reader + temp.path().string() + "/*.svg").c_str()) == 0);
}

TEST_CASE("Text stays text: title, axes, curves, reference lines and tokens can be searched for") {
  const XmlCheck decay(svg(test::decay_figure()));
  CHECK(decay.has_text("title", "Long-term decay of the bound on RoPE scores"));
  CHECK(decay.has_text("text", "Long-term decay of the bound on RoPE scores"));
  CHECK(decay.has_text("text", "RoPE, base 10²"));
  CHECK(decay.has_text("text", "training length"));
  const std::string words = drawn_words(decay);
  for (const char* word : {"relative distance", "m − n", "(tokens)", "equation (37)", "100", "250"})
    CHECK_THAT(words, Catch::Matchers::Contains(word));
  const XmlCheck map(svg(test::attention_figure(9)));
  CHECK(map.has_text("desc", "ALiBi, slope 1/2; masked cells in grey."));
  CHECK(map.has_text("text", "transformers"));
  CHECK(map.count("image") == 2);  // the cells and the colour bar
}

TEST_CASE("Characters that XML reserves or forbids are escaped or replaced") {
  Figure figure = test::table_figure();
  figure.title = "one < two & \"three\" > four";
  figure.caption = std::string("bell \x07, half \xC3 character, \xEF\xBF\xBF");
  const std::string text = svg(figure);
  const XmlCheck xml(text);
  CHECK(xml.error().empty());
  CHECK(xml.has_text("title", figure.title));
  CHECK(xml.has_text("text", figure.title));
  CHECK(xml.has_text("desc", "bell \uFFFD, half \uFFFD character, \uFFFD"));
}

TEST_CASE("Spaces that viewers would drop are kept, and single ones stay as they are") {
  const auto canvas = small_canvas();
  canvas->text({10.0, 10.0}, " a b  c ", {});
  CHECK(XmlCheck(canvas->finish()).has_text("text", "\u00A0a b\u00A0\u00A0c\u00A0"));
}

TEST_CASE("Right-to-left text stays in reading order") {
  const auto canvas = small_canvas();
  canvas->text({10.0, 10.0}, "موقع", {});
  CHECK(XmlCheck(canvas->finish()).has_text("text", "موقع"));
}

TEST_CASE("The same figure gives the same bytes, and ids begin with the given name") {
  for (const Figure& figure : test::sample_figures()) CHECK(svg(figure) == svg(figure));
  const std::string named = svg_of(test::decay_figure(), Theme::light, Page{}, "3 point");
  CHECK(named.find("<clipPath id=\"f3-point-clip0\">") != std::string::npos);
}

TEST_CASE("Files are small") {
  CHECK(svg(wave(1000)).size() < 20'000);
  CHECK(svg(wave(1'000'000)).size() < 60'000);
  CHECK(svg(test::attention_figure(9)).size() < 16'000);
  CHECK(svg(test::table_figure()).size() < 8'000);
}

TEST_CASE("Text keeps its anchor and is fitted into the measured width") {
  const auto canvas = small_canvas();
  const TextStyle style{.size = 10.0, .horizontal = HorizontalAlign::center};
  const double width = canvas->text_size("decay", style).width;
  canvas->text({50.0, 20.0}, "decay", style);
  const std::string file = canvas->finish();
  CHECK_THAT(file, Catch::Matchers::Contains("<text x=\"50\"") &&
                       Catch::Matchers::Contains("text-anchor=\"middle\"") &&
                       Catch::Matchers::Contains("lengthAdjust=\"spacingAndGlyphs\""));
  const std::size_t at = file.find("textLength=\"") + 12;
  CHECK(std::stod(file.substr(at)) == Approx(width).margin(0.005));
}

TEST_CASE("Strokes of the same colour and width share a path unless their crossings would show") {
  const std::vector<Point> a{{0.0, 0.0}, {9.0, 9.0}}, b{{0.0, 9.0}, {9.0, 0.0}};
  const auto opaque = small_canvas();
  opaque->line_strip(a, {{1, 2, 3, 255}});
  opaque->line_strip(b, {{1, 2, 3, 255}});
  CHECK(XmlCheck(opaque->finish()).count("path") == 1);
  const auto translucent = small_canvas();
  translucent->line_strip(a, {{1, 2, 3, 100}});
  translucent->line_strip(b, {{1, 2, 3, 100}});
  CHECK(XmlCheck(translucent->finish()).count("path") == 2);
}

TEST_CASE("Impossible sizes and points are refused") {
  for (const Size bad : {Size{0.0, 10.0}, Size{10.0, -1.0}, Size{std::nan(""), 10.0}})
    CHECK_THROWS_AS(svg_canvas(bad, {}), UsageError);
  const auto canvas = small_canvas();
  const std::vector<Point> points{{0.0, 0.0}, {std::nan(""), 1.0}};
  CHECK_THROWS_AS(canvas->line_strip(points, {}), std::logic_error);
}

namespace {

struct DestroySurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using Surface = std::unique_ptr<cairo_surface_t, DestroySurface>;

Surface picture(const std::filesystem::path& path) {
  return Surface(cairo_image_surface_create_from_png(path.c_str()));
}

/// Mean colour, 0 … 255, of the block of pixels that starts at x, y.
constexpr int block = 4;
double mean_of_block(cairo_surface_t* picture, int x, int y, int channel) {
  double sum = 0.0;
  for (int i = 0; i < block; ++i)
    for (int j = 0; j < block; ++j)
      sum += cairo_image_surface_get_data(
          picture)[(y + i) * cairo_image_surface_get_stride(picture) + 4 * (x + j) + channel];
  return sum / (block * block);
}

/// Mean difference of two pictures, compared block by block to ignore the smoothing of glyphs and
/// edges; 255 when their sizes differ.
double mean_difference(cairo_surface_t* a, cairo_surface_t* b) {
  const int width = cairo_image_surface_get_width(a), height = cairo_image_surface_get_height(a);
  if (width != cairo_image_surface_get_width(b) || height != cairo_image_surface_get_height(b))
    return 255.0;
  double sum = 0.0;
  int blocks = 0;
  for (int y = 0; y + block <= height; y += block)
    for (int x = 0; x + block <= width; x += block, ++blocks)
      for (int channel = 0; channel < 3; ++channel)
        sum += std::abs(mean_of_block(a, x, y, channel) - mean_of_block(b, x, y, channel));
  return sum / (3.0 * blocks);
}

}  // namespace

TEST_CASE("An independent renderer shows the SVG like our PNG") {
  if (!test::has_program("rsvg-convert")) {
    WARN("rsvg-convert is not installed: the SVG was not rendered");
    return;
  }
  constexpr double most = 1.0;
  const TempFolder temp;
  for (const Figure& figure : test::sample_figures()) {
    for (const Theme theme : themes) {
      INFO(figure.id << " in theme " << static_cast<int>(theme));
      const auto ours = temp.file("ours.png", export_figure(figure, FigureFormat::png, theme, 1.0));
      const auto drawn = temp.file("drawn.svg", svg(figure, theme));
      const auto theirs = temp.path() / "theirs.png";
      REQUIRE(std::system(("rsvg-convert -o " + theirs.string() + " " + drawn.string()).c_str()) ==
              0);
      CHECK(mean_difference(picture(ours).get(), picture(theirs).get()) < most);
    }
  }
}

#include "experiments/figure/canvas/cairo_canvas.h"

#include <cairo.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <clocale>
#include <cmath>
#include <future>
#include <limits>
#include <memory>
#include <thread>

#include "core/errors.h"
#include "experiments/figure/canvas/svg_canvas.h"
#include "experiments/figure/canvas/symbol_font.h"
#include "experiments/figure/canvas/text_metrics.h"
#include "experiments/figure/plot/draw_figure.h"
#include "tests/support/sample_figures.h"

using namespace orrery;

namespace {

constexpr Size size{480.0, 320.0};

std::string render(const Figure& figure, FigureFormat format, Size on = size,
                   const FigureStyle& style = figure_style(Theme::light), double png_scale = 2.0) {
  const auto canvas = format == FigureFormat::svg
                          ? svg_canvas(on, {figure.title, figure.caption, figure.id})
                          : cairo_canvas(format, on, png_scale);
  draw_figure(*canvas, figure, {0.0, 0.0, on.width, on.height}, style);
  return canvas->finish();
}

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

}  // namespace

TEST_CASE("Files have the format of their extension") {
  for (const Figure& figure : test::sample_figures()) {
    INFO(figure.id);
    const std::string svg = render(figure, FigureFormat::svg);
    CHECK(svg.starts_with("<?xml"));
    CHECK(count(svg, "<svg") == 1);
    const std::string pdf = render(figure, FigureFormat::pdf);
    CHECK(pdf.starts_with("%PDF-1."));
    CHECK(pdf.find("%%EOF") != std::string::npos);
    const std::string png = render(figure, FigureFormat::png);
    CHECK(png.starts_with("\x89PNG\r\n\x1a\n"));
    CHECK(big_endian(png, 16) == 960);
    CHECK(big_endian(png, 20) == 640);
  }
  CHECK(extension(FigureFormat::svg) == "svg");
}

TEST_CASE("The same figure gives the same bytes") {
  for (const FigureFormat format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png}) {
    for (const Figure& figure : test::sample_figures()) {
      INFO(figure.id << " as " << extension(format));
      CHECK(render(figure, format) == render(figure, format));
    }
  }
}

TEST_CASE("Files do not depend on the time") {
  // Cairo 1.18 compresses the date, so that only another second shows whether it is the clock's.
  const auto in_pdf = [] { return render(test::table_figure(), FigureFormat::pdf); };
  const std::string before = in_pdf();
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  CHECK(in_pdf() == before);
}

TEST_CASE("Threads draw at the same time only with a Cairo whose fonts bear it") {
  std::promise<void> drawn;
  const std::future<void> done = drawn.get_future();
  std::jthread other;
  {
    const auto held = cairo_canvas(FigureFormat::pdf, size, 1.0);
    const auto beside = svg_canvas(size, {});  // a thread may hold several
    other = std::jthread([&] {
      render(test::table_figure(), FigureFormat::svg);
      drawn.set_value();
    });
    if (CairoTurn::needed())
      CHECK(done.wait_for(std::chrono::milliseconds(300)) == std::future_status::timeout);
  }
  done.wait();
}

TEST_CASE("Impossible sizes are refused with a remedy") {
  for (const Size bad :
       {Size{0.0, 10.0}, Size{10.0, -1.0}, Size{std::nan(""), 10.0}, Size{1e9, 10.0}}) {
    CHECK_THROWS_AS(render(test::table_figure(), FigureFormat::png, bad), UsageError);
  }
}

TEST_CASE("A figure of one by one point can be exported") {
  const FigureStyle style = figure_style(Theme::dark, 3.0);
  for (const Figure& figure : test::sample_figures()) {
    CHECK_FALSE(render(figure, FigureFormat::png, {1.0, 1.0}, style, 1.0).empty());
  }
}

TEST_CASE("A point that is not finite breaks an invariant") {
  const auto canvas = cairo_canvas(FigureFormat::png, {10.0, 10.0});
  const std::vector<Point> points{{0.0, 0.0}, {std::nan(""), 1.0}};
  CHECK_THROWS_AS(canvas->line_strip(points, {}), std::logic_error);
}

TEST_CASE("Text has the same width in all formats, in proportion to its size") {
  TextStyle small, large;
  small.size = 10.0;
  large.size = 20.0;
  const auto png = cairo_canvas(FigureFormat::png, {100.0, 100.0});
  const auto pdf = cairo_canvas(FigureFormat::pdf, {100.0, 100.0});
  const auto svg = svg_canvas({100.0, 100.0}, {});
  const Size once = png->text_size("θ_t (m − n)", small);
  CHECK(once.width == Approx(svg->text_size("θ_t (m − n)", small).width));
  CHECK(png->text_size("θ_t (m − n)", large).width == Approx(2.0 * once.width).epsilon(0.01));
  CHECK(once.width == Approx(pdf->text_size("θ_t (m − n)", small).width));
  CHECK(once.height > 10.0);
  CHECK(once.height < 14.0);
}

TEST_CASE("Symbols are set in STIX: embedded in PDF, named in SVG") {
  const auto draw = [](Canvas& canvas) {
    canvas.text({10.0, 20.0}, "θ", {.face = Face::italic, .vertical = VerticalAlign::baseline});
    canvas.text({20.0, 20.0}, "cos", {.face = Face::roman});
    canvas.text({50.0, 20.0}, "R", {.bold = true, .face = Face::roman});
  };
  const auto pdf = cairo_canvas(FigureFormat::pdf, {100.0, 100.0});
  const auto svg = svg_canvas({100.0, 100.0}, {});
  draw(*pdf);
  draw(*svg);
  const std::string text = svg->finish();
  CHECK(text.find("font-family=\"STIXGeneral,") != std::string::npos);
  CHECK(text.find("font-style=\"italic\"") != std::string::npos);
  const std::string file = pdf->finish();
  // Later versions compress the names of fonts.
  if (cairo_version() < CAIRO_VERSION_ENCODE(1, 17, 6))
    for (const char* font : {"+STIXGeneral-Italic", "+STIXGeneral-Regular", "+STIXGeneral-Bold"}) {
      INFO(font);
      CHECK(file.find(font) != std::string::npos);
    }
}

TEST_CASE("A character that STIX lacks, or any without STIX, is drawn in the font of text") {
  const auto canvas = cairo_canvas(FigureFormat::pdf, {100.0, 100.0});
  const TextStyle text{}, symbol{.face = Face::italic};
  CHECK(canvas->text_size("位", symbol).width == Approx(canvas->text_size("位", text).width));
  CHECK(canvas->text_size("x", symbol).width != Approx(canvas->text_size("x", text).width));
  const WithoutSymbolFonts none;
  CHECK(canvas->text_size("x", symbol).width == Approx(canvas->text_size("x", text).width));
}

TEST_CASE("Tokens in any script and invalid bytes are drawn") {
  TextStyle style;
  const auto canvas = cairo_canvas(FigureFormat::pdf, {100.0, 100.0});
  for (const std::string token :
       {"位置", "موقع", "मॉडल", "🙂", "\xC3", "a\x80z", "\xED\xA0\x80", "▁the", "\uFFFE",
        "a\uFFFFz", "\uFDD0", "\U0001FFFE", "\U0010FFFF"}) {
    CHECK(canvas->text_size(token, style).width > 0.0);
    canvas->text({10.0, 10.0}, token, style);
  }
  CHECK(canvas->finish().find("%%EOF") != std::string::npos);
}

TEST_CASE(
    "A map is drawn whatever numbers it holds and whatever ranges its axes and colours name") {
  constexpr double inf = std::numeric_limits<double>::infinity();
  auto values = std::make_shared<Array>();
  values->shape = {2, 3};
  values->values = std::vector<double>{1e308, -1e308, inf, -inf, 5e-324, 0.0};
  const std::vector<std::optional<Range>> ranges{
      std::nullopt,     Range{-1e308, 1e308},    Range{-1.7e308, -1e308}, Range{0.0, 5e-324},
      Range{1.0, 1.0},  Range{1.0, 1.0 + 1e-15}, Range{-inf, inf},        Range{0.0, inf},
      Range{inf, -inf}, Range{std::nan(""), 1.0}};
  for (const Meaning meaning : {Meaning::sequential, Meaning::diverging, Meaning::cyclic})
    for (const auto& range : ranges) {
      Heatmap map{.values = values, .meaning = meaning, .range = range};
      map.x.range = map.y.range = range;
      for (const FigureFormat format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png})
        CHECK_FALSE(render({"edges", "", "", map}, format).empty());
    }
}

TEST_CASE("A noncharacter is measured and drawn as U+FFFD is, alike in every format") {
  const auto captioned = [](const std::string& caption) {
    Figure figure = test::decay_figure();
    figure.title = "a" + caption + "z";
    figure.caption = caption;
    std::get<LinePlot>(figure.content).series[0].name = caption;
    return figure;
  };
  const Figure plain = captioned("\uFFFD");
  for (const std::string caption : {"\uFFFE", "\uFFFF", "\uFDD0", "\uFDEF", "\U0001FFFE"})
    for (const FigureFormat format : {FigureFormat::svg, FigureFormat::pdf, FigureFormat::png})
      CHECK(render(captioned(caption), format) == render(plain, format));
}

TEST_CASE("Cairo's failures are not measured as texts of width 0") {
  const std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> surface(
      cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1), &cairo_surface_destroy);
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> context(cairo_create(surface.get()),
                                                                   &cairo_destroy);
  TextMetrics metrics(context.get());
  CHECK(metrics.size("decay", {}).width > 0.0);
  cairo_restore(context.get());  // without a save: the context has failed from now on
  CHECK_THROWS_AS(metrics.size("decay", {}), IoError);
  CHECK_THROWS_AS(metrics.baseline_start({}, 0), IoError);
}

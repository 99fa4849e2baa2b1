#include "experiments/figure/plot/draw_figure.h"

#include <cairo.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "experiments/figure/canvas/cairo_canvas.h"
#include "experiments/figure/canvas/svg_canvas.h"
#include "experiments/studies/catalogue.h"
#include "tests/support/recording_canvas.h"

namespace orrery {
namespace {

const FigureStyle style = figure_style(Theme::light);

/// Formulas of all experiments, with all choices of their parameters.
std::vector<std::vector<Formula>> all_formulas() {
  std::vector<std::vector<Formula>> all;
  for (const Experiment* experiment : experiment_catalogue()) {
    const ExperimentInfo& info = experiment->info;
    all.push_back(formulas_of({info.name}));
    for (const ParamSpec& spec : info.params)
      for (const Choice& choice : spec.choices)
        all.push_back(formulas_of({info.name, {{spec.key, choice.name}}}));
    all.push_back(formulas_of({info.name, {}, {.encodings = {"shaw", "t5", "deberta"}}}));
  }
  std::erase_if(all, [](const auto& formulas) { return formulas.empty(); });
  const auto tex = [](const auto& formulas) {
    std::string text;
    for (const Formula& one : formulas) text += one.tex;
    return text;
  };
  std::map<std::string, std::vector<Formula>> once;
  for (const auto& formulas : all) once.emplace(tex(formulas), formulas);
  all.clear();
  for (const auto& [key, formulas] : once) all.push_back(formulas);
  return all;
}

std::size_t rows_of(const EquationStrip& strip) {
  std::set<double> baselines;
  for (const EquationStrip::Part& part : strip.parts) baselines.insert(part.origin.y);
  return baselines.size();
}

double right_end(const EquationStrip& strip) {
  double right = 0.0;
  for (const EquationStrip::Part& part : strip.parts)
    right = std::max(right, part.origin.x + part.box.width);
  return right;
}

struct ReadPng {
  explicit ReadPng(const std::string& bytes) : rest(bytes) {
    surface = cairo_image_surface_create_from_png_stream(&ReadPng::read, this);
    REQUIRE(cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS);
  }
  ~ReadPng() { cairo_surface_destroy(surface); }
  ReadPng(const ReadPng&) = delete;
  ReadPng& operator=(const ReadPng&) = delete;

  static cairo_status_t read(void* self, unsigned char* to, unsigned int count) {
    std::string_view& rest = static_cast<ReadPng*>(self)->rest;
    if (rest.size() < count) return CAIRO_STATUS_READ_ERROR;
    rest.copy(reinterpret_cast<char*>(to), count);
    rest.remove_prefix(count);
    return CAIRO_STATUS_SUCCESS;
  }
  int width() const { return cairo_image_surface_get_width(surface); }
  int height() const { return cairo_image_surface_get_height(surface); }
  std::uint32_t pixel(int x, int y) const {
    const unsigned char* row =
        cairo_image_surface_get_data(surface) + y * cairo_image_surface_get_stride(surface);
    return reinterpret_cast<const std::uint32_t*>(row)[x] & 0xFFFFFFU;
  }

  std::string_view rest;
  cairo_surface_t* surface{};
};

/// Number of ink pixels outside and inside of `inside`.
struct Ink {
  int outside{};
  int inside{};
};
Ink ink_of(const std::string& png, const Rect& inside, double scale) {
  const ReadPng picture(png);
  Ink ink;
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x) {
      if (picture.pixel(x, y) == 0xFFFFFFU) continue;
      ++(inside.contains({(x + 0.5) / scale, (y + 0.5) / scale}) ? ink.inside : ink.outside);
    }
  return ink;
}

TEST_CASE("Formulas are placed side by side and continue in further rows") {
  const test::RecordingCanvas canvas;
  const auto formulas = formulas_of({"long_term_decay"});
  const EquationStrip one = lay_out_strip(formulas, canvas, 5000, style);
  CHECK(rows_of(one) == 1);
  const double all = right_end(one);
  CHECK(rows_of(lay_out_strip(formulas, canvas, all, style)) == 1);
  const EquationStrip two = lay_out_strip(formulas, canvas, all - 1, style);
  CHECK(rows_of(two) == 2);
  CHECK(two.height > one.height);
  CHECK(two.parts.size() == one.parts.size());
  // The size stays the same.
  CHECK(two.parts[0].box.width == one.parts[0].box.width);
  CHECK(rows_of(lay_out_strip(formulas, canvas, one.parts[0].box.width, style)) == 3);
}

TEST_CASE("Sources follow their formulas on the same baseline in a muted colour") {
  test::RecordingCanvas canvas;
  const EquationStrip strip =
      lay_out_strip(formulas_of({"relative_invariance"}), canvas, 2000, style);
  draw_strip(canvas, strip, {0, 0}, style);
  std::string muted;
  for (const test::RecordingCanvas::Text& text : canvas.texts)
    if (text.style.color == style.muted) muted += text.utf8;
  CHECK(muted == "eq. (11)");  // a definition of this project has no source
  CHECK(strip.parts[1].origin.x > strip.parts[0].box.width);
  CHECK(strip.parts[1].origin.y == strip.parts[0].origin.y);
}

TEST_CASE("An empty strip has no height") {
  test::RecordingCanvas canvas;
  const EquationStrip strip = lay_out_strip({}, canvas, 500, style);
  CHECK(strip.height == 0.0);
  draw_strip(canvas, strip, {0, 0}, style);
  CHECK(canvas.log().empty());
}

TEST_CASE("A formula wider than the strip is scaled down as a whole") {
  const test::RecordingCanvas canvas;
  const auto formulas = formulas_of({"score_decomposition"});
  const EquationStrip wide = lay_out_strip(formulas, canvas, 5000, style);
  const EquationStrip narrow = lay_out_strip(formulas, canvas, right_end(wide) / 3, style);
  REQUIRE(narrow.parts.size() == wide.parts.size());
  CHECK(right_end(narrow) == Approx(right_end(wide) / 3));
  CHECK(narrow.height == Approx(wide.height / 3));
  for (std::size_t i = 0; i < wide.parts[0].box.glyphs.size(); ++i)
    CHECK(narrow.parts[0].box.glyphs[i].size == Approx(wide.parts[0].box.glyphs[i].size / 3));
}

TEST_CASE("No formula of any experiment extends beyond the strip, however narrow") {
  const auto all = all_formulas();
  CHECK(all.size() > experiment_catalogue().size() + 10);  // includes other choices
  const auto canvas = svg_canvas({100, 100}, {});
  for (const auto& formulas : all)
    for (const double width : {40.0, 150.0, 400.0, 735.0, 2000.0}) {
      const EquationStrip strip = lay_out_strip(formulas, *canvas, width, style);
      for (std::size_t i = 0; i < strip.parts.size(); ++i) {
        const EquationStrip::Part& part = strip.parts[i];
        INFO(formulas[0].tex << " at " << width << ", part " << i);
        const Rect box{part.origin.x, part.origin.y - part.box.ascent, part.box.width,
                       part.box.height()};
        CHECK(box.x >= 0.0);
        CHECK(box.right() <= width + 1e-9);
        CHECK(box.y >= -1e-9);
        CHECK(box.bottom() <= strip.height + 1e-9);
        CHECK((part.box.glyphs.empty() || part.box.glyphs[0].size > 0.0));
      }
    }
}

TEST_CASE("The ink of every formula stays within its strip") {
  constexpr double border = 12.0, scale = 2.0;
  constexpr double soft = 1.0;  // the edge of an antialiased letter
  for (const auto& formulas : all_formulas())
    for (const double width : {200.0, 735.0}) {
      const auto measure = svg_canvas({100, 100}, {});
      const EquationStrip strip = lay_out_strip(formulas, *measure, width, style);
      const Size page{width + 2 * border, std::ceil(strip.height) + 2 * border};
      const auto canvas = cairo_canvas(FigureFormat::png, page, scale);
      canvas->rect({0, 0, page.width, page.height}, {255, 255, 255});
      draw_strip(*canvas, strip, {border, border}, style);
      const Ink ink =
          ink_of(canvas->finish(),
                 {border - soft, border - soft, width + 2 * soft, strip.height + 2 * soft}, scale);
      INFO(formulas[0].tex << " at " << width);
      CHECK(ink.outside == 0);
      CHECK(ink.inside > 50);
    }
}

}  // namespace
}  // namespace orrery

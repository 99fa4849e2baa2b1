#include "experiments/figure/cairo_canvas.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/figure/fonts.h"
#include "experiments/figure/script.h"
#include "experiments/figure/svg_ids.h"
#include "experiments/figure/utf8.h"

namespace orrery {
namespace {

constexpr double largest_png_side = 16384.0;
constexpr double vector_pixels_per_point = 3.0;  ///< of images within SVG and PDF

struct Destroy {
  void operator()(cairo_t* c) const { cairo_destroy(c); }
  void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
  void operator()(cairo_pattern_t* p) const { cairo_pattern_destroy(p); }
  void operator()(cairo_font_options_t* o) const { cairo_font_options_destroy(o); }
};
using Surface = std::unique_ptr<cairo_surface_t, Destroy>;
using Context = std::unique_ptr<cairo_t, Destroy>;
using Pattern = std::unique_ptr<cairo_pattern_t, Destroy>;

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw IoError(cairo_status_to_string(status), "Cairo could not draw the figure",
                "try a smaller figure or another format");
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  } catch (...) {
    return CAIRO_STATUS_WRITE_ERROR;
  }
  return CAIRO_STATUS_SUCCESS;
}

void require_size(FigureFormat format, Size size, double png_scale) {
  const double scale = format == FigureFormat::png ? png_scale : 1.0;
  const double longest = std::max(size.width, size.height) * scale;
  const bool positive = size.width > 0.0 && size.height > 0.0 && scale > 0.0;
  if (positive && longest <= largest_png_side) return;
  throw UsageError(fmt::format("{} x {} at scale {}", number_text(size.width),
                               number_text(size.height), number_text(png_scale)),
                   "a figure has sides above 0 and of at most 16384 pixels",
                   "choose another size or scale");
}

Surface make_surface(FigureFormat format, Size size, double png_scale, std::string& bytes) {
  switch (format) {
    case FigureFormat::svg:
      return Surface(cairo_svg_surface_create_for_stream(append, &bytes, size.width, size.height));
    case FigureFormat::pdf: {
      Surface pdf(cairo_pdf_surface_create_for_stream(append, &bytes, size.width, size.height));
      // Without this Cairo writes the time of day.
      cairo_pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                     "1970-01-01T00:00:00Z");
      return pdf;
    }
    case FigureFormat::png:
      return Surface(cairo_image_surface_create(
          CAIRO_FORMAT_ARGB32, static_cast<int>(std::ceil(size.width * png_scale)),
          static_cast<int>(std::ceil(size.height * png_scale))));
  }
  return nullptr;
}

/// Metrics that do not depend on the resolution or on the user's font settings.
void set_font_options(cairo_t* context) {
  const std::unique_ptr<cairo_font_options_t, Destroy> options(cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context, options.get());
}

/// 32-bit words with alpha multiplied in, as Cairo keeps pixels.
std::uint32_t premultiplied(Color c) {
  const auto times = [&](std::uint32_t v) { return (v * c.a + 127U) / 255U; };
  return static_cast<std::uint32_t>(c.a) << 24 | times(c.r) << 16 | times(c.g) << 8 | times(c.b);
}

Surface image_surface(const Image& image, int factor) {
  Surface surface(
      cairo_image_surface_create(CAIRO_FORMAT_ARGB32, image.width * factor, image.height * factor));
  check(cairo_surface_status(surface.get()));
  cairo_surface_flush(surface.get());
  unsigned char* bytes = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  std::vector<std::uint32_t> row(static_cast<std::size_t>(image.width * factor));
  for (int y = 0; y < image.height * factor; ++y) {
    const auto* source = &image.pixels[static_cast<std::size_t>((y / factor) * image.width)];
    for (std::size_t x = 0; x < row.size(); ++x) {
      row[x] = premultiplied(source[x / static_cast<std::size_t>(factor)]);
    }
    std::memcpy(bytes + static_cast<std::ptrdiff_t>(y) * stride, row.data(), row.size() * 4);
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

}  // namespace

struct CairoCanvas::Target {
  Target(FigureFormat f, double s) : format(f), scale(s) {}
  FigureFormat format;
  double scale;
  std::string bytes{};
  Surface surface{};
  Context context{};
  FontBook fonts{};
};

std::string_view extension(FigureFormat format) {
  switch (format) {
    case FigureFormat::svg:
      return "svg";
    case FigureFormat::pdf:
      return "pdf";
    case FigureFormat::png:
      return "png";
  }
  return "";
}

namespace {

void set_color(cairo_t* context, Color c) {
  cairo_set_source_rgba(context, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
}

void add_path(cairo_t* context, std::span<const Point> points) {
  for (const Point& p : points) {
    check_invariant(std::isfinite(p.x) && std::isfinite(p.y), "points on a Canvas are finite");
    cairo_line_to(context, p.x, p.y);
  }
}

void set_dash(cairo_t* context, const Stroke& stroke) {
  const std::array<double, 2> dashed{3.2 * stroke.width, 2.2 * stroke.width};
  const std::array<double, 2> dotted{1.1 * stroke.width, 1.6 * stroke.width};
  if (stroke.dash == Dash::solid) return cairo_set_dash(context, nullptr, 0, 0.0);
  cairo_set_dash(context, stroke.dash == Dash::dashed ? dashed.data() : dotted.data(), 2, 0.0);
}

double width_of(cairo_t* context, const std::vector<FontRun>& runs, double size) {
  double width = 0.0;
  for (const FontRun& run : runs) {
    cairo_text_extents_t extents{};
    cairo_set_font_face(context, run.face);
    cairo_set_font_size(context, size);
    cairo_text_extents(context, run.utf8.c_str(), &extents);
    width += extents.x_advance;
  }
  return width;
}

}  // namespace

CairoCanvas::CairoCanvas(FigureFormat format, Size size, double png_scale) {
  require_size(format, size, png_scale);
  target_ = std::make_unique<Target>(format, png_scale);
  target_->surface = make_surface(format, size, png_scale, target_->bytes);
  check(cairo_surface_status(target_->surface.get()));
  target_->context.reset(cairo_create(target_->surface.get()));
  cairo_t* context = target_->context.get();
  check(cairo_status(context));
  if (format == FigureFormat::png) cairo_scale(context, png_scale, png_scale);
  cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
  set_font_options(context);
}

CairoCanvas::~CairoCanvas() = default;

CairoCanvas::LineExtents CairoCanvas::line_extents(const TextStyle& style) const {
  cairo_t* context = target_->context.get();
  cairo_set_font_face(context, target_->fonts.main_face(style.bold));
  cairo_set_font_size(context, style.size);
  cairo_font_extents_t font{};
  cairo_font_extents(context, &font);
  return {font.ascent, font.ascent + font.descent};
}

void CairoCanvas::line_strip(std::span<const Point> points, const Stroke& stroke) {
  cairo_t* context = target_->context.get();
  cairo_new_path(context);
  add_path(context, points);
  set_color(context, stroke.color);
  cairo_set_line_width(context, stroke.width);
  set_dash(context, stroke);
  cairo_stroke(context);
}

void CairoCanvas::fill(std::span<const Point> polygon, Color color) {
  cairo_t* context = target_->context.get();
  cairo_new_path(context);
  add_path(context, polygon);
  set_color(context, color);
  cairo_fill(context);
}

void CairoCanvas::fill_between(std::span<const Point> upper, std::span<const Point> lower,
                               Color color) {
  std::vector<Point> outline(upper.begin(), upper.end());
  outline.insert(outline.end(), lower.rbegin(), lower.rend());
  fill(outline, color);
}

void CairoCanvas::rect(const Rect& rect, Color color) {
  cairo_t* context = target_->context.get();
  cairo_rectangle(context, rect.x, rect.y, rect.width, rect.height);
  set_color(context, color);
  cairo_fill(context);
}

void CairoCanvas::image(const std::shared_ptr<const Image>& image, const Rect& target,
                        Filter filter) {
  if (!image || image->width <= 0 || image->height <= 0) return;
  cairo_t* context = target_->context.get();
  // Viewers of SVG and PDF smooth what they magnify; cells of many pixels stay sharp in all of
  // them.
  const bool vector = target_->format != FigureFormat::png;
  const double cell = std::min(target.width / image->width, target.height / image->height);
  const int factor = vector && filter == Filter::nearest
                         ? std::clamp(static_cast<int>(cell * vector_pixels_per_point), 1, 16)
                         : 1;
  const Surface pixels = image_surface(*image, factor);
  cairo_save(context);
  cairo_rectangle(context, target.x, target.y, target.width, target.height);
  cairo_clip(context);
  cairo_translate(context, target.x, target.y);
  cairo_scale(context, target.width / (image->width * factor),
              target.height / (image->height * factor));
  const Pattern pattern(cairo_pattern_create_for_surface(pixels.get()));
  cairo_pattern_set_filter(
      pattern.get(), filter == Filter::nearest ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR);
  cairo_pattern_set_extend(pattern.get(), CAIRO_EXTEND_PAD);
  cairo_set_source(context, pattern.get());
  cairo_paint(context);
  cairo_restore(context);
}

Size CairoCanvas::text_size(std::string_view utf8, const TextStyle& style) const {
  const auto runs = target_->fonts.runs(in_visual_order(valid_utf8(utf8)), style.bold);
  return {width_of(target_->context.get(), runs, style.size), line_extents(style).height};
}

void CairoCanvas::text(Point anchor, std::string_view utf8, const TextStyle& style) {
  cairo_t* context = target_->context.get();
  const auto runs = target_->fonts.runs(in_visual_order(valid_utf8(utf8)), style.bold);
  const double width = width_of(context, runs, style.size);
  const LineExtents line = line_extents(style);
  const double x = style.horizontal == HorizontalAlign::left     ? 0.0
                   : style.horizontal == HorizontalAlign::center ? -0.5 * width
                                                                 : -width;
  const double top = style.vertical == VerticalAlign::top      ? 0.0
                     : style.vertical == VerticalAlign::middle ? -0.5 * line.height
                                                               : -line.height;
  cairo_save(context);
  cairo_translate(context, anchor.x, anchor.y);
  if (style.upward) cairo_rotate(context, -0.5 * std::numbers::pi);
  cairo_move_to(context, x, top + line.ascent);
  set_color(context, style.color);
  for (const FontRun& run : runs) {
    cairo_set_font_face(context, run.face);
    cairo_set_font_size(context, style.size);
    cairo_show_text(context, run.utf8.c_str());
  }
  cairo_restore(context);
}

void CairoCanvas::push_clip(const Rect& rect) {
  cairo_t* context = target_->context.get();
  cairo_save(context);
  cairo_rectangle(context, rect.x, rect.y, rect.width, rect.height);
  cairo_clip(context);
}

void CairoCanvas::pop_clip() { cairo_restore(target_->context.get()); }

double CairoCanvas::pixels_per_point() const {
  return target_->format == FigureFormat::png ? target_->scale : vector_pixels_per_point;
}

std::string CairoCanvas::finish() {
  check(cairo_status(target_->context.get()));
  cairo_surface_t* surface = target_->surface.get();
  if (target_->format == FigureFormat::png) {
    check(cairo_surface_write_to_png_stream(surface, append, &target_->bytes));
  } else {
    cairo_surface_finish(surface);
    check(cairo_surface_status(surface));
  }
  std::string bytes = std::move(target_->bytes);
  return target_->format == FigureFormat::svg ? renumbered_ids(bytes) : bytes;
}

std::string render_figure(const Figure& figure, FigureFormat format, Size size,
                          const FigureStyle& style, double png_scale) {
  CairoCanvas canvas(format, size, png_scale);
  draw_figure(canvas, figure, {0.0, 0.0, size.width, size.height}, style);
  return canvas.finish();
}

}  // namespace orrery

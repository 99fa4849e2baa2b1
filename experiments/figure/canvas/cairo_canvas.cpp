#include "experiments/figure/canvas/cairo_canvas.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/figure/canvas/image_surface.h"
#include "experiments/figure/canvas/text_metrics.h"
#include "experiments/text/enum_names.h"

namespace orrery {
namespace {

const EnumNames<FigureFormat> format_names{
    {FigureFormat::svg, "svg"}, {FigureFormat::pdf, "pdf"}, {FigureFormat::png, "png"}};

constexpr double largest_png_side = 16384.0;
constexpr double vector_pixels_per_point = 3.0;  ///< resolution of images in a PDF

void require_size(FigureFormat format, Size size, double png_scale) {
  const double scale = format == FigureFormat::png ? png_scale : 1.0;
  const double longest = std::max(size.width, size.height) * scale;
  const bool positive = size.width > 0.0 && size.height > 0.0 && scale > 0.0;
  if (positive && longest <= largest_png_side) return;
  throw UsageError(fmt::format("{} x {} at scale {}", number_text(size.width),
                               number_text(size.height), number_text(png_scale)),
                   "width and height must be above 0 and at most 16384 pixels",
                   "choose another size or scale");
}

CairoSurface make_surface(FigureFormat format, Size size, double png_scale, std::string& bytes) {
  switch (format) {
    case FigureFormat::svg:
      break;
    case FigureFormat::pdf: {
      CairoSurface pdf(
          cairo_pdf_surface_create_for_stream(append_bytes, &bytes, size.width, size.height));
      // Otherwise Cairo writes the current time.
      cairo_pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_CREATE_DATE,
                                     "1970-01-01T00:00:00Z");
      return pdf;
    }
    case FigureFormat::png:
      return CairoSurface(cairo_image_surface_create(
          CAIRO_FORMAT_ARGB32, static_cast<int>(std::ceil(size.width * png_scale)),
          static_cast<int>(std::ceil(size.height * png_scale))));
  }
  return nullptr;
}

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
  const std::vector<double> pattern = dash_pattern(stroke);
  cairo_set_dash(context, pattern.data(), static_cast<int>(pattern.size()), 0.0);
}

class CairoCanvas final : public FileCanvas {
 public:
  CairoCanvas(FigureFormat format, Size size, double png_scale)
      : format_(format), scale_(png_scale) {
    check_invariant(format != FigureFormat::svg, "SVG is drawn by svg_canvas");
    require_size(format, size, png_scale);
    surface_ = make_surface(format, size, png_scale, bytes_);
    check_cairo(cairo_surface_status(surface_.get()));
    context_.reset(cairo_create(surface_.get()));
    cairo_t* context = context_.get();
    check_cairo(cairo_status(context));
    if (format == FigureFormat::png) cairo_scale(context, png_scale, png_scale);
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    text_.emplace(context);
  }

  void line_strip(std::span<const Point> points, const Stroke& stroke) override {
    cairo_t* context = context_.get();
    cairo_new_path(context);
    add_path(context, points);
    set_color(context, stroke.color);
    cairo_set_line_width(context, stroke.width);
    set_dash(context, stroke);
    cairo_stroke(context);
  }

  void fill(std::span<const Point> polygon, Color color) override {
    cairo_t* context = context_.get();
    cairo_new_path(context);
    add_path(context, polygon);
    set_color(context, color);
    cairo_fill(context);
  }

  void rect(const Rect& rect, Color color) override {
    cairo_t* context = context_.get();
    cairo_rectangle(context, rect.x, rect.y, rect.width, rect.height);
    set_color(context, color);
    cairo_fill(context);
  }

  void image(const std::shared_ptr<const Image>& image, const Rect& target,
             Filter filter) override {
    if (!image || image->width <= 0 || image->height <= 0) return;
    if (!(target.width > 0.0 && target.height > 0.0)) return;  // Cairo cannot scale by 0
    cairo_t* context = context_.get();
    const bool is_raster = format_ == FigureFormat::png;
    const int factor =
        is_raster ? 1 : upscale_factor(*image, target, filter, vector_pixels_per_point);
    const CairoSurface pixels = image_surface(*image, factor);
    cairo_save(context);
    cairo_rectangle(context, target.x, target.y, target.width, target.height);
    cairo_clip(context);
    cairo_translate(context, target.x, target.y);
    cairo_scale(context, target.width / (image->width * factor),
                target.height / (image->height * factor));
    const CairoOwner<cairo_pattern_t> pattern(cairo_pattern_create_for_surface(pixels.get()));
    cairo_pattern_set_filter(
        pattern.get(), filter == Filter::nearest ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR);
    // Pixels at the edge are mixed with what is beyond it; a PDF would store a padded copy for that.
    if (is_raster || filter != Filter::nearest)
      cairo_pattern_set_extend(pattern.get(), CAIRO_EXTEND_PAD);
    cairo_set_source(context, pattern.get());
    cairo_paint(context);
    cairo_restore(context);
  }

  Size text_size(std::string_view utf8, const TextStyle& style) const override {
    return text_->size(utf8, style);
  }

  void text(Point anchor, std::string_view utf8, const TextStyle& style) override {
    cairo_t* context = context_.get();
    const auto runs = text_->runs(utf8, style);
    const double width = text_->width(runs, style.size);
    const Point start = text_->baseline_start(style, width);
    cairo_save(context);
    cairo_translate(context, anchor.x, anchor.y);
    if (style.upward) cairo_rotate(context, -0.5 * std::numbers::pi);
    cairo_move_to(context, start.x, start.y);
    set_color(context, style.color);
    for (const FontBook::Run& run : runs) {
      cairo_set_font_face(context, run.face);
      cairo_set_font_size(context, style.size);
      cairo_show_text(context, run.utf8.c_str());
    }
    cairo_restore(context);
  }

  void push_clip(const Rect& rect) override {
    cairo_t* context = context_.get();
    cairo_save(context);
    cairo_rectangle(context, rect.x, rect.y, rect.width, rect.height);
    cairo_clip(context);
  }

  void pop_clip() override { cairo_restore(context_.get()); }

  double pixels_per_point() const override {
    return format_ == FigureFormat::png ? scale_ : vector_pixels_per_point;
  }

  std::string finish() override {
    check_cairo(cairo_status(context_.get()));
    cairo_surface_t* surface = surface_.get();
    if (format_ == FigureFormat::png) {
      check_cairo(cairo_surface_status(surface));
      // No more text is drawn, and others need not wait until this is compressed.
      text_.reset();
      context_.reset();
      turn_.reset();
      bytes_ = png_file(surface);
    } else {
      cairo_surface_finish(surface);
      check_cairo(cairo_surface_status(surface));
    }
    return std::move(bytes_);
  }

 private:
  std::optional<CairoTurn> turn_{std::in_place};  ///< declared first, so that it ends last
  FigureFormat format_;
  double scale_;
  std::string bytes_{};
  CairoSurface surface_{};
  CairoContext context_{};
  mutable std::optional<TextMetrics> text_{};
};

}  // namespace

std::string_view extension(FigureFormat format) { return name_in(format_names, format); }

FigureFormat figure_format_named(std::string_view name) {
  return value_named(format_names, name, "a figure format");
}

std::unique_ptr<FileCanvas> cairo_canvas(FigureFormat format, Size size, double png_scale) {
  return std::make_unique<CairoCanvas>(format, size, png_scale);
}

}  // namespace orrery

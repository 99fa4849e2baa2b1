#include "experiments/figure/canvas/text_metrics.h"

#include <memory>

#include "experiments/figure/canvas/image_surface.h"
#include "experiments/text/bidi.h"
#include "experiments/text/utf8.h"

namespace orrery {
namespace {

struct Destroy {
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};

std::unique_lock<std::recursive_mutex> turn_with_fonts() {
  static std::recursive_mutex one_at_a_time;
  return CairoTurn::needed() ? std::unique_lock(one_at_a_time)
                             : std::unique_lock<std::recursive_mutex>();
}

}  // namespace

CairoTurn::CairoTurn() : turn_(turn_with_fonts()) {}

bool CairoTurn::needed() { return cairo_version() < CAIRO_VERSION_ENCODE(1, 17, 4); }

TextMetrics::TextMetrics(cairo_t* context) : context_(context) {
  const std::unique_ptr<cairo_font_options_t, Destroy> options(cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(context, options.get());
}

std::vector<FontRun> TextMetrics::runs(std::string_view utf8, const TextStyle& style) {
  return fonts_.runs(in_visual_order(drawable_utf8(utf8)), style.face, style.bold);
}

double TextMetrics::width(const std::vector<FontRun>& runs, double size) {
  double width = 0.0;
  for (const FontRun& run : runs) {
    cairo_text_extents_t extents{};
    cairo_set_font_face(context_, run.face);
    cairo_set_font_size(context_, size);
    cairo_text_extents(context_, run.utf8.c_str(), &extents);
    width += extents.x_advance;
  }
  check_cairo(cairo_status(context_));
  return width;
}

LineExtents TextMetrics::line(const TextStyle& style) {
  cairo_set_font_face(context_, fonts_.main_face(style.face, style.bold));
  cairo_set_font_size(context_, style.size);
  cairo_font_extents_t font{};
  cairo_font_extents(context_, &font);
  check_cairo(cairo_status(context_));
  return {font.ascent, font.ascent + font.descent};
}

Size TextMetrics::size(std::string_view utf8, const TextStyle& style) {
  return {width(runs(utf8, style), style.size), line(style).height};
}

Point baseline_start(const TextStyle& style, double width, const LineExtents& line) {
  const double x = style.horizontal == HorizontalAlign::left     ? 0.0
                   : style.horizontal == HorizontalAlign::center ? -0.5 * width
                                                                 : -width;
  if (style.vertical == VerticalAlign::baseline) return {x, 0.0};
  const double top = style.vertical == VerticalAlign::top      ? 0.0
                     : style.vertical == VerticalAlign::middle ? -0.5 * line.height
                                                               : -line.height;
  return {x, top + line.ascent};
}

}  // namespace orrery

#pragma once

#include <cairo.h>

#include <memory>
#include <string>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

/// The bytes of a PNG file with the pixels of an image surface of format RGB24 or ARGB32; without
/// an alpha channel where every pixel is opaque.
///
/// Cairo's own writer has libpng try every filter on each row and compress at zlib's level 6: 35 ms
/// for a figure of 1520 x 1000 pixels, most of the time of a run. libpng's fast setting, without
/// filters and at level 3, takes a quarter of that; the files of all experiments are a sixth
/// larger.
std::string png_file(cairo_surface_t* surface);

struct ReleaseCairo {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
  void operator()(cairo_pattern_t* pattern) const { cairo_pattern_destroy(pattern); }
  void operator()(cairo_font_face_t* face) const { cairo_font_face_destroy(face); }
  void operator()(cairo_scaled_font_t* font) const { cairo_scaled_font_destroy(font); }
  void operator()(cairo_font_options_t* options) const { cairo_font_options_destroy(options); }
};
template <class Object>
using CairoOwner = std::unique_ptr<Object, ReleaseCairo>;
using CairoSurface = CairoOwner<cairo_surface_t>;
using CairoContext = CairoOwner<cairo_t>;

/// Throws IoError with Cairo's message unless `status` is success.
void check_cairo(cairo_status_t status);

/// A cairo_write_func_t that appends to the std::string at `bytes`.
cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int length);

/// The image as a Cairo surface, with each pixel repeated `factor` times in both directions. Throws
/// IoError.
CairoSurface image_surface(const Image& image, int factor = 1);

/// The image as the bytes of a PNG file, with each pixel repeated `factor` times in both
/// directions. Throws IoError.
std::string png_bytes(const Image& image, int factor = 1);

/// Repetition of each pixel of a map drawn into `target` that gives about `pixels_per_point`, so
/// that viewers which smooth magnified images leave the cells sharp. 1 for smooth images.
int upscale_factor(const Image& image, const Rect& target, Filter filter, double pixels_per_point);

}  // namespace orrery

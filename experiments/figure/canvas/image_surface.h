#pragma once

#include <cairo.h>

#include <memory>
#include <string>

#include "experiments/figure/canvas/canvas.h"

namespace orrery {

struct DestroySurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using CairoSurface = std::unique_ptr<cairo_surface_t, DestroySurface>;

struct DestroyContext {
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using CairoContext = std::unique_ptr<cairo_t, DestroyContext>;

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

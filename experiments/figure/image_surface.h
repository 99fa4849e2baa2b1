#pragma once

#include <cairo.h>

#include <memory>
#include <string>

#include "experiments/figure/canvas.h"

namespace orrery {

struct DestroySurface {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
using CairoSurface = std::unique_ptr<cairo_surface_t, DestroySurface>;

/// Throws IoError with Cairo's words unless all went well.
void check_cairo(cairo_status_t status);

/// A cairo_write_func_t; `bytes` is a std::string.
cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int length);

/// The pixels for Cairo, each `factor` times as wide and high. Throws IoError.
CairoSurface image_surface(const Image& image, int factor = 1);

/// The image as the bytes of a PNG file, each pixel `factor` times as wide and high. Throws
/// IoError.
std::string png_bytes(const Image& image, int factor = 1);

/// How often to repeat the cells of a map drawn into `target`, for viewers that smooth what they
/// magnify: so often that a cell has about `fineness` pixels a point.
int sharp_factor(const Image& image, const Rect& target, Filter filter, double fineness);

}  // namespace orrery

#include "experiments/figure/canvas/image_surface.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/errors.h"
#include "experiments/figure/canvas/png_file.h"

namespace orrery {
namespace {

/// Cairo's pixel format: a 32-bit word with premultiplied alpha.
std::uint32_t premultiplied(Color c) {
  const auto times = [&](std::uint32_t v) { return (v * c.a + 127U) / 255U; };
  return static_cast<std::uint32_t>(c.a) << 24 | times(c.r) << 16 | times(c.g) << 8 | times(c.b);
}

bool is_opaque(const Image& image) {
  return std::all_of(image.pixels.begin(), image.pixels.end(),
                     [](Color color) { return color.a == 255; });
}

}  // namespace

void check_cairo(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw IoError(cairo_status_to_string(status), "Cairo could not draw the figure",
                "try a smaller figure or another format");
}

cairo_status_t append_bytes(void* bytes, const unsigned char* data, unsigned int length) {
  try {
    static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  } catch (...) {
    return CAIRO_STATUS_WRITE_ERROR;
  }
  return CAIRO_STATUS_SUCCESS;
}

CairoSurface image_surface(const Image& image, int factor) {
  // Without an alpha channel opaque images give smaller files.
  const cairo_format_t format = is_opaque(image) ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32;
  CairoSurface surface(
      cairo_image_surface_create(format, image.width * factor, image.height * factor));
  check_cairo(cairo_surface_status(surface.get()));
  cairo_surface_flush(surface.get());
  unsigned char* bytes = cairo_image_surface_get_data(surface.get());
  const int stride = cairo_image_surface_get_stride(surface.get());
  std::vector<std::uint32_t> row(static_cast<std::size_t>(image.width * factor));
  const Color* source = image.pixels.data();
  for (int y = 0; y < image.height; ++y, source += image.width) {
    for (int x = 0; x < image.width; ++x)
      std::fill_n(row.begin() + static_cast<std::ptrdiff_t>(x) * factor, factor,
                  premultiplied(source[x]));
    for (int copy = 0; copy < factor; ++copy, bytes += stride)
      std::memcpy(bytes, row.data(), row.size() * 4);
  }
  cairo_surface_mark_dirty(surface.get());
  return surface;
}

int upscale_factor(const Image& image, const Rect& target, Filter filter, double pixels_per_point) {
  constexpr int most = 16;  // beyond this a smoothed edge is too narrow to be visible
  if (filter != Filter::nearest) return 1;
  const double cell = std::min(target.width / image.width, target.height / image.height);
  return static_cast<int>(std::clamp(cell * pixels_per_point, 1.0, static_cast<double>(most)));
}

std::string png_bytes(const Image& image, int factor) {
  return png_file(image_surface(image, factor).get());
}

}  // namespace orrery

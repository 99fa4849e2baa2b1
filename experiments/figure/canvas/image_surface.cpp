#include "experiments/figure/canvas/image_surface.h"

#include <png.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "core/errors.h"

namespace orrery {
namespace {

using Pixels = std::span<const std::uint32_t>;  ///< one row: alpha, red, green, blue, premultiplied

class Surface {
 public:
  explicit Surface(cairo_surface_t* surface) : surface_(surface) {
    const cairo_format_t format = cairo_image_surface_get_format(surface);
    check_invariant(format == CAIRO_FORMAT_RGB24 || format == CAIRO_FORMAT_ARGB32,
                    "a surface that becomes a PNG has pixels of 32 bits");
    has_alpha_ = format == CAIRO_FORMAT_ARGB32;
    cairo_surface_flush(surface);
    data_ = cairo_image_surface_get_data(surface);
  }

  int width() const { return cairo_image_surface_get_width(surface_); }
  int height() const { return cairo_image_surface_get_height(surface_); }
  Pixels row(int y) const {
    const auto stride = static_cast<std::ptrdiff_t>(cairo_image_surface_get_stride(surface_));
    // Cairo aligns each row for its pixels, which are words of 32 bits.
    return {reinterpret_cast<const std::uint32_t*>(data_ + y * stride),
            static_cast<std::size_t>(width())};
  }
  bool is_opaque() const {
    if (!has_alpha_) return true;
    for (int y = 0; y < height(); ++y)
      if (!std::ranges::all_of(row(y), [](std::uint32_t p) { return p >> 24 == 255; }))
        return false;
    return true;
  }

 private:
  cairo_surface_t* surface_;
  const unsigned char* data_{};
  bool has_alpha_{};
};

void write_opaque(Pixels row, unsigned char* to) {
  for (const std::uint32_t pixel : row) {
    *to++ = static_cast<unsigned char>(pixel >> 16);
    *to++ = static_cast<unsigned char>(pixel >> 8);
    *to++ = static_cast<unsigned char>(pixel);
  }
}

/// PNG has colours that are not multiplied with their alpha. Rounded to nearest, as Cairo does.
void write_with_alpha(Pixels row, unsigned char* to) {
  for (const std::uint32_t pixel : row) {
    const std::uint32_t alpha = pixel >> 24;
    for (const unsigned shift : {16U, 8U, 0U}) {
      const std::uint32_t value = pixel >> shift & 255U;
      *to++ = static_cast<unsigned char>(alpha == 0 ? 0 : (value * 255 + alpha / 2) / alpha);
    }
    *to++ = static_cast<unsigned char>(alpha);
  }
}

/// Cairo's pixel format: a 32-bit word with premultiplied alpha.
std::uint32_t premultiplied(Color c) {
  const auto times = [&](std::uint32_t v) { return (v * c.a + 127U) / 255U; };
  return static_cast<std::uint32_t>(c.a) << 24 | times(c.r) << 16 | times(c.g) << 8 | times(c.b);
}

bool is_opaque(const Image& image) {
  return std::ranges::all_of(image.pixels, [](Color color) { return color.a == 255; });
}

}  // namespace

std::string png_file(cairo_surface_t* image) {
  const Surface surface(image);
  const bool opaque = surface.is_opaque();
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  png.width = static_cast<png_uint_32>(surface.width());
  png.height = static_cast<png_uint_32>(surface.height());
  png.format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  png.flags = PNG_IMAGE_FLAG_FAST;
  const std::size_t line = PNG_IMAGE_ROW_STRIDE(png);
  // Not filled first: to write a figure's size of memory takes as long as to draw the figure.
  const auto pixels = std::make_unique_for_overwrite<unsigned char[]>(line * png.height);
  for (int y = 0; y < surface.height(); ++y)
    (opaque ? write_opaque : write_with_alpha)(surface.row(y),
                                               pixels.get() + line * static_cast<std::size_t>(y));
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
  const auto file = std::make_unique_for_overwrite<char[]>(size);
  const int written =
      png_image_write_to_memory(&png, file.get(), &size, 0, pixels.get(), 0, nullptr);
  if (written == 0) throw std::bad_alloc();  // the format is known and the file has its room
  return {file.get(), size};
}

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

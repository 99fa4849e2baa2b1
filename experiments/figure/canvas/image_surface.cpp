#include "experiments/figure/canvas/image_surface.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
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

void append_word(std::string& to, std::uint32_t word) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) to += static_cast<char>(word >> shift & 255U);
}

/// A PNG's chunk: its length, its name and bytes, and the check sum of these two.
void append_chunk(std::string& to, std::string_view name, std::string_view bytes) {
  append_word(to, static_cast<std::uint32_t>(bytes.size()));
  const std::size_t start = to.size();
  to.append(name).append(bytes);
  append_word(to, crc32_gzip_refl(0, reinterpret_cast<const unsigned char*>(&to[start]),
                                  to.size() - start));
}

/// Deflates what comes in parts.
class Deflated {
 public:
  Deflated() : memory_(ISAL_DEF_LVL1_DEFAULT) {
    isal_deflate_init(&stream_);
    stream_.gzip_flag = IGZIP_ZLIB;
    stream_.level = 1;
    stream_.level_buf = memory_.data();
    stream_.level_buf_size = static_cast<std::uint32_t>(memory_.size());
  }

  void add(std::span<unsigned char> bytes, bool is_last) {
    stream_.next_in = bytes.data();
    stream_.avail_in = static_cast<std::uint32_t>(bytes.size());
    stream_.end_of_stream = is_last ? 1 : 0;
    do {
      stream_.next_out = room_.data();
      stream_.avail_out = static_cast<std::uint32_t>(room_.size());
      check_invariant(isal_deflate(&stream_) == COMP_OK, "what deflates has its memory");
      bytes_.append(reinterpret_cast<const char*>(room_.data()), room_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  isal_zstream stream_{};
  std::vector<unsigned char> memory_;
  std::array<unsigned char, 1 << 14> room_{};
  std::string bytes_{};
};

void subtract(const unsigned char* from, const unsigned char* what, std::size_t count,
              unsigned char* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<unsigned char>(from[i] - what[i]);
}

/// The rows, each less the one above it: filter 2 of PNG, after which drawings are mostly 0.
std::string deflated_rows(const Surface& surface, bool opaque) {
  constexpr unsigned char up = 2;
  constexpr std::size_t at_once = 16;  // rows: they stay in the cache
  const std::size_t line = static_cast<std::size_t>(surface.width()) * (opaque ? 3 : 4);
  std::vector<unsigned char> above(line), row(line), filtered(at_once * (1 + line), up);
  Deflated deflated;
  std::size_t filled = 0;
  for (int y = 0; y < surface.height(); ++y) {
    (opaque ? write_opaque : write_with_alpha)(surface.row(y), row.data());
    subtract(row.data(), above.data(), line, &filtered[filled * (1 + line) + 1]);
    row.swap(above);
    const bool is_last = y + 1 == surface.height();
    if (++filled < at_once && !is_last) continue;
    deflated.add({filtered.data(), filled * (1 + line)}, is_last);
    filled = 0;
  }
  return deflated.bytes();
}

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

std::string png_file(cairo_surface_t* image) {
  const Surface surface(image);
  const bool opaque = surface.is_opaque();
  std::string header;
  append_word(header, static_cast<std::uint32_t>(surface.width()));
  append_word(header, static_cast<std::uint32_t>(surface.height()));
  header += {8, opaque ? char{2} : char{6}, 0, 0, 0};  // bits; RGB or RGBA; the one way of each
  std::string file("\x89PNG\r\n\x1a\n");
  append_chunk(file, "IHDR", header);
  append_chunk(file, "IDAT", deflated_rows(surface, opaque));
  append_chunk(file, "IEND", {});
  return file;
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

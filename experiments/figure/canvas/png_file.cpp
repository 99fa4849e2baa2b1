#include "experiments/figure/canvas/png_file.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/errors.h"

namespace orrery::figure {
namespace {

using Pixels = std::span<const std::uint32_t>;  ///< one row: alpha, red, green, blue, premultiplied

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";
constexpr unsigned char no_filter = 0, depth = 8, rgb = 2, rgb_and_alpha = 6;

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

std::string big_endian(std::size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes.push_back(static_cast<char>(value >> static_cast<unsigned>(shift) & 255U));
  return bytes;
}

/// Length, kind, content, and the CRC-32 of the last two.
void append_chunk(std::string& file, std::string_view kind, std::string_view content) {
  file += big_endian(content.size());
  const std::size_t start = file.size();
  file.append(kind).append(content);
  const auto* bytes = reinterpret_cast<const Bytef*>(file.data() + start);
  file += big_endian(crc32(0, bytes, static_cast<uInt>(file.size() - start)));
}

std::string header_of(const Surface& surface, bool opaque) {
  std::string header = big_endian(static_cast<std::size_t>(surface.width())) +
                       big_endian(static_cast<std::size_t>(surface.height()));
  constexpr char deflate = 0, adaptive_filters = 0, not_interlaced = 0;
  for (const char byte : {static_cast<char>(depth), static_cast<char>(opaque ? rgb : rgb_and_alpha),
                          deflate, adaptive_filters, not_interlaced})
    header.push_back(byte);
  return header;
}

/// Compresses bytes into the zlib format as they come.
class Deflater {
 public:
  Deflater() : buffer_(std::size_t{1} << 16) {
    constexpr int greedy = 3;  // the last level that takes the first match it finds
    check_invariant(deflateInit(&stream_, greedy) == Z_OK, "zlib begins to compress");
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void add(std::span<unsigned char> bytes) { compress(bytes, Z_NO_FLUSH); }
  std::string finish() {
    compress({}, Z_FINISH);
    return std::move(compressed_);
  }

 private:
  void compress(std::span<unsigned char> bytes, int flush) {
    stream_.next_in = bytes.data();
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = buffer_.data();
      stream_.avail_out = static_cast<uInt>(buffer_.size());
      check_invariant(deflate(&stream_, flush) != Z_STREAM_ERROR, "zlib compresses");
      compressed_.append(reinterpret_cast<const char*>(buffer_.data()),
                         buffer_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  std::vector<Bytef> buffer_;
  std::string compressed_{};
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

}  // namespace

std::string png_file(cairo_surface_t* image) {
  const Surface surface(image);
  const bool opaque = surface.is_opaque();
  const auto pixel_bytes = static_cast<std::size_t>(opaque ? 3 : 4);
  std::vector<unsigned char> line(1 + pixel_bytes * static_cast<std::size_t>(surface.width()),
                                  no_filter);
  Deflater lines;
  for (int y = 0; y < surface.height(); ++y) {
    (opaque ? write_opaque : write_with_alpha)(surface.row(y), line.data() + 1);
    lines.add(line);
  }
  std::string file(signature);
  append_chunk(file, "IHDR", header_of(surface, opaque));
  append_chunk(file, "IDAT", lines.finish());
  append_chunk(file, "IEND", "");
  return file;
}

}  // namespace orrery::figure

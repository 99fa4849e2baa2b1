#include <catch2/catch.hpp>
#include <cstring>

#include "experiments/figure/canvas/image_surface.h"
#include "experiments/figure/export.h"
#include "tests/support/sample_figures.h"

using namespace orrery;

namespace {

std::string written_by_cairo(cairo_surface_t* surface) {
  std::string bytes;
  check_cairo(cairo_surface_write_to_png_stream(surface, append_bytes, &bytes));
  return bytes;
}

cairo_status_t take_bytes(void* rest, unsigned char* to, unsigned int count) {
  auto& bytes = *static_cast<std::string_view*>(rest);
  if (bytes.size() < count) return CAIRO_STATUS_READ_ERROR;
  std::memcpy(to, bytes.data(), count);
  bytes.remove_prefix(count);
  return CAIRO_STATUS_SUCCESS;
}

CairoSurface read_by_cairo(std::string_view png) {
  CairoSurface surface(cairo_image_surface_create_from_png_stream(take_bytes, &png));
  REQUIRE(cairo_surface_status(surface.get()) == CAIRO_STATUS_SUCCESS);
  return surface;
}

void check_same_pixels(std::string_view ours, std::string_view theirs) {
  const CairoSurface a = read_by_cairo(ours), b = read_by_cairo(theirs);
  REQUIRE(cairo_image_surface_get_format(a.get()) == cairo_image_surface_get_format(b.get()));
  REQUIRE(cairo_image_surface_get_width(a.get()) == cairo_image_surface_get_width(b.get()));
  REQUIRE(cairo_image_surface_get_height(a.get()) == cairo_image_surface_get_height(b.get()));
  const auto row = static_cast<std::size_t>(cairo_image_surface_get_width(a.get())) * 4;
  for (int y = 0; y < cairo_image_surface_get_height(a.get()); ++y)
    REQUIRE(
        std::memcmp(cairo_image_surface_get_data(a.get()) +
                        static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(a.get()),
                    cairo_image_surface_get_data(b.get()) +
                        static_cast<std::ptrdiff_t>(y) * cairo_image_surface_get_stride(b.get()),
                    row) == 0);
}

}  // namespace

TEST_CASE("A PNG has the pixels of its surface, as Cairo would write them") {
  for (const Figure& figure : test::sample_figures()) {
    INFO(figure.id);
    const std::string ours = export_figure(figure, FigureFormat::png, Theme::dark);
    const CairoSurface surface = read_by_cairo(ours);
    const std::string theirs = written_by_cairo(surface.get());
    check_same_pixels(ours, theirs);
    CHECK(ours.size() < 2 * theirs.size());
  }
}

TEST_CASE("A PNG of an image with every alpha has its colours, and an opaque one no alpha") {
  Image image{.width = 256, .height = 256, .pixels = {}};
  const auto byte = [](int value) { return static_cast<std::uint8_t>(value); };
  for (int y = 0; y < 256; ++y)
    for (int x = 0; x < 256; ++x)
      image.pixels.push_back({byte(x), byte(255 - x), byte((x * y) % 256), byte(y)});
  const CairoSurface surface = image_surface(image);
  check_same_pixels(png_file(surface.get()), written_by_cairo(surface.get()));
  CHECK(png_file(surface.get())[25] == 6);
  for (Color& color : image.pixels) color.a = 255;
  const CairoSurface opaque = image_surface(image, 2);
  check_same_pixels(png_file(opaque.get()), written_by_cairo(opaque.get()));
  CHECK(png_file(opaque.get())[25] == 2);
}

TEST_CASE("A PNG is compressed by a fast level of zlib, which takes a quarter of the time") {
  const std::string png = export_figure(test::decay_figure(), FigureFormat::png, Theme::light);
  const std::size_t data = png.find("IDAT");
  REQUIRE(data != std::string::npos);
  // RFC 1950: the level in the first two bits of the second byte; 0 fastest, 1 fast, 2 default.
  CHECK(static_cast<unsigned char>(png.at(data + 5)) >> 6 == 1);
}

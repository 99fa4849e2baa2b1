#include "tests/app/approved_picture.h"

#include <cairo.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "app/headless/offscreen.h"
#include "experiments/files/atomic_write.h"

namespace orrery::test {
namespace {

using Mean = std::array<double, 3>;

Mean mean_of(const Image& image, int left, int top) {
  Mean sum{};
  for (int y = top; y < top + square_size; ++y)
    for (int x = left; x < left + square_size; ++x) {
      const Color& p = image.pixels[static_cast<std::size_t>(y * image.width + x)];
      sum[0] += p.r;
      sum[1] += p.g;
      sum[2] += p.b;
    }
  for (double& channel : sum) channel /= square_size * square_size;
  return sum;
}

bool overlaps(const Rect& area, int left, int top) {
  return area.width > 0 && left + square_size > area.x && left < area.right() &&
         top + square_size > area.y && top < area.bottom();
}

Image read_png(const std::filesystem::path& path) {
  cairo_surface_t* surface = cairo_image_surface_create_from_png(path.c_str());
  Image image{cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface), {}};
  const unsigned char* data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; data && y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, data + y * stride + 4 * x, sizeof pixel);
      image.pixels.push_back({static_cast<std::uint8_t>(pixel >> 16),
                              static_cast<std::uint8_t>(pixel >> 8),
                              static_cast<std::uint8_t>(pixel), 255});
    }
  cairo_surface_destroy(surface);
  return image;
}

}  // namespace

double difference_of(const Image& a, const Image& b, const Rect& ignored) {
  if (a.width != b.width || a.height != b.height) return 1;
  double squares = 0, odd = 0;
  for (int top = 0; top + square_size <= a.height; top += square_size)
    for (int left = 0; left + square_size <= a.width; left += square_size) {
      if (overlaps(ignored, left, top)) continue;
      const Mean one = mean_of(a, left, top), other = mean_of(b, left, top);
      ++squares;
      for (std::size_t i = 0; i < one.size(); ++i)
        if (std::abs(one[i] - other[i]) > pixel_tolerance) {
          ++odd;
          break;
        }
    }
  return squares > 0 ? odd / squares : 0;
}

std::string difference_from_picture(const std::filesystem::path& approved,
                                    const std::shared_ptr<const Image>& picture,
                                    const Rect& ignored, const std::filesystem::path& beside) {
  if (const char* approve = std::getenv("ORRERY_APPROVE"); approve && std::string(approve) == "1") {
    atomic_write(approved, png_bytes(picture));
    return {};
  }
  if (!std::filesystem::exists(approved))
    return approved.string() + " is missing; run with ORRERY_APPROVE=1 and look at it";
  const double odd = difference_of(read_png(approved), *picture, ignored);
  if (odd <= max_odd_share) return {};
  const std::filesystem::path now = beside / (approved.stem().string() + ".new.png");
  atomic_write(now, png_bytes(picture));
  return fmt::format("{:.2f} % of {} differ, more than {:.2f} %; see {}", 100 * odd,
                     approved.string(), 100 * max_odd_share, now.string());
}

}  // namespace orrery::test

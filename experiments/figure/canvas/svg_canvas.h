#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/model/figure.h"

namespace orrery {

/// A number with at most two decimals, in any locale: "12.5", "-.25", "7". `value` must be finite.
std::string svg_number(double value);

/// The points as the `d` attribute of an SVG path: "M3 4l1 0 .5-2". Steps are differences of
/// rounded points, so that rounding errors do not add up. Points that round to the previous one are
/// left out; the path of a single point is empty.
std::string svg_path(std::span<const Point> points);

/// Accessible title and description of a drawing, and the prefix of its ids, which must be unique
/// on a page with several drawings.
struct SvgMetadata {
  std::string title{};
  std::string description{};
  std::string id{};
};

/// A canvas that produces an SVG 1.1 file, which SVG 2 viewers read as well. Text stays text; maps
/// are embedded as PNG; numbers have two decimals. The same drawing gives the same bytes. Text is
/// set in DejaVu Sans and symbols in STIX; a viewer with other fonts fits them into the width
/// measured here, at the same anchor.
///
/// `size` in points; one point is one user unit. Throws UsageError for a size that is not above 0.
std::unique_ptr<FileCanvas> svg_canvas(Size size, const SvgMetadata& metadata);

}  // namespace orrery

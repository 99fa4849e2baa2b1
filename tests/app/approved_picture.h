#pragma once

#include <filesystem>
#include <string>

#include "experiments/figure/canvas/canvas.h"

namespace orrery::test {

/// How alike two pictures must be: the mean of each square of `square_size` pixels within
/// `pixel_tolerance` of 255 in every channel, in all squares but `max_odd_share` of them. So
/// another version of a rasteriser may set a letter's edge otherwise, and a curve that is missing
/// is seen.
inline constexpr int square_size = 8;
inline constexpr double pixel_tolerance = 12;
inline constexpr double max_odd_share = 0.002;

/// The part of squares that differ; 1 for pictures of different sizes. What lies within `ignored`
/// does not count.
double difference_of(const Image& a, const Image& b, const Rect& ignored = {});

/// Compares with an approved PNG file. Empty when they are alike, otherwise what differs; the
/// picture is then beside the tests as NAME.new.png. With ORRERY_APPROVE=1 in the environment the
/// file is rewritten instead: look at it.
std::string difference_from_picture(const std::filesystem::path& approved,
                                    const std::shared_ptr<const Image>& picture,
                                    const Rect& ignored, const std::filesystem::path& beside);

}  // namespace orrery::test

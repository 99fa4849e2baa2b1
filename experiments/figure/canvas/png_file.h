#pragma once

#include <cairo.h>

#include <string>

namespace orrery {

/// The bytes of a PNG file with the pixels of an image surface of format RGB24 or ARGB32; without
/// an alpha channel where every pixel is opaque.
///
/// Cairo's own writer has libpng try every filter on each row and compress at zlib's level 6: 35 ms
/// for a figure of 1520 x 1000 pixels, most of the time of a run. libpng's fast setting, without
/// filters and at level 3, takes a quarter of that; the files of all experiments are a sixth
/// larger.
std::string png_file(cairo_surface_t* surface);

}  // namespace orrery

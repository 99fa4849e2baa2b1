#include "app/gui/changed_areas.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <utility>

#include "app/gui/draw_commands.h"
#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

constexpr int tile = 32;  // pixels
// Each rectangle repeats the commands that reach it.
constexpr std::size_t most_areas = 12;
// Beyond this many, joining rectangles pair by pair takes longer than drawing more.
constexpr std::size_t most_joined = 96;

/// One step of a 64-bit hash: the constants are those of splitmix64 (Steele et al. 2014).
std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash ^= word + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash ^= hash >> 30;
  hash *= 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 27);
}

std::uint64_t bits(float a, float b) {
  return static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(a)) << 32 |
         std::bit_cast<std::uint32_t>(b);
}

std::uint64_t hash_of(const ImDrawVert& v) {
  return mixed(mixed(bits(v.pos.x, v.pos.y), bits(v.uv.x, v.uv.y)), v.col);
}

/// What a command's triangles share: texture and clip rectangle.
std::uint64_t hash_of(const ImDrawCmd& command) {
  const ImVec4& clip = command.ClipRect;
  return mixed(mixed(shim::texture_bits(command), bits(clip.x, clip.y)), bits(clip.z, clip.w));
}

class TileHashes {
 public:
  TileHashes(int width, int height, int columns, int rows)
      : width_(width),
        height_(height),
        columns_(columns),
        hashes_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

  void add(const ImDrawList& list) {
    vertices_.resize(static_cast<std::size_t>(list.VtxBuffer.Size));
    std::transform(list.VtxBuffer.begin(), list.VtxBuffer.end(), vertices_.begin(),
                   [](const ImDrawVert& v) { return hash_of(v); });
    for (const ImDrawCmd& command : list.CmdBuffer)
      if (!command.UserCallback) add(triangles_of(command, list.IdxBuffer, list.VtxBuffer));
  }
  std::vector<std::uint64_t> take() { return std::move(hashes_); }

 private:
  void add(const Triangles& triangles) {
    const PixelRect scissor = scissor_of(triangles.command, width_, height_);
    const std::uint64_t common = hash_of(triangles.command);
    for (std::size_t i = 0; i + 2 < triangles.corners.size(); i += 3) {
      const PixelRect reach = intersection(reach_of(triangles, i), scissor);
      if (reach.is_empty()) continue;
      std::uint64_t hash = common;
      for (const ImDrawIdx corner : triangles.corners.subspan(i, 3))
        hash = mixed(hash, vertices_[triangles.command.VtxOffset + corner]);
      add(reach, hash);
    }
  }
  void add(const PixelRect& reach, std::uint64_t hash) {
    for (int row = reach.top / tile; row * tile < reach.bottom; ++row)
      for (int column = reach.left / tile; column * tile < reach.right; ++column) {
        std::uint64_t& sum = hashes_[static_cast<std::size_t>(row * columns_ + column)];
        sum = mixed(sum, hash);
      }
  }

  int width_, height_, columns_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> vertices_{};
};

/// Joins the two rectangles whose hull adds the fewest pixels.
void join_nearest(std::vector<PixelRect>& areas) {
  std::size_t first = 0, second = 1;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t a = 0; a < areas.size(); ++a)
    for (std::size_t b = a + 1; b < areas.size(); ++b) {
      const std::int64_t added =
          hull(areas[a], areas[b]).area() - areas[a].area() - areas[b].area();
      if (added >= least) continue;
      least = added;
      first = a;
      second = b;
    }
  areas[first] = hull(areas[first], areas[second]);
  areas.erase(areas.begin() + static_cast<std::ptrdiff_t>(second));
}

/// Joins rectangles until none overlap and there are at most `most_areas`.
std::vector<PixelRect> few_disjoint(std::vector<PixelRect> areas) {
  if (areas.size() > most_joined) {
    PixelRect all = areas.front();
    for (const PixelRect& area : areas) all = hull(all, area);
    return {all};
  }
  while (areas.size() > most_areas) join_nearest(areas);
  for (std::size_t a = 0; a < areas.size(); ++a)
    for (std::size_t b = a + 1; b < areas.size(); ++b) {
      if (intersection(areas[a], areas[b]).is_empty()) continue;
      areas[a] = hull(areas[a], areas[b]);
      areas.erase(areas.begin() + static_cast<std::ptrdiff_t>(b));
      a = b = 0;
    }
  return areas;
}

}  // namespace

std::vector<PixelRect> ChangedAreas::update(const ImDrawData& data, int width, int height) {
  if (width != width_ || height != height_) hashes_.clear();
  width_ = width;
  height_ = height;
  columns_ = (width + tile - 1) / tile;
  rows_ = (height + tile - 1) / tile;
  TileHashes sums(width, height, columns_, rows_);
  for (int i = 0; i < data.CmdListsCount; ++i) sums.add(*data.CmdLists[i]);
  std::vector<std::uint64_t> hashes = sums.take();
  const bool known = hashes_.size() == hashes.size();
  std::vector<PixelRect> areas =
      known ? changed(hashes) : std::vector<PixelRect>{{0, 0, width, height}};
  hashes_ = std::move(hashes);
  return areas;
}

std::vector<PixelRect> ChangedAreas::changed(const std::vector<std::uint64_t>& hashes) const {
  std::vector<PixelRect> areas;
  const auto differs = [&](int row, int column) {
    const auto at = static_cast<std::size_t>(row * columns_ + column);
    return hashes[at] != hashes_[at];
  };
  for (int row = 0; row < rows_; ++row)
    for (int column = 0; column < columns_; ++column) {
      if (!differs(row, column)) continue;
      const int first = column;
      while (column < columns_ && differs(row, column)) ++column;
      const PixelRect run{first * tile, row * tile, std::min(column * tile, width_),
                          std::min((row + 1) * tile, height_)};
      const auto above = std::find_if(areas.begin(), areas.end(), [&](const PixelRect& area) {
        return area.bottom == run.top && area.left == run.left && area.right == run.right;
      });
      if (above == areas.end())
        areas.push_back(run);
      else
        above->bottom = run.bottom;
    }
  return few_disjoint(std::move(areas));
}

}  // namespace orrery

#include "app/gui/renderer.h"

#include <GL/gl.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "app/gui/imgui_shim.h"

namespace orrery {
namespace {

// No window is as wide; beyond it an integer may not hold the number.
constexpr float far_away = 1e6f;

int before(float edge) {
  return static_cast<int>(std::floor(std::clamp(edge, -far_away, far_away)));
}

/// The first pixel whose centre does not lie before an edge.
int first_inside(float edge) {
  return static_cast<int>(std::ceil(std::clamp(edge, -far_away, far_away) - 0.5f));
}

bool is_opaque(ImU32 color) { return (color & IM_COL32_A_MASK) == IM_COL32_A_MASK; }

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

// Below this many pixels a blended rectangle is as fast as one that is cleared by itself.
constexpr std::int64_t worth_clearing = 4096;

float channel(ImU32 color, int shift) {
  constexpr float full = 255.0f;
  return static_cast<float>(color >> shift & 0xFFu) / full;
}

ImVec4 clip_rect(const PixelRect& area) {
  return {static_cast<float>(area.left), static_cast<float>(area.top),
          static_cast<float>(area.right), static_cast<float>(area.bottom)};
}

}  // namespace

Triangles triangles_of(const ImDrawCmd& command, const ImVector<ImDrawIdx>& indices,
                       const ImVector<ImDrawVert>& vertices) {
  return {command,
          {indices.Data + command.IdxOffset, command.ElemCount},
          {vertices.Data + command.VtxOffset,
           static_cast<std::size_t>(vertices.Size) - command.VtxOffset}};
}

PixelRect scissor_of(const ImDrawCmd& command, int width, int height) {
  const ImVec4& clip = command.ClipRect;
  if (clip.z <= clip.x || clip.w <= clip.y) return {};
  const auto full = static_cast<float>(height);
  const int left = static_cast<int>(clip.x), below = static_cast<int>(full - clip.w);
  const PixelRect scissor{left, height - below - static_cast<int>(clip.w - clip.y),
                          left + static_cast<int>(clip.z - clip.x), height - below};
  return intersection(scissor, {0, 0, width, height});
}

PixelRect reach_of(const Triangles& triangles, std::size_t first) {
  const auto at = [&](std::size_t i) { return triangles.vertices[triangles.corners[i]].pos; };
  const ImVec2 a = at(first), b = at(first + 1), c = at(first + 2);
  return {before(std::min({a.x, b.x, c.x})), before(std::min({a.y, b.y, c.y})),
          before(std::max({a.x, b.x, c.x})) + 1, before(std::max({a.y, b.y, c.y})) + 1};
}

std::optional<SolidRect> solid_rect(const Triangles& triangles, std::size_t first) {
  if (first + 6 > triangles.corners.size()) return std::nullopt;
  const auto index = triangles.corners.subspan(first, 6);
  if (index[3] != index[0] || index[4] != index[2]) return std::nullopt;
  const auto at = [&](std::size_t i) { return triangles.vertices[index[i]]; };
  const std::array corners{at(0), at(1), at(2), at(5)};
  const ImVec2 white = ImGui::GetFontTexUvWhitePixel();
  const ImU32 color = corners[0].col;
  for (const ImDrawVert& corner : corners)
    if (corner.col != color || corner.uv.x != white.x || corner.uv.y != white.y)
      return std::nullopt;
  const ImVec2 min = corners[0].pos, max = corners[2].pos;
  const bool upright = corners[1].pos.x == max.x && corners[1].pos.y == min.y &&
                       corners[3].pos.x == min.x && corners[3].pos.y == max.y;
  if (!upright || !is_opaque(color) || !shim::draws_letters(triangles.command)) return std::nullopt;
  return SolidRect{
      {first_inside(min.x), first_inside(min.y), first_inside(max.x), first_inside(max.y)}, color};
}

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

FrameParts::FrameParts(ImDrawData& data, const std::vector<PixelRect>& areas, int width, int height)
    : areas_(areas), width_(width), height_(height) {
  for (int i = 0; i < data.CmdListsCount; ++i) cut(*data.CmdLists[i]);
}

FrameParts::~FrameParts() {
  for (Saved& saved : saved_) {
    saved.list->CmdBuffer.swap(saved.commands);
    saved.list->IdxBuffer.swap(saved.indices);
  }
}

void FrameParts::cut(ImDrawList& list) {
  Saved& whole = saved_.emplace_back();
  whole.list = &list;
  whole.commands.swap(list.CmdBuffer);
  whole.indices.swap(list.IdxBuffer);
  for (const ImDrawCmd& command : whole.commands) {
    if (command.UserCallback)
      list.CmdBuffer.push_back(command);
    else
      cut(triangles_of(command, whole.indices, list.VtxBuffer), list);
  }
}

void FrameParts::cut(const Triangles& all, ImDrawList& out) {
  const PixelRect scissor = scissor_of(all.command, width_, height_);
  if (scissor.is_empty()) return;
  std::size_t begin = 0;
  for (std::size_t i = 0; i + 2 < all.corners.size(); i += 3) {
    const auto solid = solid_rect(all, i);
    if (!solid || intersection(solid->area, scissor).area() < worth_clearing) continue;
    add_triangles(all, begin, i, out);
    add_clear(*solid, scissor, out);
    i += 3;
    begin = i + 3;
  }
  add_triangles(all, begin, all.corners.size(), out);
}

void FrameParts::add_triangles(const Triangles& all, std::size_t begin, std::size_t end,
                               ImDrawList& out) {
  const PixelRect scissor = scissor_of(all.command, width_, height_);
  for (const PixelRect& area : areas_) {
    const PixelRect part = intersection(area, scissor);
    if (part.is_empty()) continue;
    ImDrawCmd command = all.command;
    command.ClipRect = clip_rect(part);
    command.IdxOffset = static_cast<unsigned>(out.IdxBuffer.Size);
    for (std::size_t i = begin; i + 2 < end; i += 3) {
      if (intersection(reach_of(all, i), part).is_empty()) continue;
      for (const ImDrawIdx corner : all.corners.subspan(i, 3)) out.IdxBuffer.push_back(corner);
    }
    command.ElemCount = static_cast<unsigned>(out.IdxBuffer.Size) - command.IdxOffset;
    if (command.ElemCount > 0) out.CmdBuffer.push_back(command);
  }
}

void FrameParts::add_clear(const SolidRect& solid, const PixelRect& scissor, ImDrawList& out) {
  for (const PixelRect& area : areas_) {
    const PixelRect part = intersection(area, intersection(solid.area, scissor));
    if (part.is_empty()) continue;
    clears_.push_back({part.left, height_ - part.bottom, part.right - part.left,
                       part.bottom - part.top, solid.color});
    ImDrawCmd command;
    command.UserCallback = clear;
    command.UserCallbackData = &clears_.back();
    out.CmdBuffer.push_back(command);
  }
}

void FrameParts::clear(const ImDrawList*, const ImDrawCmd* command) {
  const auto& [left, bottom, width, height, color] =
      *static_cast<const Clear*>(command->UserCallbackData);
  glScissor(left, bottom, width, height);
  glClearColor(channel(color, IM_COL32_R_SHIFT), channel(color, IM_COL32_G_SHIFT),
               channel(color, IM_COL32_B_SHIFT), 1.0f);
  glClear(GL_COLOR_BUFFER_BIT);
}

}  // namespace orrery

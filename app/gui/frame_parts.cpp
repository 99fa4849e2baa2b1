#include "app/gui/frame_parts.h"

#include <GL/gl.h>

#include <cstddef>
#include <cstdint>

namespace orrery {
namespace {

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

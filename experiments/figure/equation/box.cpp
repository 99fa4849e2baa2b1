#include "experiments/figure/equation/box.h"

#include <algorithm>
#include <utility>

namespace orrery {
namespace {

bool share_a_name(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(), [&](const std::string& name) {
    return std::find(b.begin(), b.end(), name) != b.end();
  });
}

}  // namespace

void EquationBox::add(EquationBox part, double x, double y) {
  for (Glyphs& g : part.glyphs) {
    g.at = {g.at.x + x, g.at.y + y};
    glyphs.push_back(std::move(g));
  }
  for (Line& line : part.lines) {
    for (Point& point : line.points) point = {point.x + x, point.y + y};
    lines.push_back(std::move(line));
  }
  for (Region& region : part.regions) {
    region.box.x += x;
    region.box.y += y;
    regions.push_back(std::move(region));
  }
}

void EquationBox::add_line(std::vector<Point> points, double line_width) {
  lines.push_back({std::move(points), line_width});
}

void EquationBox::extend_to(double at_least_ascent, double at_least_descent) {
  ascent = std::max(ascent, at_least_ascent);
  descent = std::max(descent, at_least_descent);
}

void EquationBox::mark_as_symbol(const std::string& name) {
  if (name.empty()) return;
  for (Glyphs& g : glyphs) g.names.push_back(name);
  regions.push_back({{0, -ascent, width, height()}, name});
}

void draw_equation(Canvas& canvas, const EquationBox& box, Point origin, Color color,
                   const EquationHighlight& highlight, Direction direction) {
  const bool upward = direction == Direction::upward;
  const auto placed = [&](Point p) {
    return upward ? Point{origin.x + p.y, origin.y - p.x} : Point{origin.x + p.x, origin.y + p.y};
  };
  for (const EquationBox::Glyphs& glyphs : box.glyphs) {
    const bool highlighted = share_a_name(glyphs.names, highlight.names);
    canvas.text(placed(glyphs.at), glyphs.text,
                {.size = glyphs.size,
                 .color = highlighted ? highlight.color : color,
                 .bold = glyphs.bold,
                 .face = glyphs.face,
                 .upward = upward,
                 .vertical = VerticalAlign::baseline});
  }
  for (const EquationBox::Line& line : box.lines) {
    std::vector<Point> points;
    for (const Point& p : line.points) points.push_back(placed(p));
    canvas.line_strip(points, {.color = color, .width = line.width});
  }
}

std::string symbol_at(const EquationBox& box, Point point) {
  const EquationBox::Region* smallest = nullptr;
  const auto area = [](const Rect& r) { return r.width * r.height; };
  for (const EquationBox::Region& region : box.regions)
    if (region.box.contains(point) && (!smallest || area(region.box) < area(smallest->box)))
      smallest = &region;
  return smallest ? smallest->name : std::string();
}

}  // namespace orrery

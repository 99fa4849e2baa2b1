#include "app/views/copy_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "app/views/readout.h"
#include "experiments/figure/equation/plain_text.h"

namespace orrery {
namespace {

std::string number(double value) { return fmt::format("{:.17g}", value); }

/// The visible cells, as [first, last].
struct Shown {
  std::size_t row0{}, row1{}, column0{}, column1{};
  std::size_t count() const { return (row1 - row0 + 1) * (column1 - column0 + 1); }
};

std::optional<Shown> shown_cells(const Heatmap& map, const FigureLayout& frame) {
  if (!map.values || map.values->size() == 0) return std::nullopt;
  const Rect& p = frame.plot;
  constexpr double inside_offset = 0.5;  // the last pixel, not the one after it
  const auto corner = [&](double x, double y) {
    const std::vector<std::size_t>& shape = map.values->shape;
    const Rect all0 = cell_rect(map, frame, {0, 0});
    const Rect all1 = cell_rect(map, frame, {shape.at(0) - 1, shape.at(1) - 1});
    const Point inside{std::clamp(x, all0.x + inside_offset, all1.right() - inside_offset),
                       std::clamp(y, all0.y + inside_offset, all1.bottom() - inside_offset)};
    return cell_at(map, frame, inside);
  };
  const auto first = corner(p.x + inside_offset, p.y + inside_offset);
  const auto last = corner(p.right() - inside_offset, p.bottom() - inside_offset);
  if (!first || !last) return std::nullopt;
  return Shown{first->row, last->row, first->column, last->column};
}

std::vector<const Series*> visible(const LinePlot& plot, const FigureView& view) {
  std::vector<const Series*> curves;
  for (const Series& series : plot.series)
    if (!view.hides(series)) curves.push_back(&series);
  return curves;
}

std::size_t samples(const Series& series) { return std::min(series.x.size(), series.y.size()); }

bool share_x(const std::vector<const Series*>& curves) {
  return std::all_of(curves.begin(), curves.end(),
                     [&](const Series* s) { return s->x == curves.front()->x; });
}

std::string text_of(const LinePlot& plot, const FigureView& view, const FigureLayout& frame) {
  const std::vector<const Series*> curves = visible(plot, view);
  if (curves.empty()) return {};
  const bool shared = share_x(curves);
  std::string text;
  std::size_t lines = 0;
  for (std::size_t c = 0; c < curves.size(); ++c) {
    if (c == 0 || !shared) text += plain_text(axis_name(plot.x)) + "\t";
    text += curves[c]->name + (c + 1 < curves.size() ? "\t" : "\n");
    lines = std::max(lines, samples(*curves[c]));
  }
  const auto shows = [&](std::size_t i) {
    return std::any_of(curves.begin(), curves.end(), [&](const Series* s) {
      return i < samples(*s) && s->x[i] >= frame.x.data.min && s->x[i] <= frame.x.data.max;
    });
  };
  for (std::size_t i = 0; i < lines; ++i) {
    if (!shows(i)) continue;
    for (std::size_t c = 0; c < curves.size(); ++c) {
      const bool has = i < samples(*curves[c]);
      if (c == 0 || !shared) text += (has ? number(curves[c]->x[i]) : "") + "\t";
      text += (has ? number(curves[c]->y[i]) : "") + (c + 1 < curves.size() ? "\t" : "\n");
    }
  }
  return text;
}

std::string text_of(const Heatmap& map, const FigureView&, const FigureLayout& frame) {
  const auto shown = shown_cells(map, frame);
  if (!shown) return {};
  const std::size_t stride = map.values->shape.at(1);
  std::string text;
  for (std::size_t row = shown->row0; row <= shown->row1; ++row)
    for (std::size_t column = shown->column0; column <= shown->column1; ++column) {
      const std::size_t cell = row * stride + column;
      const bool masked = map.masked && (*map.masked)[cell] != 0.0;
      if (!masked) text += number((*map.values)[cell]);
      text += column < shown->column1 ? '\t' : '\n';
    }
  return text;
}

std::string text_of(const TableFigure& table, const FigureView&, const FigureLayout&) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += row[i] + (i + 1 < row.size() ? "\t" : "\n");
  };
  std::vector<std::string> header;
  for (const std::string& name : table.header) header.push_back(plain_text(name));
  add(header);
  for (const std::vector<std::string>& row : table.rows) add(row);
  return text;
}

std::string text_of(const VectorPlot& plot, const FigureView&, const FigureLayout&) {
  std::string text = fmt::format("x0\ty0\tx1\ty1\t{}\n", plain_text(plot.quantity));
  for (const Arrow& a : plot.arrows)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", number(a.x0), number(a.y0), number(a.x1),
                        number(a.y1), number(a.value));
  return text;
}

/// The profiles, which say it shorter than the maps.
std::string text_of(const MapEquation& equation, const FigureView& view,
                    const FigureLayout& frame) {
  if (frame.parts.empty()) return {};
  return text_of(equation.profiles, view, frame.parts.back());
}

}  // namespace

std::size_t value_count(const Figure& figure, const FigureView& view, const FigureLayout& frame) {
  if (const auto* map = std::get_if<Heatmap>(&figure.content)) {
    const auto shown = shown_cells(*map, frame);
    return shown ? shown->count() : 0;
  }
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) {
    std::size_t count = 0;
    for (const Series* series : visible(*plot, view)) count += samples(*series);
    return count;
  }
  if (const auto* plot = std::get_if<VectorPlot>(&figure.content)) return 5 * plot->arrows.size();
  if (const auto* equation = std::get_if<MapEquation>(&figure.content)) {
    std::size_t count = 0;
    for (const Series& series : equation->profiles.series) count += samples(series);
    return count;
  }
  const auto& table = std::get<TableFigure>(figure.content);
  return table.rows.size() * table.header.size();
}

std::string values_text(const Figure& figure, const FigureView& view, const FigureLayout& frame) {
  return std::visit([&](const auto& content) { return text_of(content, view, frame); },
                    figure.content);
}

}  // namespace orrery

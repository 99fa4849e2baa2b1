#include "experiments/figure/plot/legend.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "experiments/figure/equation/rich_text.h"
#include "experiments/figure/plot/coincidence.h"
#include "experiments/figure/plot/curves.h"
#include "experiments/figure/plot/labels.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

constexpr double max_name_width = 0.45;  ///< of the plot
// In lines of text:
constexpr double max_rise = 3.5;         ///< of the curve along its name
constexpr double name_gap = 0.1;         ///< between a curve and its name
constexpr double other_clearance = 0.6;  ///< between a name and other curves

class NamePlacer {
 public:
  NamePlacer(PlotContext& context, const LinePlot& plot, const Axes& axes, std::vector<Rect> taken)
      : context_(context),
        plot_(axes.plot),
        taken_(std::move(taken)),
        text_(tick_style(context.style)) {
    for (const Series& series : plot.series)
      lines_.push_back({&series, context.view.hides(series)
                                     ? Silhouette(plot_)
                                     : silhouette_of(context, series, axes)});
    for (const Rule& rule : plot.rules) add_rule(rule, axes);
  }

  GhostNames place(const std::vector<const Series*>& legend) {
    for (const Series* series : legend) named_.insert(key_of(*series));
    legend_ = {legend.begin(), legend.end()};
    // A name beside a ghost that is covered does not tell which line another one is.
    for (const bool covered : {false, true}) {
      std::vector<const Line*> ghosts;
      for (const Line& line : lines_)
        if (is_to_be_named(line) && is_covered(line) == covered) ghosts.push_back(&line);
      place_all(ghosts);
    }
    return std::move(names_);
  }

 private:
  struct Line {
    const Series* series{};
    Silhouette silhouette;
  };

  void add_rule(const Rule& rule, const Axes& axes) {
    const bool flat = rule.direction == Rule::Direction::horizontal;
    const double at = (flat ? axes.y : axes.x).to_canvas(rule.at);
    const double half = hairline(context_.style);
    taken_.push_back(flat ? Rect{plot_.x, at - half, plot_.width, 2 * half}
                          : Rect{at - half, plot_.y, 2 * half, plot_.height});
  }

  bool is_free(const Rect& box, const Line& own) const {
    const double other = other_clearance * box.height;
    return is_within(box, plot_) &&
           std::ranges::none_of(taken_, [&](const Rect& rect) { return overlap(box, rect); }) &&
           std::ranges::none_of(lines_, [&](const Line& line) {
             const bool same = line.silhouette.coincides(own.silhouette);
             return line.silhouette.meets(box, same ? 0.0 : other);
           });
  }

  bool is_to_be_named(const Line& line) const {
    return !line.series->is_part() && !line.series->name.empty() && line.silhouette.end() &&
           !legend_.contains(line.series);
  }

  /// All ghosts of a result are drawn alike: one name is enough.
  static const std::string& key_of(const Series& series) {
    return series.is_ghost() ? series.ghost : series.name;
  }

  bool is_covered(const Line& ghost) const {
    return std::ranges::any_of(lines_, [&](const Line& line) {
      return &line != &ghost && !line.series->is_ghost() &&
             line.silhouette.coincides(ghost.silhouette);
    });
  }

  /// Every ghost is named where there is room; of each result at least one, in short if need be,
  /// since all its ghosts are drawn alike.
  void place_all(const std::vector<const Line*>& ghosts) {
    for (const bool in_short : {false, true})
      for (const Line* line : ghosts) {
        const Series& series = *line->series;
        if (in_short && named_.contains(key_of(series))) continue;
        const bool cut = in_short && series.is_ghost();
        const auto place =
            place_of(*line, cut ? as_marked(series.ghost) : shown_name(series), in_short);
        if (!place) continue;
        names_.placed.push_back(*place);
        taken_.push_back(place->box);
        named_.insert(key_of(series));
      }
    for (const Line* line : ghosts)
      if (named_.insert(key_of(*line->series)).second) names_.unplaced.push_back(line->series);
  }

  /// The place for a name, which may be cut to fit.
  std::optional<GhostNames::Place> place_of(const Line& line, const std::string& name,
                                            bool may_be_cut) const {
    const std::string shown = elided(context_.canvas, name, text_, max_name_width * plot_.width);
    if (shown.empty() || (shown != name && !may_be_cut)) return std::nullopt;
    const auto box = box_beside(line, rich_size(context_.canvas, shown, text_));
    if (!box) return std::nullopt;
    return GhostNames::Place{line.series, shown, *box};
  }

  std::optional<Rect> box_beside(const Line& line, Size size) const {
    const double apart = name_gap * size.height + context_.style.line_width;
    const Point end = *line.silhouette.end();
    const Rect after{end.x + apart, end.y - size.height / 2, size.width, size.height};
    if (is_free(after, line)) return after;
    constexpr double step = 2 * Silhouette::column_width;
    for (double x = end.x - size.width; x >= plot_.x; x -= step) {
      const auto beside = line.silhouette.along(x, x + size.width);
      if (!beside || beside->max - beside->min > max_rise * size.height) continue;
      const Rect above{x, beside->min - apart - size.height, size.width, size.height};
      if (is_free(above, line)) return above;
      const Rect below{x, beside->max + apart, size.width, size.height};
      if (is_free(below, line)) return below;
    }
    // Beside a steep part, at its right.
    for (double x = end.x - size.width; x >= plot_.x; x -= Silhouette::column_width) {
      const auto here = line.silhouette.along(x, x);
      if (!here) continue;
      const Rect right{x + Silhouette::column_width + apart,
                       (here->min + here->max - size.height) / 2, size.width, size.height};
      if (is_free(right, line)) return right;
    }
    return std::nullopt;
  }

  PlotContext& context_;
  Rect plot_;
  std::vector<Rect> taken_;
  TextStyle text_;
  std::vector<Line> lines_;
  std::set<const Series*> legend_{};  ///< curves that are named there
  std::set<std::string> named_{};     ///< results that are named already
  GhostNames names_{};
};

double sample_length(const FigureStyle& style) { return 1.9 * style.text_size; }
double padding(const FigureStyle& style) { return 0.45 * style.text_size; }
double row_height(const PlotContext& context) {
  return 1.12 * line_height(context.canvas, label_style(context.style));
}

constexpr double min_name_ems = 3.5;  ///< shorter names cannot be recognised

/// Limits the legend to `rows` rows; the last one counts the entries that are left out.
void limit_rows(Legend& legend, std::size_t rows) {
  if (legend.entries.size() <= rows) return;
  legend.missing = legend.entries.size() - (rows - 1);
  legend.entries.resize(rows - 1);
  legend.names.resize(rows - 1);
  legend.names.push_back("… " + std::to_string(legend.missing) + " more");
}

/// The name and what is noted on it, which is shortened first.
std::string named_within(const PlotContext& context, const std::string& name,
                         const std::string& note, double room) {
  const TextStyle text = label_style(context.style);
  const double left = room - rich_size(context.canvas, name, text).width;
  if (note.empty() || left < min_name_ems * text.size)
    return elided_middle(context.canvas, name, text, room);
  return name + elided_middle(context.canvas, note, text, left);
}

/// Candidate positions by preference, as the first of equals wins: the corners, then the right and
/// left edge, then the middle.
std::vector<Point> candidate_corners(const Legend& legend, const Rect& within) {
  constexpr int steps = 8;
  const double spare_x = within.width - legend.size.width;
  const double spare_y = within.height - legend.size.height;
  std::vector<Point> found;
  for (const int y : {0, steps, 1, 2, 3, 4, 5, 6, 7}) {
    for (const double x : {1.0, 0.0})
      found.push_back({within.x + x * spare_x, within.y + y * spare_y / steps});
  }
  for (int y = 0; y <= steps; ++y)
    found.push_back({within.x + 0.5 * spare_x, within.y + y * spare_y / steps});
  return found;
}

}  // namespace

GhostNames place_ghost_names(PlotContext& context, const LinePlot& plot, const Axes& axes,
                             std::vector<Rect> taken, const std::vector<const Series*>& legend) {
  const bool all = std::ranges::all_of(plot.series, [&](const Series& series) {
    return series.name.empty() || series.is_part() ||
           std::ranges::find(legend, &series) != legend.end();
  });
  if (all) return {};
  return NamePlacer(context, plot, axes, std::move(taken)).place(legend);
}

void draw_ghost_names(PlotContext& context, const GhostNames& names) {
  TextStyle text = tick_style(context.style);
  text.vertical = VerticalAlign::middle;
  for (const GhostNames::Place& place : names.placed) {
    const Series& series = *place.ghost;
    text.color = series.is_ghost() ? context.style.muted : series_color(context.style, series);
    // Grid lines do not run through it.
    context.canvas.rect(place.box, with_alpha(context.style.plot_background, 0.8));
    draw_rich(context.canvas, {place.box.x, place.box.y + 0.5 * place.box.height}, place.name,
              text);
    (series.is_ghost() ? context.layout.ghost_names : context.layout.legend)
        .push_back({place.box, series.name});
  }
}

std::vector<const Series*> legend_curves(const LinePlot& plot) {
  std::vector<const Series*> curves;
  for (const Series& series : plot.series)
    if (!series.is_ghost() && !series.is_part() && !series.name.empty()) curves.push_back(&series);
  return curves;
}

Legend make_legend(const PlotContext& context, const std::vector<const Series*>& curves,
                   double max_width, double max_height) {
  const FigureStyle& style = context.style;
  const TextStyle text = label_style(style);
  const double beside = sample_length(style) + 3.0 * padding(style);
  const double room = max_width - beside;
  const auto rows = static_cast<long>((max_height - 2.0 * padding(style)) / row_height(context));
  if (room < min_name_ems * text.size || rows < 2) return {};
  Legend legend;
  for (const Series* series : curves) {
    legend.entries.push_back(series);
    // A ghost stands for all of its result.
    const std::string name = series->is_ghost() ? as_marked(series->ghost) : shown_name(*series);
    legend.names.push_back(named_within(context, name, context.twins.note_on(*series), room));
  }
  limit_rows(legend, static_cast<std::size_t>(rows));
  if (legend.entries.empty()) return {};
  double widest = 0.0;
  for (const std::string& name : legend.names)
    widest = std::max(widest, rich_size(context.canvas, name, text).width);
  legend.size = {widest + beside, static_cast<double>(legend.names.size()) * row_height(context) +
                                      2.0 * padding(style)};
  return legend;
}

double cover_least(const PlotContext& context, Legend& legend, const Rect& plot,
                   const std::vector<Point>& marks) {
  const double inset = gap(context.style);
  double least = -1.0;
  for (const Point& corner : candidate_corners(legend, shrunk(plot, inset, inset, inset, inset))) {
    const Rect box{corner.x - inset, corner.y - inset, legend.size.width + 2.0 * inset,
                   legend.size.height + 2.0 * inset};
    const auto covered = static_cast<double>(
        std::ranges::count_if(marks, [&](const Point& p) { return box.contains(p); }));
    if (least >= 0.0 && covered >= least) continue;
    legend.corner = corner;
    least = covered;
  }
  return least;
}

void draw_legend(PlotContext& context, const Legend& legend, bool over_data) {
  const FigureStyle& style = context.style;
  const double pad = padding(style), row = row_height(context);
  const Rect box{legend.corner.x, legend.corner.y, legend.size.width, legend.size.height};
  if (over_data) context.canvas.rect(box, with_alpha(style.plot_background, 0.86));
  const double end = box.x + pad + sample_length(style);
  double middle = box.y + pad + 0.5 * row;
  for (std::size_t i = 0; i < legend.names.size(); ++i, middle += row) {
    TextStyle text = aligned_text(label_style(style), VerticalAlign::middle);
    if (i < legend.entries.size()) {
      const Series& series = *legend.entries[i];
      draw_sample(context, series, {box.x + pad, middle}, {end, middle});
      if (context.view.hidden.contains(series.name)) text.color = with_alpha(style.muted, 0.6);
      auto& places = series.is_ghost() ? context.layout.ghost_names : context.layout.legend;
      places.push_back({{box.x, middle - 0.5 * row, box.width, row}, series.name});
    } else {
      text.color = style.muted;
    }
    draw_rich(context.canvas, {end + pad, middle}, legend.names[i], text);
  }
}

}  // namespace orrery

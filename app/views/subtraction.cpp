#include "app/views/subtraction.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/references.h"
#include "app/views/readout.h"
#include "experiments/figure/plot/difference.h"
#include "experiments/setup/equation_difference.h"

namespace orrery {
namespace {

/// What is subtracted, for the title of a difference: "attention weight". Empty where it has no
/// name.
std::string quantity_of(const Figure& figure) {
  if (const auto* map = std::get_if<Heatmap>(&figure.content)) return map->quantity;
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) return axis_name(plot->y);
  if (std::holds_alternative<MapEquation>(figure.content)) return "term by term";
  return {};
}

/// `shown` minus `other`, whose contents are of one kind: curves, a map, or an equation of maps
/// term by term. None where they do not match.
std::optional<Figure> figure_difference(const Figure& shown, const Figure& other) {
  const auto* equation = std::get_if<MapEquation>(&shown.content);
  const auto* subtrahend = std::get_if<MapEquation>(&other.content);
  if (!equation || !subtrahend) return difference_of(shown, other);
  auto difference = difference_of(*equation, *subtrahend);
  if (!difference) return std::nullopt;
  return Figure{shown.id, "Difference: " + shown.title, shown.caption, std::move(*difference),
                shown.role};
}

/// The encoding of a figure of one, where the other is of another one.
std::string encoding_apart(const FigureRole& of, const FigureRole& from) {
  return of.encoding() == from.encoding() ? std::string() : encoding_title(of.encoding());
}

/// "ALiBi − RoPE: attention weight": which settings are subtracted from which. What the figure's
/// own title states is about the result alone.
std::string difference_title(const Figure& shown, const Figure& other,
                             const SettingsContrast& settings) {
  const std::string minuend =
      joined_parts({encoding_apart(shown.role, other.role), settings.shown});
  const std::string subtrahend =
      joined_parts({encoding_apart(other.role, shown.role), settings.other});
  if (minuend.empty() || subtrahend.empty()) return "Difference: " + shown.title;
  const std::string quantity = quantity_of(shown);
  return fmt::format("{} − {}{}{}", minuend, subtrahend, quantity.empty() ? "" : ": ", quantity);
}

/// The plot that may stand behind another of its kind; or null.
const LinePlot* plot_behind(const Figure& figure, const Figure* other) {
  if (!other || other->role.kind != figure.role.kind) return nullptr;
  const auto* plot = std::get_if<LinePlot>(&figure.content);
  const auto* behind = std::get_if<LinePlot>(&other->content);
  return plot && behind && share_axes(*plot, *behind) ? behind : nullptr;
}

const Figure* figure_of(const Result& result, const std::string& id) {
  const auto found = std::find_if(result.figures.begin(), result.figures.end(),
                                  [&](const Figure& figure) { return figure.id == id; });
  return found == result.figures.end() ? nullptr : &*found;
}

bool are_alike(const Heatmap& a, const Heatmap& b) {
  return a.values && b.values && a.values->shape == b.values->shape && a.meaning == b.meaning &&
         a.quantity == b.quantity;
}

/// Whether a curve of one is named as one of the other, or both have one.
bool are_alike(const LinePlot& a, const LinePlot& b) {
  if (!share_axes(a, b) || a.y.label != b.y.label) return false;
  if (a.series.size() == 1 && b.series.size() == 1) return true;
  return std::any_of(a.series.begin(), a.series.end(), [&](const Series& one) {
    return std::any_of(b.series.begin(), b.series.end(),
                       [&](const Series& other) { return one.name == other.name; });
  });
}

bool are_alike(const MapEquation& a, const MapEquation& b) {
  return difference_of(a, b).has_value();
}

template <class A, class B>
bool are_alike(const A&, const B&) {
  return false;
}

bool can_subtract(const Figure& a, const Figure& b) {
  return std::visit([](const auto& x, const auto& y) { return are_alike(x, y); }, a.content,
                    b.content);
}

std::vector<const Series*> curves_of(const Figure& figure) {
  std::vector<const Series*> curves;
  if (const auto* plot = std::get_if<LinePlot>(&figure.content))
    for (const Series& series : plot->series)
      if (!series.is_ghost() && !series.is_part() && !series.name.empty())
        curves.push_back(&series);
  return curves;
}

/// Encodings name figures of the same kind; others have titles.
std::string name_beside(const Figure& figure, const Figure& other) {
  const bool by_encoding = figure.role.kind == other.role.kind && !figure.role.encoding().empty() &&
                           figure.role.encoding() != other.role.encoding();
  return by_encoding ? encoding_title(figure.role.encoding()) : figure.title;
}

std::string title_of(const Figure& figure, const Figure& other) {
  return fmt::format("{} − {}: {}", name_beside(figure, other), name_beside(other, figure),
                     quantity_of(figure));
}

/// "ALiBi − RoPE: score", "Curves − RoPE: score".
std::string title_of(const Figure& figure, const std::string& curve) {
  const std::vector<const Series*> curves = curves_of(figure);
  std::string minuend = "Curves";
  if (curves.size() == 2) minuend = curves[curves[0]->name == curve ? 1 : 0]->name;
  return fmt::format("{} − {}: {}", minuend, curve, quantity_of(figure));
}

std::optional<Figure> difference(const Result& result, const Figure& figure,
                                 const Subtrahend& what) {
  std::optional<Figure> made;
  if (const Figure* other = figure_of(result, what.figure)) {
    if (can_subtract(figure, *other)) made = figure_difference(figure, *other);
    if (made) made->title = title_of(figure, *other);
  } else if (what.figure.empty()) {
    made = difference_from_curve(figure, what.curve);
    if (made) made->title = title_of(figure, what.curve);
  }
  if (!made) return made;
  if (auto* map = std::get_if<Heatmap>(&made->content)) {
    // Its cells cannot be computed finer: those of which map would that be?
    map->x.whole.reset();
    map->y.whole.reset();
  }
  return made;
}

}  // namespace

Figures with_references_behind(Figures figures, const ResultPtr& result,
                               const std::vector<ResultPtr>& others, std::size_t pinned,
                               const HiddenCurves& hidden) {
  for (std::size_t place = 0; place < others.size(); ++place) {
    const Provenance& other = others[place]->provenance;
    const SettingsContrast settings = contrast_of(result->provenance, other);
    if (settings.same() || other.experiment != result->provenance.experiment) continue;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const Figure& figure = *figures[i];
      const LinePlot* behind =
          plot_behind(figure, counterpart(others[place]->figures, figure, i, figures.size()));
      if (!behind) continue;
      const auto names = hidden.find(figure.id);
      Figure made = figure;
      add_ghosts(std::get<LinePlot>(made.content),
                 {.plot = *behind,
                  .name = reference_name(settings),
                  .settings = settings.other,
                  .place = place,
                  .tells_equal = place < pinned},
                 names == hidden.end() ? std::set<std::string>{} : names->second);
      figures[i] = make_figure(std::move(made));
    }
  }
  return figures;
}

Figures minus_reference(const ResultPtr& result, const ResultPtr& reference) {
  const std::vector<Figure>& figures = result->figures;
  const SettingsContrast settings = contrast_of(result->provenance, reference->provenance);
  Figures differing = figures_of(result);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure* other = counterpart(reference->figures, figures[i], i, figures.size());
    auto difference = other ? figure_difference(figures[i], *other) : std::nullopt;
    if (!difference) continue;
    difference->title = difference_title(figures[i], *other, settings);
    differing[i] = make_figure(std::move(*difference));
  }
  return differing;
}

std::vector<MinusChoice> minus_choices(const Result& result, const std::string& figure) {
  std::vector<MinusChoice> choices;
  const Figure* minuend = figure_of(result, figure);
  if (!minuend) return choices;
  for (const Figure& other : result.figures)
    if (&other != minuend && can_subtract(*minuend, other))
      choices.push_back({{.figure = other.id}, title_of(*minuend, other)});
  const std::vector<const Series*> curves = curves_of(*minuend);
  if (curves.size() > 1)
    for (const Series* curve : curves)
      choices.push_back({{.curve = curve->name}, title_of(*minuend, curve->name)});
  return choices;
}

void set_minus(ViewState& shown, const std::string& figure, const std::optional<Subtrahend>& what) {
  if (what)
    shown.minus[figure] = *what;
  else
    shown.minus.erase(figure);
}

FiguresById minus_others(const ResultPtr& result, const std::map<std::string, Subtrahend>& minus) {
  FiguresById differences;
  for (const auto& [id, what] : minus) {
    const Figure* own = figure_of(*result, id);
    auto made = own ? difference(*result, *own, what) : std::nullopt;
    if (made) differences[id] = make_figure(std::move(*made));
  }
  return differences;
}

}  // namespace orrery

#include "app/views/reference_figures.h"

#include <fmt/format.h>

#include <utility>

#include "app/session/references.h"
#include "app/views/figure_difference.h"
#include "experiments/figure/plot/difference.h"
#include "experiments/figure/plot/ghosts.h"

namespace orrery {
namespace {

std::string joined(const std::string& encodings, const std::string& settings) {
  return encodings.empty() || settings.empty() ? encodings + settings
                                               : encodings + " · " + settings;
}

/// The encoding of a figure of one, where the other is of another one.
std::string encoding_apart(const FigureRole& of, const FigureRole& from) {
  return of.encoding() == from.encoding() ? std::string() : encoding_title(of.encoding());
}

/// "ALiBi − RoPE: attention weight": which settings are subtracted from which. What the figure's
/// own title states is about the result alone.
std::string difference_title(const Figure& shown, const Figure& other,
                             const SettingsContrast& settings) {
  const std::string minuend = joined(encoding_apart(shown.role, other.role), settings.shown);
  const std::string subtrahend = joined(encoding_apart(other.role, shown.role), settings.other);
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

/// The curves of one result behind those of a figure; nothing where none may stand there.
void add_ghosts_of(const Result& other, std::size_t place, const ReferencesBehind& input,
                   std::size_t index, FigurePtr& figure) {
  const SettingsContrast settings = contrast_of(input.result->provenance, other.provenance);
  if (settings.same() || other.provenance.experiment != input.result->provenance.experiment) return;
  const Figure* of_other = counterpart(other.figures, *figure, index, input.figures.size());
  const LinePlot* behind = plot_behind(*figure, of_other);
  if (!behind) return;
  const auto hidden = input.hidden.find(figure->id);
  Figure made = *figure;
  add_ghosts(std::get<LinePlot>(made.content),
             {.plot = *behind,
              .name = reference_name(settings),
              .settings = settings.other,
              .place = place,
              .tells_equal = place < input.pinned},
             hidden == input.hidden.end() ? std::set<std::string>{} : hidden->second);
  figure = make_figure(std::move(made));
}

}  // namespace

Figures with_references_behind(const ReferencesBehind& input) {
  Figures figures = input.figures;
  for (std::size_t place = 0; place < input.others.size(); ++place)
    for (std::size_t i = 0; i < figures.size(); ++i)
      add_ghosts_of(*input.others[place], place, input, i, figures[i]);
  return figures;
}

Figures minus_reference(const MinusReference& input) {
  const std::vector<Figure>& figures = input.result->figures;
  const SettingsContrast settings =
      contrast_of(input.result->provenance, input.reference->provenance);
  Figures differing = figures_of(input.result);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure* other = counterpart(input.reference->figures, figures[i], i, figures.size());
    auto difference = other ? figure_difference(figures[i], *other) : std::nullopt;
    if (!difference) continue;
    difference->title = difference_title(figures[i], *other, settings);
    differing[i] = make_figure(std::move(*difference));
  }
  return differing;
}

}  // namespace orrery

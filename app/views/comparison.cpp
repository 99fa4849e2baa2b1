#include "app/views/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/references.h"
#include "app/views/figure_difference.h"
#include "app/views/readout.h"
#include "experiments/figure/plot/difference.h"
#include "experiments/figure/plot/ghosts.h"

namespace orrery::views {
namespace {

std::string joined(const std::string& encodings, const std::string& settings) {
  return encodings.empty() || settings.empty() ? encodings + settings
                                               : encodings + " · " + settings;
}

std::string quantity_of(const Figure& figure) {
  if (const auto* map = std::get_if<Heatmap>(&figure.content)) return map->quantity;
  if (const auto* plot = std::get_if<LinePlot>(&figure.content)) return axis_name(plot->y);
  if (std::holds_alternative<MapEquation>(figure.content)) return "term by term";
  return {};
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

std::vector<Figure> differences(const Result& result, const Result& reference) {
  const std::vector<Figure>& figures = result.figures;
  const SettingsContrast settings = contrast_of(result.provenance, reference.provenance);
  std::vector<Figure> differing;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure* other = counterpart(reference.figures, figures[i], i, figures.size());
    auto difference = other ? figure_difference(figures[i], *other) : std::nullopt;
    if (difference) difference->title = difference_title(figures[i], *other, settings);
    differing.push_back(difference.value_or(figures[i]));
  }
  return differing;
}

/// The plot that may stand behind another of its kind; or null.
const LinePlot* plot_behind(const Figure& figure, const Figure* other) {
  if (!other || other->role.kind != figure.role.kind) return nullptr;
  const auto* plot = std::get_if<LinePlot>(&figure.content);
  const auto* behind = std::get_if<LinePlot>(&other->content);
  return plot && behind && share_axes(*plot, *behind) ? behind : nullptr;
}

bool is_among(const std::vector<std::shared_ptr<const Result>>& references, const Result& result) {
  return std::any_of(references.begin(), references.end(), [&](const auto& reference) {
    return contrast_of(reference->provenance, result.provenance).same();
  });
}

/// Curves that a reader hid, by figure.
std::map<std::string, std::set<std::string>> hidden_in(const ExperimentState& state) {
  std::map<std::string, std::set<std::string>> hidden;
  for (const auto& [id, view] : state.views)
    if (!view.hidden.empty()) hidden[id] = view.hidden;
  return hidden;
}

}  // namespace

void ReferenceFigures::add_all_ghosts(std::vector<Figure>& figures, const Sources& sources) {
  for (std::size_t place = 0; place < sources.others.size(); ++place) {
    const Result& other = *sources.others[place];
    const SettingsContrast settings = contrast_of(sources.result->provenance, other.provenance);
    const bool alike = other.provenance.experiment == sources.result->provenance.experiment;
    if (settings.same() || !alike) continue;
    for (std::size_t i = 0; i < figures.size(); ++i) {
      const Figure* of_other = counterpart(other.figures, figures[i], i, figures.size());
      const LinePlot* behind = plot_behind(figures[i], of_other);
      if (!behind) continue;
      const auto hidden = sources.hidden.find(figures[i].id);
      add_ghosts(std::get<LinePlot>(figures[i].content),
                 {.plot = *behind,
                  .name = reference_name(settings),
                  .settings = settings.other,
                  .place = place,
                  .tells_equal = place < sources.pinned},
                 hidden == sources.hidden.end() ? std::set<std::string>{} : hidden->second);
    }
  }
}

std::shared_ptr<const Result> ReferenceFigures::make(const Sources& sources) {
  auto made = std::make_shared<Result>();
  if (sources.kind == Kind::difference) {
    made->figures = differences(*sources.result, *sources.others.back());
  } else {
    made->figures = sources.result->figures;
    add_all_ghosts(made->figures, sources);
  }
  return made;
}

const std::vector<Figure>& ReferenceFigures::figures(const ExperimentState& state, bool flipped,
                                                     const std::shared_ptr<const Result>& before,
                                                     const std::shared_ptr<const Result>& instead) {
  const std::vector<std::shared_ptr<const Result>>& pinned = state.shown.references;
  Sources sources{
      .result = instead ? instead : state.result, .others = pinned, .pinned = pinned.size()};
  if (flipped && !pinned.empty())
    sources.kind = Kind::reference;
  else if (state.shown.difference && !pinned.empty())
    sources.kind = Kind::difference;
  else if (before && !is_among(pinned, *before))
    sources.others.push_back(before);
  const bool own = sources.kind == Kind::reference || sources.others.empty();
  if (sources.kind == Kind::result && !own) sources.hidden = hidden_in(state);
  if (own)
    made_.reset();
  else if (!made_ || !(sources_ == sources))
    made_ = make(sources);
  sources_ = std::move(sources);
  if (sources_.kind == Kind::reference) return sources_.others.back()->figures;
  return made_ ? made_->figures : sources_.result->figures;
}

}  // namespace orrery::views

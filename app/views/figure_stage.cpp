#include "app/views/figure_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "app/session/references.h"
#include "experiments/combine/family.h"
#include "experiments/model/notices.h"
#include "experiments/setup/provenance.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

/// Whether the figure may depend on the distance: arrows do, and curves over anything else.
bool is_at_a_distance(const Figure& figure) {
  const auto* plot = std::get_if<LinePlot>(&figure.content);
  return plot ? !is_by_distance(*plot) : std::holds_alternative<VectorPlot>(figure.content);
}

const ParamSpec* distance_spec(const ParamSet& params) {
  const ParamSpec* spec = params.with_role(ParamRole::distance);
  return spec && params.is_used(spec->key) ? spec : nullptr;
}

/// The parameters at that distance; empty where the experiment has no such.
std::optional<ParamSet> at_distance(const ExperimentState& state, double distance) {
  const ParamSpec* spec = distance_spec(state.params);
  const double whole = std::round(distance);
  const bool turns =
      spec && whole >= spec->min && whole <= spec->max && state.result &&
      std::any_of(state.result->figures.begin(), state.result->figures.end(), is_at_a_distance);
  if (!turns) return std::nullopt;
  ParamSet params = state.params;
  for (const auto& [key, value] : state.experiment->info.view.preview) params.set(key, value);
  params.set_value(spec->key, static_cast<std::int64_t>(whole));
  return params;
}

/// Whether two sets differ in the distance alone.
bool match_otherwise(ParamSet a, const ParamSet& b) {
  const std::string& key = b.with_role(ParamRole::distance)->key;
  a.set_value(key, b.value(key));
  return a == b;
}

std::string in_words(std::string id) {
  id = spaced(std::move(id));
  if (!id.empty() && id[0] >= 'a' && id[0] <= 'z') id[0] = static_cast<char>(id[0] - 'a' + 'A');
  return id;
}

/// As the experiment calls it; empty without a name from there.
std::string own_title(std::string_view id, const ExperimentView& view) {
  const auto found = std::find_if(view.tabs.begin(), view.tabs.end(),
                                  [&](const auto& tab) { return tab.first == id; });
  return found == view.tabs.end() ? std::string() : found->second;
}

std::string named(std::string_view id, const ExperimentView& view) {
  std::string own = own_title(id, view);
  return own.empty() ? in_words(std::string(id)) : own;
}

/// The settings that a result was made with, if this build knows them all.
std::optional<ParamSet> settings_of(const ExperimentInfo& info, const Provenance& provenance) {
  try {
    ParamSet params(info.params);
    for (const auto& [key, value] : provenance.params) params.set(key, value);
    return params;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

bool is_among(const std::vector<ResultPtr>& references, const Result& result) {
  return std::any_of(references.begin(), references.end(), [&](const auto& reference) {
    return contrast_of(reference->provenance, result.provenance).same();
  });
}

/// Puts those of `others` in the place of figures with their ids, where `may` allows it. Returns
/// the ids.
template <class May>
std::set<std::string> replace(Figures& figures, const FiguresById& others, const May& may) {
  std::set<std::string> replaced;
  for (FigurePtr& figure : figures) {
    const auto other = others.find(figure->id);
    if (other == others.end() || !may(*figure)) continue;
    replaced.insert(figure->id);
    figure = other->second;
  }
  return replaced;
}

FigureOrigin origin_of(const StageRequest& request) {
  if (request.shown.references.empty()) return FigureOrigin::result;
  if (request.flipped) return FigureOrigin::reference;
  return request.shown.difference ? FigureOrigin::difference : FigureOrigin::result;
}

/// Whether the result's own figures are asked for, as they are.
bool is_plain(const StageRequest& request) { return !request.flipped && !request.shown.difference; }

StagedFigures::Family family_figures(const ResultPtr& result, const std::vector<ResultPtr>& swept,
                                     const std::string& key) {
  StagedFigures::Family made{.figures = figures_of(result)};
  for (FigurePtr& figure : made.figures) {
    std::vector<Figure> members = family(swept, figure->id, key);
    if (members.size() == 1) {
      made.in_place.insert(figure->id);
      figure = make_figure(std::move(members.front()));
    } else {
      for (Figure& member : members)
        made.panels[figure->id].push_back(make_figure(std::move(member)));
    }
  }
  return made;
}

/// The current result at the distance pointed at, where the experiment has a parameter for it: it
/// is asked for, and the newest that is there returned. Null where nothing is pointed at.
ResultPtr result_at_distance(Session& session) {
  const std::optional<double> distance = session.links.distance();
  const auto params = distance ? at_distance(session.current(), *distance) : std::nullopt;
  if (!params) return nullptr;
  // The one before stays until the next is ready, so that the arrows turn without a blink.
  const Session::Preview& computed = session.preview(Session::Beside::at_distance, *params);
  const bool alike = computed.params && match_otherwise(*computed.params, *params);
  return alike ? computed.result : nullptr;
}

/// Its figures that turn with the distance, by id: arrows, and curves over anything but the
/// distance. Their titles name the distance; captions, which name settings that played no part,
/// are left out.
FiguresById figures_at_distance(const ResultPtr& turned) {
  FiguresById figures;
  if (!turned) return figures;
  for (Figure figure : turned->figures) {
    if (!is_at_a_distance(figure)) continue;
    figure.caption.clear();
    const std::string id = figure.id;
    figures[id] = make_figure(std::move(figure));
  }
  return figures;
}

}  // namespace

std::string tab_title(const Figure& figure, const ExperimentView& view) {
  if (std::string own = own_title(figure.id, view); !own.empty()) return own;
  const FigureRole& role = figure.role;
  const std::string encoding = role.encoding();
  if (role.kind.empty() || encoding.empty()) return in_words(figure.id);
  return fmt::format("{}: {}", named(role.term.empty() ? role.kind : role.term, view),
                     encoding_title(encoding));
}

std::string group_title(std::string_view group, const ExperimentView& view) {
  std::string label = encoding_title(group);
  return label == group ? named(group, view) : label;
}

namespace {

Figures with_screen_captions(const Figures& figures, const ResultPtr& result,
                             const FigureStage::Captions& captions) {
  const auto settings =
      captions.alone ? settings_of(*captions.alone, result->provenance) : std::nullopt;
  Figures captioned;
  for (const FigurePtr& figure : figures) {
    Figure made = *figure;
    if (!captions.alone) made.caption = notices_in(made.caption);
    if (captions.titles == FigureStage::Captions::Titles::short_ones &&
        !captions.keep_titles.contains(made.id))
      made.title = tab_title(made, *captions.view);
    if (captions.once && !captioned.empty()) made.caption.clear();
    if (settings) made.caption = brief_caption(made.caption, *settings);
    captioned.push_back(make_figure(std::move(made)));
  }
  return captioned;
}

}  // namespace

Figures FigureStage::captioned(Figures figures, ResultPtr result, Captions captions) {
  return captions_.of(with_screen_captions, std::move(figures), std::move(result),
                      std::move(captions));
}

StageRequest stage_request(Session& session, bool flipped, const ResultPtr& before) {
  const ExperimentState& state = session.current();
  StageRequest request{.result = state.result,
                       .shown = state.shown,
                       .flipped = flipped,
                       .before = before,
                       .turned = result_at_distance(session)};
  if (const LiveSweep* sweep = session.swept()) {
    request.swept = sweep->results();
    request.swept_key = sweep->key();
  }
  for (const auto& [id, view] : state.views)
    if (!view.hidden.empty()) request.hidden[id] = view.hidden;
  return request;
}

StagedFigures FigureStage::figures(const StageRequest& request) {
  StagedFigures staged{.read = request.result};
  if (!request.result) return staged;
  staged.origin = origin_of(request);
  if (staged.origin == FigureOrigin::reference) staged.read = request.shown.references.back();
  staged.family = families(request);
  staged.figures = compared(request, staged);
  subtract(request, staged);
  turn(request, staged);
  return staged;
}

StagedFigures::Family FigureStage::families(const StageRequest& request) {
  if (request.swept.size() < 2 || !is_plain(request)) {
    if (request.swept.empty()) families_.forget();
    return {};
  }
  const Family& made =
      families_.of(family_figures, request.result, request.swept, request.swept_key);
  return made.empty() ? Family{} : made;
}

Figures FigureStage::compared(const StageRequest& request, StagedFigures& staged) {
  const std::vector<ResultPtr>& pinned = request.shown.references;
  if (staged.origin == FigureOrigin::difference)
    return differences_.of(minus_reference, request.result, pinned.back());
  differences_.forget();
  if (staged.origin == FigureOrigin::reference) return figures_of(staged.read);
  Figures own = staged.family.empty() ? figures_of(request.result) : staged.family.figures;
  std::vector<ResultPtr> others = pinned;
  // The ends of a sweep tell what was before.
  const bool dragged = request.before && staged.family.empty();
  if (dragged && !is_among(pinned, *request.before)) others.push_back(request.before);
  if (others.empty()) {
    behind_.forget();
    return own;
  }
  return behind_.of(with_references_behind, std::move(own), request.result, std::move(others),
                    pinned.size(), request.hidden);
}

void FigureStage::subtract(const StageRequest& request, StagedFigures& staged) {
  if (request.shown.minus.empty()) return minus_.forget();
  if (!is_plain(request) || !staged.family.empty()) return;
  const FiguresById& differences = minus_.of(minus_others, request.result, request.shown.minus);
  staged.subtracted = replace(staged.figures, differences, [](const Figure&) { return true; });
}

void FigureStage::turn(const StageRequest& request, StagedFigures& staged) {
  // A reference is of other settings, a difference of two, a family of several.
  if (!request.turned || staged.origin != FigureOrigin::result) return turned_.forget();
  const FiguresById& turned = turned_.of(figures_at_distance, request.turned);
  replace(staged.figures, turned, [&](const Figure& figure) {
    return !staged.subtracted.contains(figure.id) && !staged.family.in_place.contains(figure.id);
  });
}

void FigureStage::zoom(Session& session, std::span<PlacedFigure> placed) {
  const std::optional<ComputedPart> part = ask_for_part(session, placed);
  if (!part) return finer_.forget();
  Figures maps;
  for (const PlacedFigure& one : placed) maps.push_back(one.figure);
  const Figures& finer = finer_.of(finer_maps, std::move(maps), part->result);
  const bool next_is_computed = session.is_previewing(Session::Beside::part_of_map);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const FigureView& view = session.view(placed[i].figure->id);
    if (!finer[i] || !shows_part(part->place, next_is_computed, *placed[i].figure, view)) continue;
    placed[i].figure = finer[i];
    placed[i].result = part->result;
  }
}

}  // namespace orrery

#include "app/views/figure_stage.h"

#include <algorithm>

#include "app/session/references.h"
#include "app/views/figures_at_distance.h"

namespace orrery {
namespace {

using References = std::vector<std::shared_ptr<const Result>>;

bool is_among(const References& references, const Result& result) {
  return std::any_of(references.begin(), references.end(), [&](const auto& reference) {
    return contrast_of(reference->provenance, result.provenance).same();
  });
}

/// Puts those of `others` in the place of figures with their ids, where `may` allows it. Returns
/// the ids.
template <class May>
std::set<std::string> replace(Figures& figures, const std::map<std::string, FigurePtr>& others,
                              const May& may) {
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

}  // namespace

StageRequest stage_request(Session& session, bool flipped,
                           const std::shared_ptr<const Result>& before) {
  const ExperimentState& state = session.current();
  StageRequest request{.result = state.result,
                       .shown = state.shown,
                       .flipped = flipped,
                       .before = before,
                       .turned = result_at_distance(session)};
  if (const LiveSweep* sweep = session.swept())
    request.swept = {state.result, sweep->results(), sweep->key()};
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

FamilyFigures FigureStage::families(const StageRequest& request) {
  if (request.swept.members.size() < 2 || !is_plain(request)) {
    if (request.swept.members.empty()) families_.forget();
    return {};
  }
  const FamilyFigures& made = families_.of(request.swept, family_figures);
  return made.in_place.empty() && made.panels.empty() ? FamilyFigures{} : made;
}

Figures FigureStage::compared(const StageRequest& request, StagedFigures& staged) {
  const References& pinned = request.shown.references;
  if (staged.origin == FigureOrigin::difference)
    return differences_.of({request.result, pinned.back()}, minus_reference);
  differences_.forget();
  if (staged.origin == FigureOrigin::reference) return figures_of(staged.read);
  ReferencesBehind input{
      .figures = staged.family.empty() ? figures_of(request.result) : staged.family.figures,
      .result = request.result,
      .others = pinned,
      .pinned = pinned.size()};
  // The ends of a sweep tell what was before.
  const bool dragged = request.before && staged.family.empty();
  if (dragged && !is_among(pinned, *request.before)) input.others.push_back(request.before);
  if (input.others.empty()) {
    behind_.forget();
    return input.figures;
  }
  input.hidden = request.hidden;
  return behind_.of(std::move(input), with_references_behind);
}

void FigureStage::subtract(const StageRequest& request, StagedFigures& staged) {
  if (request.shown.minus.empty()) return minus_.forget();
  if (!is_plain(request) || !staged.family.empty()) return;
  const ById& differences = minus_.of({request.result, request.shown.minus}, minus_others);
  staged.subtracted = replace(staged.figures, differences, [](const Figure&) { return true; });
}

void FigureStage::turn(const StageRequest& request, StagedFigures& staged) {
  // A reference is of other settings, a difference of two, a family of several.
  if (!request.turned || staged.origin != FigureOrigin::result) return turned_.forget();
  const ById& turned = turned_.of(request.turned, figures_at_distance);
  replace(staged.figures, turned, [&](const Figure& figure) {
    return !staged.subtracted.contains(figure.id) && !staged.family.in_place.contains(figure.id);
  });
}

void FigureStage::zoom(Session& session, std::span<PlacedFigure> placed) {
  const std::optional<ComputedPart> part = ask_for_part(session, placed);
  if (!part) return finer_.forget();
  FinerMaps input{.part = part->result};
  for (const PlacedFigure& one : placed) input.maps.push_back(one.figure);
  const Figures& finer = finer_.of(std::move(input), finer_maps);
  const bool next_is_computed = session.is_previewing(Session::Beside::part_of_map);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const FigureView& view = session.view(placed[i].figure->id);
    if (!finer[i] || !shows_part(part->place, next_is_computed, *placed[i].figure, view)) continue;
    placed[i].figure = finer[i];
    placed[i].result = part->result;
  }
}

}  // namespace orrery

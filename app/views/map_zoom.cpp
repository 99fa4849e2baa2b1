#include "app/views/map_zoom.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <vector>

namespace orrery {
namespace {

// While another part is computed, this share of what is seen is better than cells.
constexpr double least_share = 0.5;

double length(const Range& range) { return range.max - range.min; }

/// The width of a cell of an axis; 0 where its cells are not of a longer map.
double cell_width(const Axis& axis, std::size_t cells) {
  if (!axis.whole || !axis.range || cells < 2) return 0;
  return length(*axis.range) / static_cast<double>(cells - 1);
}

/// A map of cells of a longer one and what is seen of it.
struct ZoomedMap {
  double cell{};
  std::int64_t tokens{};
  Range queries{};
  Range keys{};
};

std::optional<ZoomedMap> zoomed_map(const Figure& figure, const FigureView& view) {
  const auto* map = std::get_if<Heatmap>(&figure.content);
  if (!map || !map->values || !view.x || !view.y || !map->x.whole || map->x.whole != map->y.whole)
    return std::nullopt;
  const double cell = cell_width(map->x, map->values->shape.at(1));
  if (cell <= 1) return std::nullopt;
  return ZoomedMap{cell, std::llround(length(*map->x.whole)), *view.y, *view.x};
}

/// `part` tokens from the one at which the range is in the middle, in whole steps.
std::int64_t first_of(const Range& range, std::int64_t part, std::int64_t step,
                      std::int64_t tokens) {
  const double margin = (static_cast<double>(part) - length(range)) / 2;
  const auto steps = std::llround((range.min + 0.5 - margin) / static_cast<double>(step));
  return std::clamp<std::int64_t>(steps * step, 0, tokens - part);
}

/// The share of a view's range that lies among tokens first … first + count − 1.
double share(const Range& range, std::int64_t first, std::int64_t count) {
  const double from = std::max(range.min, static_cast<double>(first) - 0.5);
  const double to = std::min(range.max, static_cast<double>(first + count) - 0.5);
  return length(range) > 0 ? std::max(0.0, to - from) / length(range) : 0.0;
}

double share(const MapPart& part, const ZoomedMap& map) {
  return share(map.queries, part.first_query, part.side) *
         share(map.keys, part.first_key, part.side);
}

/// Tokens per side of a cell of a map of `side` tokens.
std::int64_t cell_of(std::int64_t side, const ParamSet& params, const MapPartParams& keys) {
  const std::int64_t most = params.integer(keys.cells);
  return (side + most - 1) / most;
}

/// The result's parameters for a part of the maps of some encodings.
ParamSet for_part(ParamSet params, const MapPartParams& keys, const MapPart& part,
                  std::vector<std::string> encodings) {
  params.set_value(keys.side, part.side);
  params.set_value(keys.first_query, part.first_query);
  params.set_value(keys.first_key, part.first_key);
  const ParamSpec* compared = params.with_role(ParamRole::encodings);
  if (compared && !encodings.empty()) params.set_value(compared->key, std::move(encodings));
  return params;
}

MapPart part_of(const ParamSet& params, const MapPartParams& keys) {
  return {params.integer(keys.first_query), params.integer(keys.first_key),
          params.integer(keys.side)};
}

bool match_otherwise(const ParamSet& a, const ParamSet& b, const MapPartParams& keys) {
  const ParamSpec* compared = b.with_role(ParamRole::encodings);
  return for_part(a, keys, part_of(b, keys),
                  compared ? b.list(compared->key) : std::vector<std::string>{}) == b;
}

/// The newest of the current result, whatever part it is.
std::optional<ComputedPart> computed_part(const Session& session, const MapPartParams& keys) {
  const ExperimentState& state = session.current();
  const Session::Preview& preview = session.previewed(Session::Beside::part_of_map);
  if (!preview.params || !match_otherwise(*state.result_params, *preview.params, keys))
    return std::nullopt;
  return ComputedPart{part_of(*preview.params, keys), preview.result};
}

/// The keys by which the current experiment computes parts, where a whole map is on screen.
const MapPartParams* part_keys(const ExperimentState& state) {
  const std::optional<MapPartParams>& keys = state.experiment->info.map_part;
  const bool whole =
      keys && state.result && state.result_params && state.result_params->integer(keys->side) == 0;
  return whole ? &*keys : nullptr;
}

/// Whether `fine` shows the quantity of `cells` in smaller cells, or entry by entry.
bool is_finer(const Figure& fine, const Figure& cells) {
  const auto* map = std::get_if<Heatmap>(&cells.content);
  return std::holds_alternative<Heatmap>(fine.content) &&
         (fine.role == cells.role || (map && map->reduces == fine.role));
}

}  // namespace

bool MapPart::covers(const Range& queries, const Range& keys) const {
  const auto within = [&](const Range& range, std::int64_t first) {
    return range.min >= static_cast<double>(first) - 0.5 &&
           range.max <= static_cast<double>(first + side) - 0.5;
  };
  return within(queries, first_query) && within(keys, first_key);
}

bool MapPart::covers(const MapPart& other) const {
  const auto within = [&](std::int64_t first, std::int64_t others) {
    return first <= others && others + other.side <= first + side;
  };
  return within(first_query, other.first_query) && within(first_key, other.first_key);
}

std::optional<MapPart> part_in_view(const Range& queries, const Range& keys, std::int64_t tokens) {
  const double seen = std::max(length(queries), length(keys));
  if (!(seen > 0) || !(seen < static_cast<double>(tokens))) return std::nullopt;
  constexpr std::int64_t steps_in_view = 4;  // to 8
  const auto whole = static_cast<std::uint64_t>(std::ceil(seen));
  const auto step =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::bit_floor(whole)) / steps_in_view);
  const std::int64_t side =
      (static_cast<std::int64_t>(std::ceil(seen / static_cast<double>(step))) + 2) * step;
  if (side >= tokens) return std::nullopt;
  return MapPart{first_of(queries, side, step, tokens), first_of(keys, side, step, tokens), side};
}

std::optional<ComputedPart> ask_for_part(Session& session, std::span<const PlacedFigure> figures) {
  const ExperimentState& state = session.current();
  const MapPartParams* keys = part_keys(state);
  if (!keys) return std::nullopt;
  std::optional<ZoomedMap> seen;
  std::set<std::string> names;
  for (const PlacedFigure& placed : figures) {
    const auto map = zoomed_map(*placed.figure, session.view(placed.figure->id));
    if (!map) continue;
    if (!seen) seen = map;
    names.insert(placed.figure->role.encodings.begin(), placed.figure->role.encodings.end());
  }
  const auto part = seen ? part_in_view(seen->queries, seen->keys, seen->tokens) : std::nullopt;
  const auto cell = [&](const MapPart& of) {
    return cell_of(of.side, *state.result_params, *keys);
  };
  auto there = computed_part(session, *keys);
  const bool serves =
      there && part && there->place.covers(*part) && cell(there->place) <= cell(*part);
  if (!part || serves || static_cast<double>(cell(*part)) >= seen->cell) return there;
  session.preview(Session::Beside::part_of_map,
                  for_part(*state.result_params, *keys, *part, {names.begin(), names.end()}));
  return computed_part(session, *keys);
}

Figures finer_maps(const Figures& maps, const ResultPtr& part) {
  Figures finer;
  for (const FigurePtr& map : maps) {
    const std::vector<Figure>& figures = part->figures;
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&](const Figure& figure) { return is_finer(figure, *map); });
    if (found == figures.end()) {
      finer.push_back(nullptr);
      continue;
    }
    Figure figure = *found;
    figure.id = map->id;  // its view and its marks are the map's
    if (map->caption.empty()) figure.caption.clear();
    finer.push_back(make_figure(std::move(figure)));
  }
  return finer;
}

bool shows_part(const MapPart& part, bool next_is_computed, const Figure& figure,
                const FigureView& view) {
  const auto map = zoomed_map(figure, view);
  if (!map) return false;
  return part.covers(map->queries, map->keys) ||
         (next_is_computed && share(part, *map) >= least_share);
}

}  // namespace orrery

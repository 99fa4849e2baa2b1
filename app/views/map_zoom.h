#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "app/session/session.h"
#include "app/views/figure_set.h"

namespace orrery {

/// A square part of a map of N queries and N keys.
struct MapPart {
  std::int64_t first_query{};
  std::int64_t first_key{};
  std::int64_t side{};  ///< queries, and keys

  /// Whether it has all that a view shows; a token's edges are half a token from it.
  bool covers(const Range& queries, const Range& keys) const;
  bool covers(const MapPart& other) const;
  friend bool operator==(const MapPart&, const MapPart&) = default;
};

/// The part to compute for a view: what is seen and at least a sixteenth of it on every side, in
/// steps of an eighth to a quarter of it, so that small movements find it computed. Empty where
/// that is the whole map.
std::optional<MapPart> part_in_view(const Range& queries, const Range& keys, std::int64_t tokens);

// Zooming into a map of cells: where the experiment computes parts, the part in view is computed in
// the background, in cells as small as its settings allow, and stands in for the map as long as it
// has what is seen.

struct ComputedPart {
  MapPart place{};
  std::shared_ptr<const Result> result{};
};

/// Asks for the part in view unless what is there serves. Returns the newest part that is there.
std::optional<ComputedPart> ask_for_part(Session& session, std::span<const PlacedFigure> figures);

/// The figures of a part that stand in for maps of cells; null where it has none. Titles, axes and
/// captions are the part's.
Figures finer_maps(const Figures& maps, const ResultPtr& part);

/// Whether the part has what is seen of a map; while the next one is computed, most of it.
bool shows_part(const MapPart& part, bool next_is_computed, const Figure& figure,
                const FigureView& view);

}  // namespace orrery

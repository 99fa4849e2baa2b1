#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "app/session/session.h"
#include "app/views/figure_set.h"

namespace orrery::views {

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

/// Zooming into a map of cells: where the experiment computes parts, the part in view is computed
/// in the background, in cells as small as its settings allow, and stands in for the map as long as
/// it has what is seen. Its title, axes and caption are its own.
class MapZoom {
 public:
  /// Asks for and takes what has been computed. Call once a frame, before show().
  void update(Session& session, std::span<const PlacedFigure> figures);
  /// Puts computed parts in place of the maps of cells.
  void show(Session& session, std::span<PlacedFigure> figures);
  /// Keeps what show() placed.
  std::shared_ptr<const void> owner() const { return parts_; }

 private:
  struct Part {
    MapPart place;
    std::shared_ptr<const Result> result;
  };
  struct Figures {
    std::shared_ptr<const Result> result{};
    std::map<std::string, Figure> by_id{};  ///< of the map that each stands in for
  };
  const Figure* finer(const Figure& map);

  std::shared_ptr<const Result> source_{};  ///< that the part is of
  std::optional<Part> part_{};
  std::shared_ptr<Figures> parts_{};
};

}  // namespace orrery::views

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/canvas/canvas.h"
#include "experiments/figure/plot/figure_layout.h"

namespace orrery {

/// The rectangles of widgets and figures in the last frame, by name, so that scripts can point at
/// them.
class ItemRects {
 public:
  void clear();
  /// "param dim", "view rotation", "tab Decay bound"; the first of several items with the same name
  /// counts.
  void mark(std::string name, const Rect& area) { areas_.try_emplace(std::move(name), area); }
  void mark_figure(const std::string& id, const FigureLayout& frame) { figures_[id] = frame; }

  std::optional<Rect> find(const std::string& name) const;
  /// Null when no such figure was drawn.
  const FigureLayout* figure(const std::string& id) const;
  /// All names, figures as "figure ID".
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Rect> areas_{};
  std::map<std::string, FigureLayout> figures_{};
};

}  // namespace orrery

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/figure/layout.h"

namespace orrery {

/// Where things lay in the frame that was drawn last, by name: what a script points at.
class Places {
 public:
  void clear();
  /// "param dim", "view rotation", "tab Decay bound"; of two with one name the first counts.
  void mark(std::string name, const Rect& area) { areas_.try_emplace(std::move(name), area); }
  void mark_figure(const std::string& id, const FigureFrame& frame) { figures_[id] = frame; }

  std::optional<Rect> find(const std::string& name) const;
  /// Null when no such figure was drawn.
  const FigureFrame* figure(const std::string& id) const;
  /// All names, figures as "figure ID".
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Rect> areas_{};
  std::map<std::string, FigureFrame> figures_{};
};

}  // namespace orrery

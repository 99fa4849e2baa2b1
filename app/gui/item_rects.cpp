#include "app/gui/item_rects.h"

namespace orrery {

void ItemRects::clear() {
  areas_.clear();
  figures_.clear();
}

std::optional<Rect> ItemRects::find(const std::string& name) const {
  const auto found = areas_.find(name);
  return found == areas_.end() ? std::nullopt : std::optional(found->second);
}

const FigureLayout* ItemRects::figure(const std::string& id) const {
  const auto found = figures_.find(id);
  return found == figures_.end() ? nullptr : &found->second;
}

std::vector<std::string> ItemRects::names() const {
  std::vector<std::string> names;
  for (const auto& [name, area] : areas_) names.push_back(name);
  for (const auto& [id, frame] : figures_) names.push_back("figure " + id);
  return names;
}

}  // namespace orrery

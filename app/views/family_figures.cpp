#include "app/views/family_figures.h"

#include <utility>

#include "experiments/combine/family.h"

namespace orrery {

FamilyFigures family_figures(const SweptResults& input) {
  FamilyFigures made{.figures = figures_of(input.result)};
  for (FigurePtr& figure : made.figures) {
    std::vector<Figure> members = family(input.members, figure->id, input.key);
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

}  // namespace orrery

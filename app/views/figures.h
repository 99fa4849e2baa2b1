#pragma once

#include <memory>
#include <vector>

#include "experiments/model/result.h"

namespace orrery {

/// A figure that keeps alive what it belongs to. Two that are equal are the same figure: nothing
/// changes one that is on screen.
using FigurePtr = std::shared_ptr<const Figure>;
using Figures = std::vector<FigurePtr>;

inline Figures figures_of(const std::shared_ptr<const Result>& result) {
  Figures figures;
  if (result)
    for (const Figure& figure : result->figures) figures.emplace_back(result, &figure);
  return figures;
}

inline FigurePtr make_figure(Figure figure) {
  return std::make_shared<const Figure>(std::move(figure));
}

}  // namespace orrery

#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "experiments/figure/color/style.h"
#include "experiments/figure/page.h"
#include "experiments/figure/plot/figure_view.h"
#include "experiments/figure/plot/notes.h"
#include "experiments/model/figure.h"
#include "experiments/model/panels.h"

namespace orrery {

/// SVG for pages that follow the reader's choice of a light or a dark theme. Where the two differ
/// only in colours, one drawing serves both, with the dark colours in CSS classes; where they
/// differ in more (the pixels of a map), the page gets two drawings.
class ThemedSvgs {
 public:
  explicit ThemedSvgs(Page page = {}) : page_(page) {}

  /// Elements to place into HTML. Their ids start with `id`, which must be unique in the page.
  std::string draw(const Figure& figure, const std::string& id, const FigureView& view = {},
                   std::span<const PlacedNote> notes = {});
  std::string draw(const Panels& panels, const std::string& id);
  /// Any drawing: an SVG file in a theme, with ids that start with `id`.
  using Draw = std::function<std::string(Theme theme, const std::string& id)>;
  std::string draw(const Draw& svg_in, const std::string& id);

  /// CSS rules for everything drawn so far, for use inside a media query for the dark theme.
  std::string dark_rules() const;

 private:
  std::string class_of(const std::string& property, const std::string& light,
                       const std::string& dark);
  std::string merged(const std::string& light, const std::string& dark);

  Page page_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> classes_{};
};

}  // namespace orrery

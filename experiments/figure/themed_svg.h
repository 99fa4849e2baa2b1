#pragma once

#include <map>
#include <string>
#include <tuple>

#include "experiments/figure/figure.h"

namespace orrery {

/// SVG for pages that are light or dark as their reader likes. One drawing serves both where only
/// colours differ, and classes carry the dark ones; where more does (a map's pixels), there are
/// two.
class ThemedSvgs {
 public:
  /// Elements to place into HTML. `id` is the beginning of their ids, unlike any other in the page.
  std::string draw(const Figure& figure, const std::string& id);

  /// Rules for everything drawn so far, to stand within a media query for dark.
  std::string dark_rules() const;

 private:
  std::string class_of(const std::string& property, const std::string& light,
                       const std::string& dark);
  std::string merged(const std::string& light, const std::string& dark);

  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> classes_{};
};

}  // namespace orrery

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "experiments/model/result.h"

namespace orrery {

using Results = std::vector<std::shared_ptr<const Result>>;

/// One figure of several results of an experiment that differ in a number, `key`. Curves are laid
/// over one another in ordered colours: the same curves that `orrery plot` draws, with hue=KEY, of
/// a saved sweep with these points. Up to three encodings are told apart by dashes, more have a
/// panel each. Maps have a panel per value, all with the same colours. Empty where fewer than two
/// results have the figure, where it is the same in all of them, and for tables and arrows.
std::vector<Figure> family(const Results& results, const std::string& figure,
                           const std::string& key);

}  // namespace orrery

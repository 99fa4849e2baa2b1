#pragma once

#include <string>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

/// Figures of one kind side by side on one page, such as the same curves at several settings.
struct Panels {
  std::string id{};  ///< snake_case: the file's stem
  std::string title{};
  std::string caption{};
  bool lettered{false};          ///< whether titles begin with panel_letter()
  std::vector<Figure> panels{};  ///< each titled by what tells it apart; one alone fills the page
};

}  // namespace orrery

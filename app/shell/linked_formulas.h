#pragma once

#include <utility>

#include "app/panels/equation_view.h"

namespace orrery {

/// The formulas of the view on screen, linked to the controls of their parameters.
struct LinkedFormulas {
  EquationView view{};
  SymbolLink shown{};  ///< what was pointed at in the previous frame
  SymbolLink next{};   ///< what is pointed at in this frame

  void begin_frame() { shown = std::exchange(next, {}); }
};

}  // namespace orrery

#pragma once

#include <string>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/session.h"
#include "experiments/figure/equation/layout.h"
#include "experiments/studies/catalogue.h"

namespace orrery {

/// The link between a symbol of a formula and the control of its parameter. Pointing lasts a
/// frame and shows in the next.
struct SymbolLink {
  std::string symbol{};              ///< under the mouse, in a formula
  std::string key{};                 ///< of the parameter whose control is under the mouse
  std::string clicked{};             ///< key of the parameter whose symbol was clicked
  std::vector<std::string> named{};  ///< symbols that name what is under the mouse in a figure
};

/// Whether a parameter is what a formula calls `name`: "m₀" is "m_0". One without a symbol goes by
/// its key.
bool is_symbol_of(const ParamSpec& spec, std::string_view name);

/// The subject of the formulas on screen: the figure on top, or the experiment where several
/// figures are shown.
FormulaSubject formula_subject(const ExperimentState& state);

/// The formulas of the figure on screen, in a row. A symbol explains itself under the mouse and
/// lights up its control; a click on it gives that control the keyboard.
class EquationView {
 public:
  /// A tooltip of these words and the formula in which the parameter stands, if there is one.
  void explain(const Session& session, const ParamSpec& spec, const std::string& words,
               const Ui& ui);
  /// What draw() takes of `room`; nothing when there is nothing to set or no room for it.
  Size size(const Session& session, const Rect& room, const Ui& ui);
  /// Draws them at the top right of `room`; `shown` is what was pointed at in the frame before,
  /// `next` what is now.
  void draw(const Session& session, const Rect& room, const SymbolLink& shown, SymbolLink& next,
            const Ui& ui);

 private:
  struct Parsed {
    EquationNode tree{};
    std::string source{};
  };
  struct Placed {
    EquationBox box{};
    Point origin{};
    const Parsed* formula{};
  };
  const Parsed* formula_with(const Session& session, const ParamSpec& spec);
  const std::vector<Parsed>& formulas(const Session& session);
  std::vector<Placed> place(const Session& session, const Rect& area, const Ui& ui);

  FormulaSubject subject_{};  ///< that formulas_ are of
  std::vector<Parsed> formulas_{};
};

}  // namespace orrery

#pragma once

#include <map>
#include <string>

#include "app/session.h"
#include "app/ui.h"

namespace orrery {

/// A control for every parameter that is read at present, made from its ParamSpec alone.
class ParamPanel {
 public:
  /// Draws into the current window, over its whole width.
  void draw(Session& session, const Ui& ui);
  /// A file that was dropped on the window: goes to the file parameter that was used last, or else
  /// to the first that reads such files. Says so when there is none.
  void drop_file(Session& session, const std::string& path);

 private:
  void control(Session& session, const ParamSpec& spec, const Ui& ui);
  void file(Session& session, const ParamSpec& spec, const Ui& ui);

  std::map<std::string, std::string> typed_{};  ///< file paths being edited, by experiment and key
  std::string last_file_key_{};
};

/// What there is to know about a parameter: description, symbol, unit, range, default.
std::string param_tooltip(const ParamSpec& spec);
/// `value` to `digits` significant digits: what a slider yields, so that captions stay readable.
double rounded_to_digits(double value, int digits);
/// The nearest multiple that the specification allows.
std::int64_t nearest_allowed(const ParamSpec& spec, std::int64_t value);

}  // namespace orrery

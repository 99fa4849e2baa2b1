#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "app/gui/ui.h"
#include "app/panels/equation_view.h"
#include "app/session/session.h"

namespace orrery {

/// Why a parameter changes nothing that is seen, "Changes nothing in the figure on screen.", "The
/// file says 8192." or, after a move without effect, "4 in place of 2 changed nothing in the figure
/// on screen."; empty where it may change something.
std::string why_ignored(const Session& session, std::string_view key);

/// Draws items paler than the others, for as long as it lives. They can still be used.
class Dimmed {
 public:
  explicit Dimmed(bool dims);
  ~Dimmed();
  Dimmed(const Dimmed&) = delete;
  Dimmed& operator=(const Dimmed&) = delete;

 private:
  bool dims_;
};

/// A control for every parameter in use, made from its ParamSpec alone.
class ParamPanel {
 public:
  /// Draws into the current window, over its whole width. The parameter whose symbol was pointed at
  /// (`shown`) is lit and explained with its formula; the one whose control is pointed at goes into
  /// `next`.
  void draw(Session& session, EquationView& equations, const SymbolLink& shown, SymbolLink& next,
            const Ui& ui);
  /// A file that was dropped on the window goes to the file parameter that suits it best: one that
  /// names its type, was edited last, is read at present, is still at its default. Says so when
  /// there is none.
  void drop_file(Session& session, const std::string& path);
  /// Whether the path of a file was being typed last: a dropped file is then for that parameter.
  bool is_editing_file() const { return !last_file_key_.empty(); }
  /// Gives a parameter's control the keyboard focus in the next frame.
  void focus(std::string key) { focus_ = std::move(key); }

 private:
  void draw_search(const ParamSet& params, const Ui& ui);
  bool is_shown(const ParamSet& params, const ParamSpec& spec) const;
  /// Folded until it is opened, or until one of its parameters is to get the keyboard. Returns
  /// whether its parameters show.
  bool heading(const ParamSet& params, const std::string& group, const Ui& ui) const;
  void row(Session& session, const ParamSpec& spec, EquationView& equations,
           const SymbolLink& shown, SymbolLink& next, const Ui& ui);
  void control(Session& session, const ParamSpec& spec, const Ui& ui);
  void slider(Session& session, const ParamSpec& spec, const Ui& ui);
  void file(Session& session, const ParamSpec& spec);
  /// A field whose text is set on Enter. Returns whether it is being edited.
  bool typed_text(Session& session, const ParamSpec& spec, const std::string& hint);

  std::map<std::string, std::string> typed_{};  ///< texts being edited, by experiment and key
  std::string wanted_{};                        ///< text in the search field
  std::string focus_{};  ///< key of the parameter that gets the keyboard focus next
  std::string last_file_key_{};
  std::string typing_key_{};  ///< key of the slider whose number is being typed
};

/// The same, beginning with why the parameter changes nothing on screen, where that is so.
std::string explanation(const Session& session, const ParamSpec& spec);

/// Controls of the parameters `keys`, or of all without any, those that are used, side by side in
/// the current line and at most `width` wide: choices as lists to open, and up to `sliders`
/// numbers. Returns whether all parameters were asked for.
bool draw_control_strip(Session& session, std::span<const std::string> keys, std::size_t sliders,
                        double width, const Ui& ui);

}  // namespace orrery

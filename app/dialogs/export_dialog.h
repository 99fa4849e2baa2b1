#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/dialogs/figure_export.h"
#include "app/gui/overlay.h"
#include "app/session/task.h"

namespace orrery {

/// Asks for path and format and exports in the background.
class ExportDialog : public Overlay {
 public:
  explicit ExportDialog(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~ExportDialog() { task_.wait(); }

  /// Writes the files: export_figures, unless a test replaces it.
  using Writer = std::function<ExportOutcome(const ExportRequest&)>;
  void write_with(Writer writer) { writer_ = std::move(writer); }

  /// Opens for these figures of a view, with what was chosen the last time; `stem` is the name
  /// proposed for the file, and `format` the format if it is not that of the last time.
  void ask(std::vector<ShownFigure> figures, const std::string& stem, Theme theme,
           const std::string& format = {});
  void draw(Session& session, const Ui& ui);
  bool is_writing() const { return task_.is_running(); }

 private:
  void write(bool replace);
  void take_outcome(Session& session);
  void draw_formats(const Ui& ui);
  void draw_page(const Ui& ui);
  void draw_look(const Ui& ui);
  void suit_theme();
  void draw_buttons(Session& session);

  std::function<void()> wake_;
  Writer writer_{export_figures};
  ExportRequest request_{};
  Theme on_screen_{Theme::dark};  ///< theme of the window
  std::string width_{};           ///< typed: a length or the name of a page; empty: as on a screen
  std::string path_{};
  std::string folder_{};   ///< folder of the last export
  std::string trouble_{};  ///< why the files could not be written
  bool asks_to_replace_{false};
  BackgroundTask<ExportOutcome> task_{};
};

}  // namespace orrery

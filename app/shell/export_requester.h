#pragma once

#include <string>

#include "app/dialogs/export_dialog.h"
#include "app/shell/workspace.h"

namespace orrery::shell {

/// Opens the export dialog for the figures on screen.
class ExportRequester {
 public:
  /// Lets the figures' menus export them.
  ExportRequester(Workspace& workspace, ExportDialog& dialog);
  ~ExportRequester();
  ExportRequester(const ExportRequester&) = delete;
  ExportRequester& operator=(const ExportRequester&) = delete;

  /// Exports what this frame draws, once it is drawn.
  void request() { requested_ = true; }
  /// Opens the dialog if that was requested. Call after the figures are drawn.
  void update();

 private:
  void ask_for(const Figure& figure, const FigureView& view, const std::string& extension);

  Workspace& workspace_;
  ExportDialog& dialog_;
  bool requested_{false};
};

}  // namespace orrery::shell

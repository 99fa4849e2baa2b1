#pragma once

#include <optional>
#include <string>
#include <utility>

#include "app/dialogs/export_dialog.h"
#include "app/shell/workspace.h"

namespace orrery {

/// Opens the export dialog for the figures on screen.
class ExportRequester {
 public:
  /// Lets the figures' menus export them.
  ExportRequester(Workspace& workspace, ExportDialog& dialog);
  ~ExportRequester();
  ExportRequester(const ExportRequester&) = delete;
  ExportRequester& operator=(const ExportRequester&) = delete;

  /// Exports what this frame draws, once it is drawn, in the format of the last time or in this one.
  void request(std::string format = {}) { requested_ = std::move(format); }
  /// Opens the dialog if that was requested. Call after the figures are drawn.
  void update();

 private:
  void ask_for(const Figure& figure, const FigureView& view, const std::string& extension);

  Workspace& workspace_;
  ExportDialog& dialog_;
  std::optional<std::string> requested_{};  ///< the format; empty: that of the last time
};

}  // namespace orrery

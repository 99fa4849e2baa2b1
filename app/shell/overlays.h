#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "app/dialogs/export_dialog.h"
#include "app/dialogs/file_dialog.h"
#include "app/dialogs/help_sheets.h"
#include "app/dialogs/palette.h"
#include "app/panels/status_line.h"
#include "app/player/sheets.h"
#include "app/shell/workspace.h"

namespace orrery {

/// Everything that opens over the window.
struct Overlays {
  explicit Overlays(const std::function<void()>& wake) : exports(wake), files(wake) {}

  Palette palette{};
  ShortcutSheet shortcuts{};
  QuestionSheet questions{};
  ManualSheet manual{};
  LessonSheet lessons{};
  ScoreboardSheet scoreboard{};
  ExportDialog exports;
  FileDialog files;
  TargetDialog target{};
  PairDialog pair{};
  JobsPanel jobs{};
  ChecksSheet checks{};

  /// The one that is open; null without one.
  Overlay* opened() {
    const std::array<Overlay*, 12> all{&palette, &shortcuts,  &questions, &manual,
                                       &lessons, &scoreboard, &exports,   &files,
                                       &target,  &pair,       &jobs,      &checks};
    const auto found =
        std::find_if(all.begin(), all.end(), [](const Overlay* one) { return one->is_open(); });
    return found == all.end() ? nullptr : *found;
  }
};

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

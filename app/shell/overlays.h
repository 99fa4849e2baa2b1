#pragma once

#include <functional>

#include "app/dialogs/export_dialog.h"
#include "app/dialogs/file_dialog.h"
#include "app/dialogs/pair_dialog.h"
#include "app/dialogs/palette.h"
#include "app/dialogs/questions.h"
#include "app/dialogs/shortcut_sheet.h"
#include "app/dialogs/target_dialog.h"
#include "app/panels/jobs_panel.h"
#include "app/player/lesson_sheet.h"
#include "app/player/manual_sheet.h"
#include "app/player/scoreboard_view.h"

namespace orrery::shell {

/// Everything that opens over the window.
struct Overlays {
  explicit Overlays(const std::function<void()>& wake) : exports(wake), files(wake) {}

  Palette palette{};
  ShortcutSheet shortcuts{};
  QuestionSheet questions{};
  player::ManualSheet manual{};
  player::LessonSheet lessons{};
  player::ScoreboardSheet scoreboard{};
  ExportDialog exports;
  FileDialog files;
  TargetDialog target{};
  PairDialog pair{};
  JobsPanel jobs{};
  ChecksSheet checks{};

  bool any_open() const {
    return palette.is_open() || shortcuts.is_open() || questions.is_open() || manual.is_open() ||
           lessons.is_open() || scoreboard.is_open() || exports.is_open() || files.is_open() ||
           target.is_open() || pair.is_open() || jobs.is_open() || checks.is_open();
  }
};

}  // namespace orrery::shell

#pragma once

#include <algorithm>
#include <array>
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

}  // namespace orrery

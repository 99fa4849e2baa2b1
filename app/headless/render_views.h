#pragma once

#include <string>

#include "app/shell/start.h"

namespace orrery {

struct RenderOptions {
  StartOptions start{};
  std::string folder{};          ///< made when missing
  std::string size{"1280x800"};  ///< pixels
  std::string show{};    ///< name of an action that is performed before the picture is taken
  std::string script{};  ///< a script to play instead, which takes the pictures
  std::size_t motion{};  ///< frames between two steps of a lesson
  bool projector{};      ///< in projector mode
  bool start_afresh{};   ///< in a window: without the last session
};

/// Draws the chosen view, or else every view, without a display and writes FOLDER/VIEW.png; prints
/// each path. Of a lesson it draws the steps, see render_lesson. A script is played on the view and
/// writes FOLDER/NAME.png for each picture it takes. Throws what the experiment threw (bad
/// parameters, bad data), UsageError for options, what keeps a file from being written, and what
/// play_script does.
void render_views(const RenderOptions& options);

}  // namespace orrery

#pragma once

#include <string>

#include "app/gui/ui.h"
#include "app/session/session.h"
#include "experiments/model/result.h"

namespace orrery {

/// The checks of a result, one per line: whether it holds, the statement, measured against bound;
/// then its scalars. Draws into the current window.
void draw_findings(const Result& result, const Ui& ui);
/// The height that draw_findings takes in a window whose content is `width` wide.
double findings_height(const Result& result, double width, const Ui& ui);

/// How many of the checks hold.
std::size_t holding(const Result& result);

/// Text of the status line that does not come from the session.
struct StatusWords {
  std::string verb{"Computed"};  ///< "Computed" or "Loaded"
  std::string note{};            ///< what was done last; empty: how to find help
  bool brief{};                  ///< beside controls: neither time nor seed
  bool leads{};                  ///< brief, where there are no controls: at the cursor
  double right{};                ///< what is drawn at the right end of the line takes so much
};

/// Whether a job has run long enough that its progress is shown, with buttons that pause and stop
/// it.
bool shows_progress(const ResultStore::Status& status);
/// "training 40% 2.1 s", "Paused: training 40% 2.1 s".
std::string progress_text(const ResultStore::Status& status);
/// "Pause", or "Go on".
const char* pause_text(const ResultStore::Status& status);

/// Shows compute time, seed, precision and checks of the result on screen; while a job runs, its
/// progress. Draws into the current window. Returns whether the checks were clicked.
bool draw_status(Session& session, const StatusWords& words, const Ui& ui);
/// "12 checks hold", "11 checks hold, 1 fails".
std::string checks_text(const Result& result);

/// Shows the error message with buttons that resolve it. Draws into the current window.
void draw_message(Session& session);
/// The height that draw_message needs at a width; 0 without a message.
double message_height(const Session& session, double width, const Ui& ui);

/// Lists the running and finished computations, one line per experiment, each with
/// buttons that pause and stop it.
class JobsPanel : public Overlay {
 public:
  void draw(Session& session, bool writing, const Ui& ui);
};

/// The claims that the result on screen was checked against, with their numbers.
class ChecksSheet : public Overlay {
 public:
  void draw(const Session& session, const Ui& ui);
};

}  // namespace orrery

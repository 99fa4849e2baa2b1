#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/panels/param_panel.h"
#include "app/session/file_targets.h"
#include "app/session/task.h"
#include "app/shell/overlays.h"
#include "app/shell/workspace.h"

namespace orrery {

/// Opens paths: a result or a sweep in the browser, a file in the parameter that suits it.
class PathOpener {
 public:
  PathOpener(Workspace& workspace, Overlays& overlays, ParamPanel& params, UndoRecorder& undo)
      : workspace_(workspace), overlays_(overlays), params_(params), undo_(undo) {}

  /// Looks at a path in the background; update() shows it.
  void open(const std::filesystem::path& path);
  /// Makes the browser show the folder and the point that the session names, which undo or the last
  /// session brought back.
  void restore_saved();
  /// Opens files and folders that were dropped on the window. For one file that several parameters
  /// could read, asks which one is meant; of two arrays, whether they are q and k or a tensor
  /// before and after its rotation; several files fill the parameters in turn.
  void drop(const std::vector<std::string>& paths);
  /// Assigns a dropped file to the best-matching parameter.
  void drop_file(const std::string& path);

  /// From now on the newest tensor of the folder opens itself; the same folder again ends that.
  void watch(const std::filesystem::path& folder);

  /// Shows what has been looked at. Call once per frame.
  void update();
  bool busy() const { return opening_.is_running(); }
  /// Writes what the browser shows into the session, unless restore_saved() is still under way.
  void store_saved();

 private:
  void show(OpenedPath& opened);
  void assign(const std::string& path);
  void open_newest();
  bool drop_pair(const std::string& a, const std::string& b);

  Workspace& workspace_;
  Overlays& overlays_;
  ParamPanel& params_;
  UndoRecorder& undo_;
  BackgroundTask<OpenedPath> opening_{};
  bool restoring_{false};
  std::unique_ptr<FileWatch> watch_{};
};

}  // namespace orrery

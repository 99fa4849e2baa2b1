#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/gui/overlay.h"
#include "app/session/folder_listing.h"
#include "app/session/session.h"
#include "app/session/task.h"

namespace orrery::dialogs {

/// Lets the user choose a file or a result folder. Folders are read in the background, so that a
/// server that does not answer cannot block the window.
class FileDialog : public Overlay {
 public:
  explicit FileDialog(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Opens the dialog at a folder, or at the last one.
  void ask(const std::filesystem::path& folder = {});
  /// Returns the path chosen in this frame.
  std::optional<std::filesystem::path> draw(const Session& session, const Ui& ui);

 private:
  using Chosen = std::optional<std::filesystem::path>;

  void enter(const std::filesystem::path& folder);
  void take_listing();
  Chosen draw_path();
  Chosen draw_recent(const Session& session, const Ui& ui);
  Chosen draw_entries(const Ui& ui);
  Chosen draw_entry(const FolderEntry& entry, const Ui& ui);
  bool shows(const FolderEntry& entry) const;

  std::function<void()> wake_;
  FolderListing listing_{};
  std::string typed_{};    ///< the path in the field
  std::string trouble_{};  ///< why the folder could not be read
  bool all_files_{false};
  Task<FolderListing> task_{};
};

}  // namespace orrery::dialogs

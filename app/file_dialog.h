#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "app/folder_listing.h"
#include "app/overlay.h"
#include "app/session.h"
#include "app/task.h"

namespace orrery {

/// Finds a file or a result folder. Folders are read in the background: one that does not answer
/// blocks nothing.
class FileDialog : public Overlay {
 public:
  explicit FileDialog(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Opens at a folder, or where it was left.
  void ask(const std::filesystem::path& folder = {});
  /// What was chosen in this frame.
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

}  // namespace orrery

#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/gui/ui.h"
#include "app/session/file_targets.h"
#include "app/session/folder_listing.h"
#include "app/session/session.h"
#include "app/session/task.h"
#include "experiments/checkpoints/models.h"

namespace orrery {

/// Lets the user choose a file or a result folder. Folders are read in the background, so that a
/// server that does not answer cannot block the window. What is typed filters the names, Tab
/// completes it.
class FileDialog : public Overlay {
 public:
  explicit FileDialog(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Opens the dialog at a folder, or at the last one.
  void ask(const std::filesystem::path& folder = {});
  /// Returns the path chosen in this frame.
  std::optional<std::filesystem::path> draw(const Session& session, const Ui& ui);
  /// The folder that is to be watched from now on, once.
  std::optional<std::filesystem::path> take_watched() { return std::exchange(watched_, {}); }

 private:
  using Chosen = std::optional<std::filesystem::path>;

  void enter(const std::filesystem::path& folder);
  void list(const std::filesystem::path& folder);
  void take_listing();
  Chosen draw_path();
  Chosen draw_recent(const Session& session, const Ui& ui);
  Chosen draw_shelf(const Ui& ui);
  Chosen draw_entries(const Ui& ui);
  Chosen draw_entry(const FolderListing::Entry& entry, const Ui& ui);
  std::vector<const FolderListing::Entry*> shown_entries() const;
  /// Lists the folder of the path that is being typed.
  void follow_typing();
  /// The typed path with what all names that begin so have in common.
  std::string completed_path() const;

  std::function<void()> wake_;
  FolderListing listing_{};
  std::string typed_{};            ///< the path in the field
  std::string beginning_{};        ///< of the names that are shown: what is typed after the folder
  std::filesystem::path asked_{};  ///< the folder that was listed last, or is being listed
  std::string trouble_{};          ///< why the folder could not be read
  bool all_files_{false};
  BackgroundTask<FolderListing> task_{};
  BackgroundTask<ModelList> finding_{};
  std::vector<ModelEntry> models_{};  ///< of this machine
  Chosen watched_{};
};

/// Asks which parameter a file is for when several could read it.
class TargetDialog : public Overlay {
 public:
  void ask(std::string path, std::vector<FileTarget> targets);
  const std::string& path() const { return path_; }
  /// Returns the parameter chosen in this frame.
  std::optional<FileTarget> draw(const Session& session, const Ui& ui);

 private:
  std::string path_{};
  std::vector<FileTarget> targets_{};
};

/// Asks what two files are that were dropped together.
class PairDialog : public Overlay {
 public:
  void ask(std::vector<DroppedPair> pairs);
  /// Returns the pair chosen in this frame.
  std::optional<DroppedPair> draw(const Session& session, const Ui& ui);

 private:
  std::vector<DroppedPair> pairs_{};
};

}  // namespace orrery

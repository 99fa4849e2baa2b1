#pragma once

#include <filesystem>

namespace orrery {

/// A folder ".NAME.tmp-PID" beside `target`, on the same file system; removed with all it holds
/// unless it took the target's place.
class FolderSwap {
 public:
  /// Makes the folder, and the target's parents. Throws IoError.
  explicit FolderSwap(const std::filesystem::path& target);
  ~FolderSwap();
  FolderSwap(const FolderSwap&) = delete;
  FolderSwap& operator=(const FolderSwap&) = delete;

  const std::filesystem::path& folder() const { return temporary_; }

  /// Puts the folder in the target's place, in one step where the system can; a folder that was
  /// there is removed afterwards. Throws IoError, and then the target is as it was.
  void commit();

 private:
  bool exchange();
  void replace_in_two_steps();

  std::filesystem::path target_;
  std::filesystem::path temporary_;
};

/// Waits until the folder's entries are on the disk. Throws IoError.
void sync_folder(const std::filesystem::path& folder);
/// create_directories that throws IoError.
void make_folders(const std::filesystem::path& folder);

}  // namespace orrery

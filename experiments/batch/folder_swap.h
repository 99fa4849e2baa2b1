#pragma once

#include <filesystem>
#include <string_view>

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

/// Writes a file beside `path` and puts it in its place in one step. Throws IoError, and then what
/// was there stays and nothing else is left.
void replace_file(const std::filesystem::path& path, std::string_view bytes);
/// Removes what processes that were killed left in the folder: ".NAME.tmp-PID" and ".NAME.old-PID".
/// Only for whoever holds the folder's lock.
void remove_leftovers(const std::filesystem::path& folder);
/// Waits until the folder's entries are on the disk. Throws IoError.
void sync_folder(const std::filesystem::path& folder);
/// create_directories that throws IoError.
void make_folders(const std::filesystem::path& folder);

}  // namespace orrery

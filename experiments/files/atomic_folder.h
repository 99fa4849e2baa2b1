#pragma once

#include <chrono>
#include <filesystem>
#include <span>

#include "experiments/files/file.h"

namespace orrery {

/// A folder that appears as a whole or not at all: it is filled under the hidden name
/// ".NAME.tmp-PID" beside `target`, on the same file system, and takes the target's place in
/// commit(). Without a commit it is removed with all its content. Files in it are written with
/// Sync::later: commit() waits once for all of them.
class AtomicFolder {
 public:
  /// Makes the hidden folder and the target's parents. Throws IoError.
  explicit AtomicFolder(const std::filesystem::path& target);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;

  /// The hidden folder, to write into.
  const std::filesystem::path& folder() const { return temporary_; }

  /// Brings everything in the folder to the disk and puts it in the target's place, in one step
  /// where the file system can do that; an older folder there is removed afterwards. Throws
  /// IoError; then the target is unchanged.
  void commit();
  /// The same of folders whose targets lie in one folder, with one wait for all of them. Throws
  /// IoError, and then leaves unchanged the target that failed and all after it.
  static void commit(std::span<AtomicFolder* const> folders);

 private:
  void sync_content();
  void take_place();
  bool exchange();
  void replace_in_two_steps();

  std::filesystem::path target_;
  std::filesystem::path temporary_;
  Descriptor descriptor_{};  ///< of temporary_, open since before anything was written
  std::chrono::steady_clock::time_point opened_{};
};

}  // namespace orrery

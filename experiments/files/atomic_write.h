#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "experiments/files/file.h"

namespace orrery {

/// What becomes of a file that is there already.
enum class Existing { replaced, refused };

/// Writes a file in one step: the bytes go to a hidden file beside `path`, reach the disk, and only
/// then take its name. Readers see the old file or the new one, also after a power failure. Makes
/// the folder if needed. Throws IoError, also for an existing file that is refused; then the old
/// file is unchanged and no other file is left behind.
void atomic_write(const std::filesystem::path& path, std::string_view bytes,
                  Existing existing = Existing::replaced);

/// A file that is written in parts, in any order, and appears as a whole or not at all: the bytes
/// go to a hidden file beside `path`, which is removed unless commit() gives it its name.
class AtomicFile {
 public:
  /// Makes the folder and the hidden file. Throws IoError, also where the disk has less than
  /// `bytes` free.
  AtomicFile(std::filesystem::path path, std::uintmax_t bytes,
             Existing existing = Existing::replaced);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Throws IoError.
  void write(std::uintmax_t offset, std::string_view bytes);
  /// Reads what was written, as many bytes as `bytes` has. Throws IoError.
  void read(std::uintmax_t offset, std::span<char> bytes) const;
  /// Brings the bytes to the disk, and then the file under its name. Throws IoError; then a file
  /// that was there is unchanged.
  void commit();

 private:
  std::filesystem::path path_;
  std::filesystem::path temporary_;
  Existing existing_;
  Descriptor descriptor_{};
};

/// Throws IoError where the disk of a new file, whose folder exists, has less than `bytes` free.
void require_space(const std::filesystem::path& path, std::uintmax_t bytes);

/// ".NAME.PURPOSE-PID-WORD": a name for a temporary file or folder beside `target`, another one
/// each time: containers that share a disk may have processes of the same number.
std::string hidden_name(const std::filesystem::path& target, std::string_view purpose);

/// Removes what killed processes left half written beside `target`: each ".NAME.tmp-PID" whose
/// process is gone from this machine and whose lock nobody holds on another one. What cannot be
/// looked at or removed stays.
void remove_abandoned(const std::filesystem::path& target);

/// Removes the temporary files and folders (".NAME.tmp-PID", ".NAME.old-PID") that killed processes
/// left in `folder`. Call it only while holding the folder's lock. Throws IoError.
void remove_leftovers(const std::filesystem::path& folder);

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

#include "experiments/results/result_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <memory>
#include <mutex>

#include "core/errors.h"
#include "experiments/data/zip_pack.h"
#include "experiments/files/file.h"
#include "experiments/files/file_version.h"
#include "experiments/files/presence.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// The pack at a path, null where there is none. The last one is kept: whoever reads a result of a
/// pack reads many.
std::shared_ptr<const ZipPack> pack_at(const fs::path& path) {
  static std::mutex mutex;
  static FileVersion last;
  static std::shared_ptr<const ZipPack> kept;
  const FileVersion version = version_at(path);
  if (!version.is_there()) return nullptr;
  const std::lock_guard lock(mutex);
  if (kept && version == last) return kept;
  const auto pack = std::make_shared<const ZipPack>(path);
  pack->require_own();
  kept = pack;
  last = version;
  return kept;
}

}  // namespace

fs::path pack_beside(const fs::path& folder) {
  fs::path pack = folder.parent_path();
  pack += ".zip";
  return pack;
}

ResultFiles::ResultFiles(fs::path folder) : folder_(std::move(folder)) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();  // "points/ID/"
  if (!folder_.has_parent_path()) return;
  const auto pack = pack_at(pack_beside(folder_));
  const auto place = pack ? pack->find(folder_.filename().string()) : std::nullopt;
  if (!place) return;
  packed_ = true;
  try {
    group_ = pack->read(*place);
    members_ = members_of_group(group_, folder_.string());
  } catch (const IoError&) {
    failure_ = std::current_exception();
  } catch (const DataError&) {
    members_.clear();  // then no file of it can be read
  }
}

bool ResultFiles::exists() const { return packed_ || is_folder_at(folder_); }

bool ResultFiles::has(std::string_view path) const {
  if (failure_) std::rethrow_exception(failure_);
  return packed_ ? members_.contains(path) : is_file_at(folder_ / path);
}

std::string ResultFiles::read(std::string_view path, std::uintmax_t max_bytes) const {
  if (failure_) std::rethrow_exception(failure_);
  if (!packed_) return read_file(folder_ / path, max_bytes);
  const std::string name = (folder_ / path).string();
  const auto found = members_.find(path);
  if (members_.empty())
    throw DataError(name, "cannot be read: its part of the zip archive is damaged",
                    "copy the archive again, or resume the sweep");
  if (found == members_.end()) throw io_error(name, "read", ENOENT);
  if (found->second.size() > max_bytes)
    throw DataError(name, fmt::format("is longer than the limit of {} bytes", max_bytes),
                    "give a smaller file");
  return std::string(found->second);
}

}  // namespace orrery

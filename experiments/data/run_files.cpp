#include "experiments/data/run_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <system_error>

#include "experiments/files/file.h"
#include "experiments/files/mapped_file.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 2;
constexpr std::size_t most_entries = 10000;  // of a folder that is no model's

bool is_read(const fs::path& path) {
  const std::string extension = path.extension().string();
  for (const char* read : {".safetensors", ".gguf", ".json", ".model", ".txt"})
    if (extension == read) return true;
  return false;
}

}  // namespace

fs::path place_of_model(const fs::path& path) {
  if (path.extension() != ".json" && path.extension() != ".safetensors") return path;
  return path.has_parent_path() ? path.parent_path() : ".";
}

std::vector<fs::path> files_of_model(const fs::path& place) {
  std::error_code failed;
  if (!fs::is_directory(place, failed)) return {place};
  std::vector<fs::path> files;
  fs::recursive_directory_iterator at(place, fs::directory_options::skip_permission_denied, failed);
  for (std::size_t seen = 0; !failed && at != fs::end(at) && seen < most_entries; ++seen) {
    if (at.depth() >= deepest) at.disable_recursion_pending();
    std::error_code gone;
    if (at->is_regular_file(gone) && is_read(at->path())) files.push_back(at->path());
    at.increment(failed);
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool have_weights(const std::vector<fs::path>& files) {
  return std::any_of(files.begin(), files.end(), [](const fs::path& one) {
    return one.extension() == ".safetensors" || one.extension() == ".gguf";
  });
}

std::string version_of(const std::vector<fs::path>& files) {
  std::string version;
  for (const fs::path& file : files) {
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0) continue;
    version +=
        fmt::format("{} {} {} {}.{} {}.{}\n", file.string(), s.st_size, s.st_ino, s.st_mtim.tv_sec,
                    s.st_mtim.tv_nsec, s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
  }
  return version;
}

FilesDigest digest_of(const std::vector<fs::path>& files) {
  static std::mutex mutex;
  static std::map<std::string, FilesDigest> known;
  // Taken before reading: a file that changes meanwhile is read again the next time.
  const std::string version = version_of(files);
  {
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(version); found != known.end()) return found->second;
  }
  FilesDigest digest;
  std::string lines;
  for (const fs::path& file : files) {
    const MappedFile mapped(file, file.string());
    lines += fmt::format("{} {}\n", sha256_of(mapped), file.filename().string());
    digest.bytes += mapped.bytes().size();
  }
  digest.sha256 = sha256_hex(lines);
  const std::lock_guard lock(mutex);
  return known[version] = digest;
}

}  // namespace orrery

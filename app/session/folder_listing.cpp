#include "app/session/folder_listing.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>
#include <tuple>

#include "experiments/files/file.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

constexpr std::array tensor_extensions{"npy", "npz", "safetensors"};
constexpr std::array text_extensions{"txt", "md", "text", "rst", "tex"};

template <class Names>
bool is_among(const std::string& name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_folder(PathKind kind) {
  return kind == PathKind::folder || kind == PathKind::result_folder ||
         kind == PathKind::sweep_folder;
}

bool comes_before(const FolderListing::Entry& a, const FolderListing::Entry& b) {
  const auto order = [](const FolderListing::Entry& entry) {
    return std::tuple(!is_folder(entry.kind), lower_ascii(entry.name), entry.name);
  };
  return order(a) < order(b);
}

/// With the home folder in place of "~".
std::string without_tilde(std::string_view typed) {
  const char* home = std::getenv("HOME");
  if (!home || !typed.starts_with('~') || (typed.size() > 1 && typed[1] != '/'))
    return std::string(typed);
  return home + std::string(typed.substr(1));
}

}  // namespace

std::string extension_of(const std::filesystem::path& path) {
  const std::string extension = lower_ascii(path.extension().string());
  return extension.empty() ? extension : extension.substr(1);
}

PathKind path_kind(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    const auto holds = [&](const char* name) {
      return std::filesystem::is_regular_file(path / name, unknown);
    };
    if (holds("plan.json")) return PathKind::sweep_folder;
    return holds("result.json") ? PathKind::result_folder : PathKind::folder;
  }
  const std::string extension = extension_of(path);
  if (is_among(extension, tensor_extensions)) return PathKind::tensor;
  return is_among(extension, text_extensions) ? PathKind::text : PathKind::other;
}

FolderListing list_folder(const std::filesystem::path& folder) {
  FolderListing listing{.folder = folder};
  std::error_code failed;
  std::filesystem::directory_iterator entry(folder, failed);
  if (failed) throw io_error(folder.string(), "listed", failed.value());
  for (const std::filesystem::directory_iterator end; entry != end; entry.increment(failed)) {
    if (failed) throw io_error(folder.string(), "listed", failed.value());
    const std::string name = entry->path().filename().string();
    if (name.empty() || name.front() == '.') continue;
    listing.cut = listing.entries.size() == max_entries;
    if (listing.cut) break;
    const PathKind kind = path_kind(entry->path());
    std::error_code unknown;
    const std::uintmax_t bytes = is_folder(kind) ? 0 : entry->file_size(unknown);
    listing.entries.push_back({name, kind, unknown ? 0 : bytes});
  }
  std::sort(listing.entries.begin(), listing.entries.end(), comes_before);
  return listing;
}

std::filesystem::path newest_tensor(const std::filesystem::path& folder) {
  std::filesystem::path newest;
  std::filesystem::file_time_type last{};
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (path_kind(entry.path()) != PathKind::tensor) continue;
    const auto time = entry.last_write_time(failed);
    if (failed || (!newest.empty() && time <= last)) continue;
    newest = entry.path();
    last = time;
  }
  return newest;
}

TypedPath typed_path(std::string_view typed, const std::filesystem::path& here) {
  const std::filesystem::path path = here / without_tilde(typed);
  if (path.filename() == "." || path.filename() == "..") return {path.lexically_normal(), ""};
  return {path.parent_path(), path.filename().string()};
}

bool begins_with(std::string_view name, std::string_view beginning) {
  return name.size() >= beginning.size() &&
         lower_ascii(std::string(name.substr(0, beginning.size()))) ==
             lower_ascii(std::string(beginning));
}

std::string completed(const std::string& beginning, const std::vector<std::string>& names) {
  std::string common;
  bool first = true;
  for (const std::string& name : names) {
    if (!begins_with(name, beginning)) continue;
    if (first) common = name;
    first = false;
    const auto end = std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first;
    common.erase(end, common.end());
  }
  return common.size() < beginning.size() ? beginning : common;
}

}  // namespace orrery

#include "experiments/files/assets.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors.h"

namespace orrery {
namespace {

namespace fs = std::filesystem;

/// The file that holds this code: the program, or liborrery in whatever program.
fs::path own_file() {
  Dl_info info{};
  std::error_code unreadable;
  // Of a program the name is what was typed. A function has an address, which only a cast makes data's.
  if (dladdr(reinterpret_cast<void*>(&own_file), &info) != 0 && info.dli_fname != nullptr &&
      fs::path(info.dli_fname).filename().string().starts_with("liborrery"))
    return fs::canonical(info.dli_fname, unreadable);
  return fs::read_symlink("/proc/self/exe", unreadable);
}

std::vector<fs::path> asset_folders() {
  std::vector<fs::path> folders;
  if (const char* chosen = std::getenv("ORRERY_ASSETS"); chosen != nullptr && *chosen != '\0')
    folders.emplace_back(chosen);
  // bin/orrery, lib/liborrery.so or lib/x86_64-linux-gnu/liborrery.so
  const fs::path folder = own_file().parent_path();
  for (const fs::path& up : {folder.parent_path(), folder.parent_path().parent_path()})
    folders.push_back(up / "share" / "orrery");
  folders.emplace_back(ORRERY_INSTALLED_ASSETS);
#ifdef ORRERY_SOURCE_ASSETS
  folders.emplace_back(ORRERY_SOURCE_ASSETS);
#endif
  return folders;
}

}  // namespace

std::filesystem::path asset_path(std::string_view relative) {
  std::vector<std::string> looked_in;
  for (const std::filesystem::path& folder : asset_folders()) {
    std::error_code missing;
    if (std::filesystem::exists(folder / relative, missing)) return folder / relative;
    looked_in.push_back(folder.string());
  }
  throw IoError(relative,
                fmt::format("does not come with Orrery; looked in {}", fmt::join(looked_in, ", ")),
                "check the name, or set ORRERY_ASSETS to the folder that contains it");
}

}  // namespace orrery

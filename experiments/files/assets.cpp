#include "experiments/files/assets.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "core/errors.h"

namespace orrery::files {
namespace {

std::vector<std::filesystem::path> asset_folders() {
  std::vector<std::filesystem::path> folders;
  if (const char* chosen = std::getenv("ORRERY_ASSETS"); chosen != nullptr && *chosen != '\0')
    folders.emplace_back(chosen);
  std::error_code unreadable;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", unreadable);
  if (!unreadable) folders.push_back(program.parent_path().parent_path() / "share" / "orrery");
  folders.emplace_back(ORRERY_INSTALLED_ASSETS);
  folders.emplace_back(ORRERY_SOURCE_ASSETS);
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

}  // namespace orrery::files

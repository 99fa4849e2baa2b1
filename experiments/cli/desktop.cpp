#include "experiments/cli/desktop.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "core/errors.h"

namespace orrery {
namespace {

constexpr const char* desktop_name = "orrery-desktop";

/// Found beside this program, where the build puts it, or through PATH.
std::string desktop_program() {
  std::error_code failure;
  namespace fs = std::filesystem;
  const fs::path here = fs::read_symlink("/proc/self/exe", failure).parent_path();
  for (const fs::path& path : {here / desktop_name, here / ".." / "app" / desktop_name})
    if (fs::exists(path, failure)) return path.string();
  return desktop_name;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value && *value != '\0';
}

}  // namespace

void require_display(const std::string& what, const std::string& instead) {
  if (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) return;
  throw IoError(what, "needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set", instead);
}

int start_desktop(Words words) {
  words.insert(words.begin(), desktop_program());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv[0], argv.data());
  throw IoError(words.front(), "cannot be started",
                "build it with ORRERY_DESKTOP=ON, or install it beside orrery");
}

}  // namespace orrery

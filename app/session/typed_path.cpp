#include "app/session/typed_path.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "experiments/text/ascii.h"

namespace orrery {
namespace {

/// With the home folder in place of "~".
std::string without_tilde(std::string_view typed) {
  const char* home = std::getenv("HOME");
  if (!home || !typed.starts_with('~') || (typed.size() > 1 && typed[1] != '/'))
    return std::string(typed);
  return home + std::string(typed.substr(1));
}

}  // namespace

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

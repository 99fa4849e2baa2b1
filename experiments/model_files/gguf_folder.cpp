#include "experiments/model_files/gguf_folder.h"

#include <algorithm>
#include <string>
#include <system_error>

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr int most_entries_of_folder = 100'000;

}  // namespace

bool is_later_part(std::string_view name) {
  return name.find("-of-") != std::string_view::npos &&
         name.find("-00001-of-") == std::string_view::npos;
}

std::vector<fs::path> ggufs_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  int entries = 0;
  for (fs::directory_iterator at(folder, error), end;
       !error && at != end && ++entries < most_entries_of_folder; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(".gguf") && !is_later_part(name)) found.push_back(at->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace orrery

#include "app/session/recent_paths.h"

#include <algorithm>

namespace orrery {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

}  // namespace

std::vector<std::string> united_paths(const std::vector<std::string>& before,
                                      const std::vector<std::string>& other,
                                      const std::vector<std::string>& mine) {
  std::vector<std::string> all;
  const auto add = [&](const std::vector<std::string>& list, bool fresh) {
    for (const std::string& path : list)
      if (contains(before, path) != fresh && !contains(all, path)) all.push_back(path);
  };
  for (const bool fresh : {true, false}) {
    add(mine, fresh);
    add(other, fresh);
  }
  if (all.size() > max_recent) all.resize(max_recent);
  return all;
}

}  // namespace orrery

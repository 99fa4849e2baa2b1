#include "app/views/tab_titles.h"

#include <algorithm>

#include "app/session/references.h"
#include "experiments/text/ascii.h"

namespace orrery::views {
namespace {

std::string in_words(std::string id) {
  id = spaced(std::move(id));
  if (!id.empty() && id[0] >= 'a' && id[0] <= 'z') id[0] = static_cast<char>(id[0] - 'a' + 'A');
  return id;
}

std::string named(std::string_view id, const ExperimentView& view) {
  const auto found = std::find_if(view.tabs.begin(), view.tabs.end(),
                                  [&](const auto& tab) { return tab.first == id; });
  return found == view.tabs.end() ? in_words(std::string(id)) : found->second;
}

}  // namespace

std::string tab_title(const Figure& figure, const ExperimentView& view) {
  return named(figure.id, view);
}

std::string group_title(std::string_view group, const ExperimentView& view) {
  std::string label = session::encoding_title(group);
  return label == group ? named(group, view) : label;
}

}  // namespace orrery::views

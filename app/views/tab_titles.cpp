#include "app/views/tab_titles.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/session/references.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

std::string in_words(std::string id) {
  id = spaced(std::move(id));
  if (!id.empty() && id[0] >= 'a' && id[0] <= 'z') id[0] = static_cast<char>(id[0] - 'a' + 'A');
  return id;
}

/// As the experiment calls it; empty without a name from there.
std::string own_title(std::string_view id, const ExperimentView& view) {
  const auto found = std::find_if(view.tabs.begin(), view.tabs.end(),
                                  [&](const auto& tab) { return tab.first == id; });
  return found == view.tabs.end() ? std::string() : found->second;
}

std::string named(std::string_view id, const ExperimentView& view) {
  std::string own = own_title(id, view);
  return own.empty() ? in_words(std::string(id)) : own;
}

}  // namespace

std::string tab_title(const Figure& figure, const ExperimentView& view) {
  if (std::string own = own_title(figure.id, view); !own.empty()) return own;
  const FigureRole& role = figure.role;
  const std::string encoding = role.encoding();
  if (role.kind.empty() || encoding.empty()) return in_words(figure.id);
  return fmt::format("{}: {}", named(role.term.empty() ? role.kind : role.term, view),
                     encoding_title(encoding));
}

std::string group_title(std::string_view group, const ExperimentView& view) {
  std::string label = encoding_title(group);
  return label == group ? named(group, view) : label;
}

}  // namespace orrery

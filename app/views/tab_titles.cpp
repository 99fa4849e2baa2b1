#include "app/views/tab_titles.h"

#include <algorithm>
#include <map>

#include "app/session/references.h"

namespace orrery::views {
namespace {

/// Figures whose ids, as words, would not say what is to be seen.
const std::map<std::string, std::string, std::less<>>& names() {
  static const std::map<std::string, std::string, std::less<>> all{
      {"B", "Sum of cosines"},
      {"any_peak", "Any peak by choice of k"},
      {"beyond", "Encoding by encoding"},
      {"bound_and_scores", "Bound and logits"},
      {"decay_changes", "Changes of logits"},
      {"decay_scores", "Logits"},
      {"invariance_error", "Change of logits"},
      {"invariance_ulp", "Change in ulp"},
      {"map_softmax", "Map: softmax"},
      {"favor_error", "Error of FAVOR+"},
      {"logits", "Logits past the training length"},
      {"meanings", "Meanings of decay"},
      {"norm_by_pipeline", "By pipeline"},
      {"norm_change_ulp", "Change in ulp"},
      {"norm_ratio", "Ratio of lengths"},
      {"offsets", "Shifted tokens"},
      {"own_defaults", "At the given settings"},
      {"recent_share", "Share of recent tokens"},
      {"rounding_error", "Distance from exact"},
      {"settings", "Settings found"},
  };
  return all;
}

std::string in_words(std::string id) {
  std::replace(id.begin(), id.end(), '_', ' ');
  if (!id.empty() && id[0] >= 'a' && id[0] <= 'z') id[0] = static_cast<char>(id[0] - 'a' + 'A');
  return id;
}

std::string named(std::string_view id) {
  const auto found = names().find(id);
  return found == names().end() ? in_words(std::string(id)) : found->second;
}

}  // namespace

std::string tab_title(const Figure& figure) { return named(figure.id); }

std::string group_title(std::string_view group) {
  std::string label = session::encoding_title(group);
  return label == group ? named(group) : label;
}

}  // namespace orrery::views

#include "app/session/file_pairs.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "app/session/file_targets.h"
#include "app/session/folder_listing.h"

namespace orrery {
namespace {

/// "q_rotated" of "/data/Q_rotated.npy".
std::string stem_of(const std::string& path) {
  std::string stem = std::filesystem::path(path).stem().string();
  std::transform(stem.begin(), stem.end(), stem.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return stem;
}

bool has_any(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

/// Whether the names say that a is the second of the two.
bool is_reversed(const std::string& a, const std::string& b) {
  const auto is_after = [](const std::string& s) { return has_any(s, {"after", "rot", "post"}); };
  const auto is_before = [](const std::string& s) { return has_any(s, {"before", "raw", "pre"}); };
  if (is_after(a) != is_after(b)) return is_after(a);
  if (is_before(a) != is_before(b)) return is_before(b);
  return a.starts_with('k') && b.starts_with('q');
}

bool reads(const ParamSet& params, const std::string& key, const std::string& type) {
  const ParamSpec& spec = params.spec(key);
  return spec.kind == ParamKind::file &&
         std::find(spec.file_types.begin(), spec.file_types.end(), type) != spec.file_types.end();
}

}  // namespace

std::vector<DroppedPair> file_pairs(const Session& session, const std::string& a,
                                    const std::string& b) {
  std::vector<DroppedPair> pairs;
  std::pair<std::string, std::string> paths{a, b};
  if (is_reversed(stem_of(a), stem_of(b))) std::swap(paths.first, paths.second);
  const auto add = [&](std::size_t i, bool on_screen_only) {
    const ExperimentState& state = session.state(i);
    for (const PairedFiles& pair : state.experiment->info.paired_files)
      if (pair.on_screen_only == on_screen_only &&
          reads(state.params, pair.first, extension_of(paths.first)) &&
          reads(state.params, pair.second, extension_of(paths.second)))
        pairs.push_back({i, &pair, paths.first, paths.second});
  };
  if (session.size() > 0) add(session.selected(), true);
  for (std::size_t i = 0; i < session.size(); ++i) add(i, false);
  return pairs;
}

void set_pair(Session& session, const DroppedPair& pair) {
  set_file(session, {pair.experiment, pair.params->first}, pair.first);
  set_file(session, {pair.experiment, pair.params->second}, pair.second);
}

}  // namespace orrery

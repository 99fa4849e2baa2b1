#include "app/session/file_pairs.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "app/session/file_targets.h"
#include "app/session/folder_listing.h"

namespace orrery::session {
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

bool reads(const ParamSet& params, const char* key, const std::string& type) {
  if (!params.has(key)) return false;
  const ParamSpec& spec = params.spec(key);
  return spec.kind == ParamKind::file &&
         std::find(spec.file_types.begin(), spec.file_types.end(), type) != spec.file_types.end();
}

}  // namespace

std::vector<FilePair> file_pairs(const Session& session, const std::string& a,
                                 const std::string& b) {
  std::vector<FilePair> pairs;
  std::pair<std::string, std::string> paths{a, b};
  if (is_reversed(stem_of(a), stem_of(b))) std::swap(paths.first, paths.second);
  const auto add = [&](std::size_t experiment, const char* first, const char* second) {
    const ParamSet& params = session.state(experiment).params;
    if (reads(params, first, extension_of(paths.first)) &&
        reads(params, second, extension_of(paths.second)))
      pairs.push_back({experiment, first, second, paths.first, paths.second});
  };
  add(session.selected(), "q", "k");
  for (std::size_t i = 0; i < session.size(); ++i) add(i, "before", "after");
  return pairs;
}

void set_pair(Session& session, const FilePair& pair) {
  set_file(session, {pair.experiment, pair.first_key}, pair.first);
  set_file(session, {pair.experiment, pair.second_key}, pair.second);
}

}  // namespace orrery::session

#include "app/session/file_targets.h"

#include <algorithm>
#include <filesystem>

#include "app/session/folder_listing.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

bool has_type(const ParamSpec& spec, const std::string& type) {
  return spec.kind == ParamKind::file &&
         std::find(spec.file_types.begin(), spec.file_types.end(), type) != spec.file_types.end();
}

/// How well a parameter suits a file of this extension; below 0: not at all.
int suitability(const ParamSet& params, const ParamSpec& spec, const std::string& extension,
                const std::string& last_edited) {
  const bool named = has_type(spec, extension);
  if (!named && !has_type(spec, "*")) return -1;
  return 8 * named + 4 * (spec.key == last_edited) + 2 * params.is_used(spec.key) +
         1 * params.is_default(spec.key);
}

void add_targets(std::vector<FileTarget>& targets, const Session& session, std::size_t index,
                 const std::string& type) {
  for (const ParamSpec& spec : session.state(index).params.specs())
    if (has_type(spec, type)) targets.push_back({index, spec.key});
}

/// Whether the last word of a file's name is that of a parameter: "layer_3_k.npy" and k.
bool is_called(const std::string& path, const std::string& key) {
  const std::string stem = lower_ascii(std::filesystem::path(path).stem().string());
  const std::string name = key.substr(key.find_last_of('.') + 1);
  if (!stem.ends_with(name)) return false;
  const char before = stem.size() == name.size() ? ' ' : stem[stem.size() - name.size() - 1];
  return before < 'a' || before > 'z';
}

/// The one that the file is called after comes first, then those that hold no file yet.
void order_targets(std::vector<FileTarget>& targets, const Session& session,
                   const std::string& path) {
  const auto rank = [&](const FileTarget& target) {
    const bool taken = !session.state(target.experiment).params.text(target.key).empty();
    return is_called(path, target.key) ? 0 : taken ? 2 : 1;
  };
  std::stable_sort(targets.begin(), targets.end(),
                   [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
}

}  // namespace

std::vector<FileTarget> file_targets(const Session& session, const std::string& path) {
  const std::string extension = extension_of(path);
  std::vector<FileTarget> targets;
  add_targets(targets, session, session.selected(), extension);
  for (std::size_t i = 0; targets.empty() && i < session.size(); ++i)
    add_targets(targets, session, i, extension);
  if (targets.empty()) add_targets(targets, session, session.selected(), "*");
  order_targets(targets, session, path);
  return targets;
}

std::string best_file_key(const ParamSet& params, const std::string& path,
                          const std::string& last_edited) {
  std::string key;
  int best = -1;
  for (const ParamSpec& spec : params.specs()) {
    const int suits = suitability(params, spec, extension_of(path), last_edited);
    if (suits <= best) continue;
    best = suits;
    key = spec.key;
  }
  return key;
}

void set_file(Session& session, const FileTarget& target, const std::string& path) {
  session.select(target.experiment);
  const ParamSet params = session.current().params;
  const ParamSpec& spec = params.spec(target.key);
  if (!params.is_used(spec.key) && spec.used_when)
    session.set(spec.used_when->key, spec.used_when->any_of.front());
  session.set(spec.key, path);
}

std::string file_types_text(const ParamSpec& spec) {
  std::string words;
  for (const std::string& type : spec.file_types) {
    if (!words.empty()) words += type == "*" ? " or " : " ";
    words += type == "*" ? "any other" : "." + type;
  }
  return words;
}

}  // namespace orrery

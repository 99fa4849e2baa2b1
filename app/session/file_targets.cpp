#include "app/session/file_targets.h"

#include <algorithm>
#include <cerrno>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>

#include "experiments/checkpoints/family_table.h"
#include "experiments/checkpoints/models.h"
#include "experiments/files/file.h"
#include "experiments/text/ascii.h"

namespace orrery {
namespace {

/// Whether a file dropped by itself is not meant for it: a second model's, which captions leave out
/// unless it is set, or one that is read beside another that is not there.
bool is_beside(const ParamSet& params, const ParamSpec& spec) {
  if (spec.stated_if_set && has_type(spec, "gguf")) return true;
  return spec.used_when && spec.used_when->any_of.front() == "*" && !params.is_used(spec.key);
}

/// How well a parameter suits a file of this extension; below 0: not at all.
int suitability(const ParamSet& params, const ParamSpec& spec, const std::string& extension,
                const std::string& last_edited) {
  const bool named = has_type(spec, extension);
  if (!named && !has_type(spec, "*")) return -1;
  if (is_beside(params, spec) && spec.key != last_edited) return -1;
  return 8 * named + 4 * (spec.key == last_edited) + 2 * params.is_used(spec.key) +
         1 * params.is_default(spec.key);
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

/// Whether a configuration lies beside weights, so that the model can be run.
bool has_weights_beside(const std::filesystem::path& configuration) {
  std::error_code failed;
  for (std::filesystem::directory_iterator at(folder_of(configuration), failed), end;
       !failed && at != end; at.increment(failed))
    if (at->path().extension() == ".safetensors") return true;
  return false;
}

/// Whether the weights of a model can be run within seconds.
bool runs_soon(const std::filesystem::path& path) {
  constexpr std::uint64_t most_bytes = 512 << 20;
  const ModelEntry model = describe_model(path.extension() == ".json" ? folder_of(path) : path);
  return model.bytes > 0 && model.bytes <= most_bytes && model.problem.empty() &&
         !family_of_model(model.model_type).empty();
}

/// Which parameters a model's file may be meant for.
enum class Meant { weights, any, no_weights };

void add_targets(std::vector<FileTarget>& targets, const Session& session, std::size_t index,
                 const std::string& type, Meant meant = Meant::any) {
  const ParamSet& params = session.state(index).params;
  for (const ParamSpec& spec : params.specs()) {
    const bool reads_weights = has_type(spec, "safetensors");
    if (has_type(spec, type) && !is_beside(params, spec) &&
        (meant == Meant::any || reads_weights == (meant == Meant::weights)))
      targets.push_back({index, spec.key});
  }
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

/// "q_rotated" of "/data/Q_rotated.npy".
std::string stem_of(const std::string& path) {
  return lower_ascii(std::filesystem::path(path).stem().string());
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

}  // namespace

bool has_type(const ParamSpec& spec, const std::string& type) {
  return spec.kind == ParamKind::file &&
         std::find(spec.file_types.begin(), spec.file_types.end(), type) != spec.file_types.end();
}

OpenedPath look_at(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed)) {
    const ModelList here = list_models(model_places());
    if (const ModelEntry* model = model_named(here.models, path.string()))
      return look_at(model->path);
    throw io_error(path.string(), "opened", failed ? failed.value() : ENOENT);
  }
  if (!std::filesystem::is_directory(path, failed) &&
      !std::filesystem::is_regular_file(path, failed))
    throw IoError(path.string(), "is a pipe or a device, and only folders and files are opened",
                  "write its content to a file first");
  OpenedPath opened{.path = path, .kind = path_kind(path)};
  if (opened.kind == PathKind::folder &&
      std::filesystem::is_regular_file(path / "config.json", failed))
    opened = {.path = path / "config.json", .kind = path_kind(path / "config.json")};
  if (opened.kind == PathKind::result_folder || opened.kind == PathKind::sweep_folder)
    opened.saved = read_index(path);
  return opened;
}

SavedSettings settings_of(const Session& session, const Provenance& provenance) {
  const std::optional<std::size_t> index = session.find(provenance.experiment);
  if (!index)
    throw UsageError(provenance.experiment, "is not an experiment of this version",
                     "open the result with the version that made it");
  SavedSettings settings{.experiment = *index,
                         .params = ParamSet(session.state(*index).experiment->info.params)};
  for (const auto& [key, value] : provenance.params) {
    try {
      settings.params.set(key, value);
    } catch (const Error& refusal) {
      settings.left_out.emplace_back(refusal.what());
    }
  }
  return settings;
}

void show_settings(Session& session, const SavedSettings& settings) {
  DesktopState state = session.snapshot();
  state.experiments[settings.experiment].params = settings.params;
  state.selected = settings.experiment;
  session.apply(state);
}

std::vector<FileTarget> file_targets(const Session& session, const std::string& path) {
  const std::string extension = extension_of(path);
  const bool is_bare = extension == "json" && !has_weights_beside(path);
  const Meant meant = is_bare ? Meant::no_weights : Meant::any;
  std::vector<FileTarget> targets;
  add_targets(targets, session, session.selected(), extension, meant);
  const bool is_model = extension == "json" || extension == "gguf";
  if (targets.empty() && is_model && runs_soon(path))
    for (std::size_t i = 0; targets.empty() && i < session.size(); ++i)
      add_targets(targets, session, i, extension, Meant::weights);
  for (std::size_t i = 0; targets.empty() && i < session.size(); ++i)
    add_targets(targets, session, i, extension, meant);
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

std::vector<DroppedPair> file_pairs(const Session& session, const std::string& a,
                                    const std::string& b) {
  std::vector<DroppedPair> pairs;
  std::pair<std::string, std::string> paths{a, b};
  if (is_reversed(stem_of(a), stem_of(b))) std::swap(paths.first, paths.second);
  const auto add = [&](std::size_t i, bool on_screen_only) {
    const ExperimentState& state = session.state(i);
    for (const PairedFiles& pair : state.experiment->info.paired_files)
      if (pair.on_screen_only == on_screen_only &&
          has_type(state.params.spec(pair.first), extension_of(paths.first)) &&
          has_type(state.params.spec(pair.second), extension_of(paths.second)))
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

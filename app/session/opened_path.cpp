#include "app/session/opened_path.h"

#include <cerrno>
#include <system_error>

#include "experiments/files/file.h"

namespace orrery {

OpenedPath look_at(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed))
    throw io_error(path.string(), "opened", failed ? failed.value() : ENOENT);
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

}  // namespace orrery

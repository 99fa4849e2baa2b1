#include "app/shell/path_opener.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/folder_listing.h"

namespace orrery {

void PathOpener::open(const std::filesystem::path& path) {
  restoring_ = false;
  opening_ = BackgroundTask<OpenedPath>([path] { return look_at(path); }, workspace_.live().wake());
}

void PathOpener::watch(const std::filesystem::path& folder) {
  Session& session = workspace_.live();
  if (watch_ && watch_->path() == folder) {
    watch_.reset();
    return session.note("No longer watching " + folder.string());
  }
  watch_ = std::make_unique<FileWatch>(folder, session.wake());
  session.note(fmt::format("Watching {}: the newest tensor there opens itself", folder.string()));
}

/// What is read already is read again.
void PathOpener::open_newest() {
  const std::filesystem::path newest = newest_tensor(watch_->path());
  Session& session = workspace_.live();
  const ParamSet& params = session.current().params;
  const bool read =
      std::any_of(params.specs().begin(), params.specs().end(), [&](const ParamSpec& spec) {
        return spec.kind == ParamKind::file && params.text(spec.key) == newest.string();
      });
  read ? session.recompute() : open(newest);
}

void PathOpener::restore_saved() {
  const SavedShown& wanted = workspace_.live().saved;
  ResultBrowser& browser = workspace_.browser();
  if (wanted.folder.empty()) return browser.close();
  if (wanted.folder == browser.path()) {
    browser.choose_folder(wanted.point);
    return browser.tell_by(wanted.hue, wanted.facet);
  }
  open(wanted.folder);
  restoring_ = true;
}

void PathOpener::update() {
  if (watch_ && watch_->take_change()) open_newest();
  auto outcome = opening_.take();
  if (!outcome || workspace_.live().size() == 0) return;
  undo_.note_input();
  const bool restored = std::exchange(restoring_, false);
  if (!outcome->value) return workspace_.shown().say(outcome->error);
  if (!restored) return show(*outcome->value);
  undo_.ignore_input();
  if (!outcome->value->saved) return;
  const SavedShown& wanted = workspace_.live().saved;
  workspace_.browser().open(std::move(*outcome->value->saved), wanted.point);
  workspace_.browser().tell_by(wanted.hue, wanted.facet);
}

void PathOpener::show(OpenedPath& opened) {
  if (opened.kind == PathKind::folder) return overlays_.files.ask(opened.path);
  Session& session = workspace_.live();
  session.remember_path(opened.path.string());
  if (opened.saved) {
    workspace_.browser().open(std::move(*opened.saved));
    workspace_.show_saved();
    return session.note("Opened " + opened.path.string());
  }
  workspace_.show_live();
  assign(opened.path.string());
}

void PathOpener::store_saved() {
  if (restoring_) return;
  workspace_.live().saved.folder = workspace_.browser().path();
  workspace_.live().saved.point = workspace_.browser().chosen();
  workspace_.live().saved.hue = workspace_.browser().hue();
  workspace_.live().saved.facet = workspace_.browser().facet();
}

/// Assigns a file to its parameter, asking which one unless that is plain.
void PathOpener::assign(const std::string& path) {
  const Session& session = workspace_.live();
  const std::vector<FileTarget> targets = file_targets(session, path);
  const bool here = !targets.empty() && targets.front().experiment == session.selected();
  if (targets.empty() || (here && (targets.size() == 1 || params_.is_editing_file())))
    return drop_file(path);
  if (targets.size() > 1) return overlays_.target.ask(path, targets);
  undo_.note_input();
  set_file(workspace_.live(), targets.front(), path);
}

/// Whether the two files may belong together in some view: one is then shown, or asked for.
bool PathOpener::drop_pair(const std::string& a, const std::string& b) {
  Session& session = workspace_.live();
  const std::vector<DroppedPair> pairs = file_pairs(session, a, b);
  if (pairs.empty()) return false;
  workspace_.show_live();
  for (const std::string& path : {a, b}) session.remember_path(path);
  const auto here = std::find_if(pairs.begin(), pairs.end(), [&](const DroppedPair& pair) {
    return pair.experiment == session.selected();
  });
  const bool plain = here != pairs.end() && (pairs.size() == 1 || !here->params->on_screen_only);
  if (!plain) {
    overlays_.pair.ask(pairs);
    return true;
  }
  undo_.note_input();
  set_pair(session, *here);
  return true;
}

void PathOpener::drop(const std::vector<std::string>& paths) {
  if (workspace_.live().size() == 0) return;
  if (paths.size() == 1) return open(paths.front());
  if (paths.size() == 2 && drop_pair(paths[0], paths[1])) return;
  for (const std::string& path : paths) drop_file(path);
}

void PathOpener::drop_file(const std::string& path) {
  undo_.note_input();
  Session& session = workspace_.live();
  if (session.size() == 0) return;
  workspace_.show_live();
  session.remember_path(path);
  params_.drop_file(session, path);
}

}  // namespace orrery

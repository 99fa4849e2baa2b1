#include "app/session/session_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <sstream>
#include <system_error>
#include <utility>

#include "app/session/desktop_state.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"
#include "experiments/files/folder_lock.h"

namespace orrery {
namespace {

// A session is a few kilobytes; a larger file is not one.
constexpr std::uintmax_t max_bytes = 4 << 20;

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

/// Gives a damaged file the name "….damaged", which is returned; empty where that fails.
std::string move_aside(const std::filesystem::path& path) {
  std::filesystem::path aside = path;
  aside += ".damaged";
  std::error_code failed;
  std::filesystem::rename(path, aside, failed);
  return failed ? std::string() : aside.filename().string();
}

void say_damaged(Session& session, const std::filesystem::path& path, const char* why) {
  const std::string aside = move_aside(path);
  session.say(fmt::format("{}: the last session could not be read ({}); {}", path.string(), why,
                          aside.empty()
                              ? "starting with the defaults"
                              : "starting with the defaults; the file is kept as " + aside));
}

/// The file as it is; empty where there is none to read.
std::string content_of(const std::filesystem::path& path) {
  std::error_code failed;
  if (path.empty() || !std::filesystem::exists(path, failed)) return {};
  try {
    return read_file(path, max_bytes);
  } catch (const std::exception&) {
    return {};
  }
}

/// What the file holds, unless another window wrote it after this session was read from it.
std::string content_known_to(const Session& session, const std::filesystem::path& path) {
  std::string text = content_of(path);
  SessionDocument held{.state = defaults_of(session.snapshot())};
  try {
    read_session_text(held, text);
  } catch (const std::exception&) {
    return {};
  }
  return held.recent == session.recent ? text : std::string();
}

/// Gives this session what another one has written, where it has changed nothing itself.
void keep_changes(const SessionDocument& before, const SessionDocument& other,
                  SessionDocument& mine) {
  mine.recent = united_paths(before.recent, other.recent, mine.recent);
  for (const auto& [name, progress] : other.lessons)
    mine.lessons[name].step = std::max(mine.lessons[name].step, progress.step);
  if (mine.state.look == before.state.look) mine.state.look = other.state.look;
  if (mine.state.saved == before.state.saved) mine.state.saved = other.state.saved;
  for (std::size_t i = 0; i < mine.state.experiments.size(); ++i)
    if (mine.state.experiments[i] == before.state.experiments[i])
      mine.state.experiments[i] = other.state.experiments[i];
}

}  // namespace

std::filesystem::path session_path() {
  constexpr const char* file = "orrery/session.toml";
  if (const char* state = environment("XDG_STATE_HOME"); state && *state == '/')
    return std::filesystem::path(state) / file;
  if (const char* home = environment("HOME"))
    return std::filesystem::path(home) / ".local/state" / file;
  return {};
}

void restore_session(Session& session, const std::filesystem::path& path) {
  std::error_code failed;
  if (path.empty() || session.size() == 0 || !std::filesystem::exists(path, failed)) return;
  try {
    const std::vector<std::string> left_out =
        apply_session_text(session, read_file(path, max_bytes));
    if (left_out.empty()) return;
    const std::string more =
        left_out.size() > 1 ? fmt::format(" (and {} more)", left_out.size() - 1) : std::string();
    session.say(fmt::format("Some of the last session could not be restored: {}{}",
                            left_out.front(), more));
  } catch (const std::exception& error) {
    say_damaged(session, path, error.what());
  }
}

SessionKeeper::SessionKeeper(const Session& session, std::filesystem::path path)
    : session_(session),
      path_(std::move(path)),
      seen_(document_of(session)),
      written_(document_of(session)),
      text_(content_known_to(session, path_)) {
  if (!path_.empty()) remove_abandoned(path_);
}

std::string SessionKeeper::watch(double seconds) {
  if (path_.empty()) return {};
  SessionDocument now = document_of(session_);
  if (!(now == seen_)) {
    seen_ = std::move(now);
    dirty_ = true;
    changed_at_ = seconds;
  }
  if (!dirty_ || seconds - changed_at_ < rest_seconds) return {};
  const std::string trouble = write();
  // Complain only once, since a full disk stays full for a while.
  return std::exchange(complained_, complained_ || !trouble.empty()) ? std::string() : trouble;
}

double SessionKeeper::due_in(double seconds) const {
  return dirty_ ? std::max(0.0, changed_at_ + rest_seconds - seconds) : -1.0;
}

/// This session, with what others have written into the file since it was last read or written
/// here.
SessionDocument SessionKeeper::merged() const {
  SessionDocument mine = document_of(session_);
  const std::string now = content_of(path_);
  if (now.empty() || now == text_) return mine;
  SessionDocument other{defaults_of(mine.state), {}};
  try {
    read_session_text(other, now);
  } catch (const std::exception&) {
    move_aside(path_);
    return mine;
  }
  keep_changes(written_, other, mine);
  return mine;
}

std::string SessionKeeper::write() {
  dirty_ = false;
  try {
    const std::filesystem::path folder = path_.parent_path();
    if (!folder.empty()) make_folders(folder);
    // Between reading and replacing no other window may write.
    const FolderTurn turn(folder.empty() ? std::filesystem::path(".") : folder);
    std::string text = session_text(merged());
    atomic_write(path_, text);
    text_ = std::move(text);
    written_ = document_of(session_);
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

void SessionKeeper::finish() noexcept {
  try {
    const bool changed = !(document_of(session_) == seen_);
    if (!path_.empty() && (dirty_ || changed)) write();
  } catch (...) {
    // The program is ending; there is no place left to report it.
  }
}

namespace {

/// Writes the files into a folder beside the session's, named by what they hold.
std::string folder_with(const std::vector<ResultFile>& files) {
  std::string all;
  for (const ResultFile& file : files) all += file.bytes;
  constexpr std::size_t digits = 12;
  const std::filesystem::path folder =
      session_path().parent_path() / "models" / sha256_hex(all).substr(0, digits);
  create_directories(folder);
  for (const ResultFile& file : files) {
    const auto path = folder / std::filesystem::path(file.path).filename();
    if (!std::filesystem::exists(path)) write_new_file(path, file.bytes);
  }
  return folder.string();
}

}  // namespace

void take_next_step(Session& session, const NextStep& next) {
  const auto experiment = session.find(next.experiment);
  if (!experiment) return;
  std::string file = next.file;
  try {
    if (!next.made.empty()) file = folder_with(next.made);
  } catch (const std::exception& error) {
    return session.say(error.what());
  }
  session.select(*experiment);
  session.reset_all();
  if (!next.file_key.empty()) session.set(next.file_key, file);
  std::istringstream in(next.words);
  for (std::string word; in >> word;) {
    const std::size_t equals = word.find('=');
    session.set(word.substr(0, equals), word.substr(equals + 1));
  }
}

}  // namespace orrery

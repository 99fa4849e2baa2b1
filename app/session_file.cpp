#include "app/session_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <system_error>
#include <utility>

#include "app/state_text.h"
#include "experiments/data/file.h"

namespace orrery {
namespace {

// A session is a few kilobytes; more is no session.
constexpr std::uintmax_t kMostBytes = 4 << 20;

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

void say_damaged(Session& session, const std::filesystem::path& path, const char* why) {
  std::filesystem::path aside = path;
  aside += ".damaged";
  std::error_code failed;
  std::filesystem::rename(path, aside, failed);
  session.say(fmt::format(
      "{}: the last session could not be read ({}); {}", path.string(), why,
      failed ? "starting with the defaults"
             : "starting with the defaults, the file is kept as " + aside.filename().string()));
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
        apply_session_text(session, read_file(path, kMostBytes));
    if (left_out.empty()) return;
    const std::string more =
        left_out.size() > 1 ? fmt::format(" (and {} more)", left_out.size() - 1) : std::string();
    session.say(
        fmt::format("Not all of the last session fits this version: {}{}", left_out.front(), more));
  } catch (const std::exception& error) {
    say_damaged(session, path, error.what());
  }
}

void replace_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code failed;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), failed);
  if (failed) throw io_error(path.parent_path().string(), "made", failed.value());
  std::filesystem::path fresh = path;
  fresh += fmt::format(".{}.new", ::getpid());
  std::filesystem::remove(fresh, failed);
  try {
    write_new_file(fresh, text);
    std::filesystem::rename(fresh, path);
  } catch (const std::filesystem::filesystem_error& error) {
    std::filesystem::remove(fresh, failed);
    throw io_error(path.string(), "replaced", error.code().value());
  } catch (...) {
    std::filesystem::remove(fresh, failed);
    throw;
  }
}

SessionKeeper::SessionKeeper(const Session& session, std::filesystem::path path)
    : session_(session),
      path_(std::move(path)),
      seen_(session.snapshot()),
      seen_recent_(session.recent) {}

std::string SessionKeeper::watch(double seconds) {
  if (path_.empty()) return {};
  DesktopState state = session_.snapshot();
  if (!(state == seen_) || session_.recent != seen_recent_) {
    seen_ = std::move(state);
    seen_recent_ = session_.recent;
    dirty_ = true;
    changed_at_ = seconds;
  }
  if (!dirty_ || seconds - changed_at_ < kRest) return {};
  const std::string trouble = write();
  // Once is enough: a disk that is full stays so for a while.
  return std::exchange(complained_, complained_ || !trouble.empty()) ? std::string() : trouble;
}

double SessionKeeper::due_in(double seconds) const {
  return dirty_ ? std::max(0.0, changed_at_ + kRest - seconds) : -1.0;
}

std::string SessionKeeper::write() {
  dirty_ = false;
  try {
    replace_file(path_, session_text(session_));
    return {};
  } catch (const std::exception& error) {
    return error.what();
  }
}

void SessionKeeper::finish() noexcept {
  try {
    const bool changed = !(session_.snapshot() == seen_) || session_.recent != seen_recent_;
    if (!path_.empty() && (dirty_ || changed)) write();
  } catch (...) {
    // Nobody is left to be told.
  }
}

}  // namespace orrery

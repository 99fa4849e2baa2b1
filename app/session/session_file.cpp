#include "app/session/session_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <system_error>
#include <utility>

#include "app/session/session_toml.h"
#include "experiments/files/atomic_write.h"
#include "experiments/files/file.h"

namespace orrery::session {
namespace {

// A session is a few kilobytes; a larger file is not one.
constexpr std::uintmax_t max_bytes = 4 << 20;

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
             : "starting with the defaults; the file is kept as " + aside.filename().string()));
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
  if (!dirty_ || seconds - changed_at_ < rest_seconds) return {};
  const std::string trouble = write();
  // Complain only once, since a full disk stays full for a while.
  return std::exchange(complained_, complained_ || !trouble.empty()) ? std::string() : trouble;
}

double SessionKeeper::due_in(double seconds) const {
  return dirty_ ? std::max(0.0, changed_at_ + rest_seconds - seconds) : -1.0;
}

std::string SessionKeeper::write() {
  dirty_ = false;
  try {
    atomic_write(path_, session_text(session_));
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
    // The program is ending; there is no place left to report it.
  }
}

}  // namespace orrery::session

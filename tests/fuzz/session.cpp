// Reads what the desktop kept of its last session, and the settings that people copy and paste.
#include "app/session/session_toml.h"

#include "tests/fuzz/harness.h"

using namespace orrery;

namespace {

Experiment experiment(const std::string& name) {
  ExperimentInfo info{
      .name = name,
      .title = name,
      .question = "Is it read?",
      .params = {{.key = "n",
                  .kind = ParamKind::integer,
                  .default_value = std::int64_t{10},
                  .min = 0,
                  .max = 100},
                 {.key = "q",
                  .kind = ParamKind::file,
                  .default_value = std::string(),
                  .file_types = {"npy"}},
                 {.key = "base", .kind = ParamKind::real, .default_value = 1e4, .min = 1},
                 {.key = "causal", .kind = ParamKind::boolean, .default_value = true},
                 {.key = "encoding",
                  .kind = ParamKind::choice_list,
                  .default_value = std::vector<std::string>{"rope"},
                  .choices = {{"rope", ""}, {"alibi", ""}}}}};
  return {.info = std::move(info),
          .run = [](const ParamSet&, const Inputs&, Progress&) { return Result{}; }};
}

/// Two sessions over the same experiments that live as long as the program: their threads start
/// once.
struct Sessions {
  Experiment one = experiment("one"), two = experiment("two");
  Session read = made(), again = made();
  DesktopState fresh = read.snapshot();

  Session made() const {
    return Session({&one, &two},
                   [] { return [](const ParamSet&) { return std::make_shared<const Inputs>(); }; },
                   {});
  }
};

void start_anew(Session& session, const DesktopState& fresh) {
  session.apply(fresh);
  session.recent.clear();
  session.update();
}

void require_round_trip(const Session& from, Session& to) {
  const std::string text = session_text(document_of(from));
  const auto left_out = fuzz::accepted<UsageError>([&] { return apply_session_text(to, text); });
  fuzz::require(left_out.has_value(), "a session that was written is read");
  fuzz::require(left_out->empty(), "nothing of it is left out");
  fuzz::require(to.snapshot() == from.snapshot() && to.recent == from.recent,
                "a session is read as it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Sessions& sessions = *new Sessions;  // its threads outlive the test
  const std::string_view text = fuzz::text_of(data, size);
  start_anew(sessions.read, sessions.fresh);
  start_anew(sessions.again, sessions.fresh);
  const auto left_out = fuzz::accepted<UsageError, DataError>(
      [&] { return apply_session_text(sessions.read, text); });
  if (!left_out) {
    fuzz::require(sessions.read.snapshot() == sessions.fresh, "what is refused changes nothing");
    const auto applied = fuzz::accepted<UsageError, DataError>(
        [&] { return apply_settings_text(sessions.read, text), true; });
    fuzz::require(applied || sessions.read.snapshot() == sessions.fresh,
                  "settings that are refused change nothing");
    if (!applied) return 0;
  }
  require_round_trip(sessions.read, sessions.again);
  return 0;
}

#include "app/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/files/file.h"

namespace orrery {
namespace {

/// UsageError: the settings were refused; IoError and DataError: a file was.
template <class Error>
bool is(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// A file that is missing beside the one it is read with.
struct AwaitedFile {
  std::string missing{};
  std::string open{};
  std::string reader{};
};

AwaitedFile awaited_file(const ExperimentInfo& info, const ParamSet& params) {
  for (const PairedFiles& pair : info.paired_files) {
    const bool first = !params.text(pair.first).empty();
    if (first == !params.text(pair.second).empty()) continue;
    return first ? AwaitedFile{pair.second, pair.first, pair.reader}
                 : AwaitedFile{pair.first, pair.second, pair.reader};
  }
  return {};
}

}  // namespace

Session::Session(const std::vector<const Experiment*>& experiments,
                 std::function<InputLoader()> make_loader, std::function<void()> wake,
                 ResultStore::Options options)
    : wake_(std::move(wake)), store_(std::move(make_loader), wake_, options) {
  for (const Experiment* experiment : experiments) {
    states_.push_back({.experiment = experiment, .params = ParamSet(experiment->info.params)});
    askers_.emplace_back(store_);
  }
}

Session::~Session() = default;

std::string ExperimentState::other_file() const {
  if (!result || !result_params) return {};
  for (const ParamSpec& spec : params.specs()) {
    const bool differs = spec.kind == ParamKind::file && params.is_used(spec.key) &&
                         params.value(spec.key) != result_params->value(spec.key);
    if (!differs) continue;
    const std::string& path = result_params->text(spec.key);
    return path.substr(path.find_last_of("/:") + 1);
  }
  return {};
}

std::optional<std::size_t> Session::find(std::string_view name) const {
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i].experiment->info.name == name) return i;
  return std::nullopt;
}

void Session::select(std::size_t index) {
  if (index >= states_.size()) return;
  selected_ = index;
  // Nothing was asked since its parameters came, and no result has them.
  const bool is_due = !askers_[index].has_asked() && states_[index].is_stale();
  if (is_due) submit(index);
}

bool Session::change(const std::function<void(ParamSet&)>& edit) {
  if (states_.empty()) return false;
  ExperimentState& state = states_[selected_];
  ParamSet edited = state.params;
  try {
    edit(edited);
  } catch (const std::exception& refusal) {
    state.message = refusal.what();
    state.failure = std::current_exception();
    state.run_failed = false;
    return false;
  }
  dismiss();
  if (edited == state.params) return true;
  // One distance at a time: the one that was set takes the place of the one that is held.
  const ParamSpec* distance = edited.with_role(ParamRole::distance);
  if (distance && edited.value(distance->key) != state.params.value(distance->key)) links.hold({});
  state.params = std::move(edited);
  submit(selected_);
  return true;
}

bool Session::set(std::string_view key, std::string_view text) {
  return change([&](ParamSet& params) { params.set(key, text); });
}

bool Session::set_value(std::string_view key, ParamValue value) {
  return change([&](ParamSet& params) { params.set_value(key, std::move(value)); });
}

void Session::reset(std::string_view key) {
  change([&](ParamSet& params) { params.reset(key); });
}

bool Session::set_text(std::string_view key, const std::string& text) {
  const auto apply = [&](ParamSet& params) {
    text.empty() ? params.reset(key) : params.set(key, text);
  };
  if (!change(apply)) return false;
  const auto is_first = [&](std::size_t i) {
    const std::vector<std::string>& controls = states_[i].experiment->info.view.controls;
    return std::find(controls.begin(), controls.end(), key) != controls.end();
  };
  for (std::size_t i = 0; is_first(selected_) && i < states_.size(); ++i) {
    if (i == selected_ || !is_first(i)) continue;
    apply(states_[i].params);
    askers_[i].forget();
  }
  return true;
}

void Session::reset_all() {
  change([](ParamSet& params) {
    for (const ParamSpec& spec : params.specs()) params.reset(spec.key);
  });
}

void Session::restore() {
  if (!current().result_params) return;
  ExperimentState& state = states_[selected_];
  askers_[selected_].stop();
  state.params = *state.result_params;
  dismiss();
}

void Session::forget() {
  ExperimentState& state = states_.at(selected_);
  askers_[selected_].forget();
  state = {.experiment = state.experiment, .params = ParamSet(state.experiment->info.params)};
}

DesktopState Session::snapshot() const {
  DesktopState state{.selected = selected_, .experiments = {}, .look = look, .saved = saved};
  for (const ExperimentState& one : states_) {
    ExperimentSettings settings{.experiment = one.experiment->info.name,
                                .params = one.params,
                                .figure = one.figure,
                                .views = one.views,
                                .shown = one.shown};
    std::erase_if(settings.views, [](const auto& entry) { return entry.second == FigureView{}; });
    std::erase_if(settings.shown.marks,
                  [](const auto& entry) { return entry.second == FigureMarks{}; });
    state.experiments.push_back(std::move(settings));
  }
  return state;
}

void Session::apply(const DesktopState& state) {
  look = state.look;
  saved = state.saved;
  for (const ExperimentSettings& settings : state.experiments) {
    const std::optional<std::size_t> index = find(settings.experiment);
    if (!index) continue;
    ExperimentState& mine = states_[*index];
    mine.figure = settings.figure;
    mine.views = settings.views;
    mine.shown = settings.shown;
    if (mine.params == settings.params) continue;
    mine.params = settings.params;
    mine.message.clear();
    mine.failure = nullptr;
    if (askers_[*index].has_asked()) submit(*index);
  }
  if (state.selected >= state.experiments.size()) return;
  if (const auto shown = find(state.experiments[state.selected].experiment)) select(*shown);
}

void Session::say(std::size_t index, std::string message) {
  states_.at(index).message = std::move(message);
  states_.at(index).failure = nullptr;
  states_.at(index).run_failed = false;
  states_.at(index).awaits.clear();
}

void Session::remember_path(const std::string& path) {
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > max_recent) recent.resize(max_recent);
}

void Session::recompute() {
  if (states_.empty()) return;
  dismiss();
  submit(selected_);
}

void Session::submit(std::size_t index) {
  askers_[index].ask({states_[index].experiment, states_[index].params});
  take(index);
}

void Session::PreviewSlot::take() {
  std::optional<ResultStore::Outcome> outcome = asker.take_newest();
  if (!outcome || !outcome->result) return;
  shown = {std::move(outcome->result), std::move(outcome->wish.params)};
}

const Session::Preview& Session::preview(Beside beside, const ParamSet& params) {
  PreviewSlot& mine = slot(beside);
  if (mine.beside != current().result) {
    mine.beside = current().result;
    mine.asked.reset();
    mine.asker.forget();
    mine.shown = {};
  }
  if (mine.asked != params) {
    mine.asked = params;
    mine.asker.ask({current().experiment, params});
    mine.take();
  }
  return mine.shown;
}

const Session::Preview& Session::previewed(Beside beside) const {
  static const Session::Preview none;
  return slot(beside).beside == current().result ? slot(beside).shown : none;
}

bool Session::is_previewing() const {
  return std::any_of(previews_.begin(), previews_.end(),
                     [](const PreviewSlot& one) { return one.asker.status().busy; });
}

bool Session::sweep(std::string_view key, double from, double to) {
  return sweep_.ask(*current().experiment, current().params, key, from, to);
}

const LiveSweep* Session::swept() const {
  if (states_.empty() || sweep_.experiment() != current().experiment) return nullptr;
  return sweep_.params() == current().params ? &sweep_ : nullptr;
}

void Session::stop(std::size_t index) {
  if (!status(index).busy) return;
  askers_[index].stop();
  const auto& shown = states_[index].result;
  if (!shown)
    say(index, "Stopped before there was a figure.");
  else if (shown->status == Status::stopped)
    say(index, "Stopped. The figure shows what was found until then.");
  else
    say(index, "Stopped. The figure still shows the previous settings.");
}

void Session::pause(std::size_t index) {
  const ResultStore::Status now = status(index);
  if (now.busy) askers_[index].pause(!now.paused);
}

void Session::update() {
  for (PreviewSlot& one : previews_) one.take();
  for (std::size_t i = 0; i < states_.size(); ++i) take(i);
  sweep_.update();
}

void Session::take(std::size_t index) {
  ExperimentState& state = states_[index];
  if (std::optional<ResultStore::Outcome> so_far = askers_[index].take_so_far()) {
    state.result = std::move(so_far->result);
    state.result_params = std::move(so_far->wish.params);
    state.seconds = so_far->seconds;
  }
  std::optional<ResultStore::Outcome> outcome = askers_[index].take_newest();
  if (!outcome) return;
  if (outcome->result) {
    if (state.whole && state.whole_params && state.whole->status == Status::completed)
      state.moved =
          observed_move(*state.whole, *state.whole_params, *outcome->result, outcome->wish.params);
    state.result = state.whole = std::move(outcome->result);
    state.result_params = state.whole_params = std::move(outcome->wish.params);
    state.seconds = outcome->seconds;
    // A message about something else, shown meanwhile, is still to be read.
    if (state.run_failed) say(index, {});
    return;
  }
  const AwaitedFile awaited = is<UsageError>(outcome->failure)
                                  ? awaited_file(state.experiment->info, outcome->wish.params)
                                  : AwaitedFile{};
  state.awaits = awaited.missing;
  state.message = state.awaits.empty() ? std::move(outcome->error)
                                       : fmt::format("{} is open. Open {} next: {} needs both.",
                                                     awaited.open, awaited.missing, awaited.reader);
  state.failure = outcome->failure;
  state.run_failed = true;
  if (state.awaits.empty() && (is<IoError>(outcome->failure) || is<DataError>(outcome->failure)))
    take_back_files(state, outcome->wish.params);
}

void Session::take_back_files(ExperimentState& state, const ParamSet& failed) {
  if (!state.result_params) return;
  for (const ParamSpec& spec : state.params.specs()) {
    const ParamValue& good = state.result_params->value(spec.key);
    const bool is_its = spec.kind == ParamKind::file &&
                        state.params.value(spec.key) == failed.value(spec.key) &&
                        failed.value(spec.key) != good;
    if (is_its) state.params.set_value(spec.key, good);
  }
}

ResultStore::Status Session::status(std::size_t index) const {
  return index < askers_.size() ? askers_[index].status() : ResultStore::Status{};
}

bool Session::busy() const {
  return std::any_of(askers_.begin(), askers_.end(), [](const ResultStore::Asker& asker) {
    const ResultStore::Status status = asker.status();
    return status.busy && !status.paused;
  });
}

}  // namespace orrery

#include "app/session.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace orrery {
namespace {

constexpr std::size_t kMostRecent = 12;

Job::Work work_of(const Experiment* experiment, const ParamSet& params,
                  const Session::InputLoader& load) {
  return [experiment, params, load](Progress& progress) {
    progress.update(0.0, "reading");
    const std::shared_ptr<const Inputs> inputs = load(params);
    return experiment->run(params, *inputs, progress);
  };
}

}  // namespace

Session::Session(const std::vector<const Experiment*>& experiments,
                 const std::function<InputLoader()>& make_loader, std::function<void()> wake)
    : wake_(std::move(wake)), make_loader_(make_loader) {
  for (const Experiment* experiment : experiments) {
    states_.push_back({.experiment = experiment, .params = ParamSet(experiment->info().params)});
    running_.push_back({.load = make_loader()});
  }
}

Session::~Session() = default;

std::optional<std::size_t> Session::find(std::string_view name) const {
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i].experiment->info().name == name) return i;
  return std::nullopt;
}

void Session::select(std::size_t index) {
  if (index >= states_.size()) return;
  selected_ = index;
  const bool never_computed = !states_[index].result && !running_[index].job;
  if (never_computed) submit(index);
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
    state.job_failed = false;
    return false;
  }
  dismiss();
  if (edited == state.params) return true;
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

void Session::reset_all() {
  change([](ParamSet& params) {
    for (const ParamSpec& spec : params.specs()) params.reset(spec.key);
  });
}

void Session::restore() {
  if (!current().result_params) return;
  ExperimentState& state = states_[selected_];
  if (Job* job = running_[selected_].job.get()) job->stop();
  state.params = *state.result_params;
  dismiss();
}

void Session::forget() {
  ExperimentState& state = states_.at(selected_);
  Running& running = running_[selected_];
  if (running.job) running.job->stop();
  running.submitted.clear();
  state = {.experiment = state.experiment, .params = ParamSet(state.experiment->info().params)};
}

DesktopState Session::snapshot() const {
  DesktopState state{.selected = selected_,
                     .experiments = {},
                     .look = {theme, scale, projector, show_list, show_panel, findings},
                     .saved = saved};
  for (const ExperimentState& one : states_) {
    ExperimentSettings settings{.experiment = one.experiment->info().name,
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
  const Look& look = state.look;
  theme = look.theme;
  scale = look.scale;
  projector = look.projector;
  show_list = look.list;
  show_panel = look.panel;
  findings = look.findings;
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
    if (running_[*index].job) submit(*index);
  }
  if (state.selected >= state.experiments.size()) return;
  if (const auto shown = find(state.experiments[state.selected].experiment)) select(*shown);
}

void Session::say(std::size_t index, std::string message) {
  states_.at(index).message = std::move(message);
  states_.at(index).failure = nullptr;
  states_.at(index).job_failed = false;
}

void Session::remember_path(const std::string& path) {
  std::erase(recent, path);
  recent.insert(recent.begin(), path);
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
}

void Session::recompute() {
  if (states_.empty()) return;
  dismiss();
  submit(selected_);
}

void Session::submit(std::size_t index) {
  Running& running = running_[index];
  if (!running.job) running.job = std::make_unique<Job>(wake_);
  const ExperimentState& state = states_[index];
  const auto ticket = running.job->submit(work_of(state.experiment, state.params, running.load));
  running.submitted.emplace(ticket, state.params);
}

void Session::preview(const ParamSet& params) {
  if (preview_.index != selected_ || !preview_.running.job)
    preview_ = {.index = selected_, .running = {.load = make_loader_()}};
  if (preview_.asked == params) return;
  preview_.asked = params;
  Running& running = preview_.running;
  if (!running.job) running.job = std::make_unique<Job>(wake_);
  running.submitted.emplace(
      running.job->submit(work_of(states_[selected_].experiment, params, running.load)), params);
}

bool Session::is_previewing() const {
  return preview_.running.job && preview_.running.job->status().busy;
}

void Session::update_preview() {
  Running& running = preview_.running;
  if (!running.job) return;
  std::optional<Job::Outcome> outcome = running.job->take();
  if (!outcome) return;
  if (outcome->result) {
    preview_.result = std::move(outcome->result);
    preview_.params = running.submitted.at(outcome->ticket);
  }
  running.submitted.erase(running.submitted.begin(),
                          running.submitted.upper_bound(outcome->ticket));
}

void Session::stop(std::size_t index) {
  Job* job = index < running_.size() ? running_[index].job.get() : nullptr;
  if (!job || !job->status().busy) return;
  job->stop();
  say(index, "stopped; the picture is of the settings before");
}

void Session::update() {
  update_preview();
  for (std::size_t i = 0; i < states_.size(); ++i) {
    Running& running = running_[i];
    if (!running.job) continue;
    std::optional<Job::Outcome> outcome = running.job->take();
    if (!outcome) continue;
    const auto submitted = running.submitted.find(outcome->ticket);
    if (submitted == running.submitted.end()) continue;  // forgotten meanwhile
    ExperimentState& state = states_[i];
    if (outcome->result) {
      state.result = std::move(outcome->result);
      state.result_params = submitted->second;
      state.seconds = outcome->seconds;
      // What was said meanwhile of something else is still to be read.
      if (state.job_failed) say(i, {});
    } else if (outcome->failure) {
      state.message = std::move(outcome->error);
      state.failure = outcome->failure;
      state.job_failed = true;
    }
    running.submitted.erase(running.submitted.begin(),
                            running.submitted.upper_bound(outcome->ticket));
  }
}

Job::Status Session::status(std::size_t index) const {
  if (index >= running_.size() || !running_[index].job) return {};
  return running_[index].job->status();
}

bool Session::busy() const {
  return std::any_of(running_.begin(), running_.end(), [](const Running& running) {
    return running.job && running.job->status().busy;
  });
}

}  // namespace orrery

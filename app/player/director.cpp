#include "app/player/director.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "experiments/figure/plot/data_range.h"
#include "experiments/files/file.h"
#include "experiments/lessons/library.h"

namespace orrery {
namespace {

/// Thrown through the evaluation of a prediction that needs a result which is not there yet.
struct MissingResult {
  std::vector<std::string> words{};
};

}  // namespace

std::vector<DrawCurve> veiled_series(const LessonStep& step) {
  std::vector<DrawCurve> series;
  for (const Veil& veil : step.veils)
    if (!veil.series.empty() && !veil.x) series.push_back({veil.figure, veil.series});
  if (step.prediction)
    if (const auto* draw = std::get_if<DrawCurve>(&step.prediction->kind)) series.push_back(*draw);
  return series;
}

void Director::open(const std::string& word, std::size_t step) {
  const std::vector<std::filesystem::path> files = lessons_named(word);
  if (files.empty()) throw UsageError(word, "holds no lessons", "see orrery lesson list");
  open_file(files.front(), step);
}

void Director::open_file(const std::filesystem::path& file, std::size_t step) {
  ParsedLesson parsed = read_lesson(file);
  if (!own_) {
    own_ = session_.snapshot();
    own_distance_ = session_.links.held();
  }
  player_.open(std::move(parsed), file, step);
  course_ = course_of(file);
  watch_ = std::make_unique<FileWatch>(file, session_.wake());
  stepped_.reset();
  show_step(false);
}

void Director::leave() {
  if (!is_open()) return;
  player_.close();
  motion_.reset();
  stepped_.reset();
  watch_.reset();
  course_.clear();
  truth_asker_.forget();
  if (own_) session_.apply(*own_);
  session_.links.hold(own_distance_);
  own_.reset();
}

void Director::next() {
  if (player_.explores()) return come_back();
  switch (player_.next()) {
    case Player::Moved::revealed:
      return unveil();
    case Player::Moved::on:
      return show_step(true);
    case Player::Moved::nowhere:
      return;
  }
}

void Director::back() {
  if (player_.explores()) return come_back();
  if (player_.back()) show_step(true);
}

void Director::go_to(std::size_t step) {
  if (player_.explores()) come_back();
  if (player_.go_to(step)) show_step(true);
}

void Director::reveal() {
  if (!player_.hides()) return;
  player_.reveal();
  unveil();
}

void Director::conceal() {
  if (player_.size() == 0) return;
  player_.conceal();
  veiled_ = false;
}

void Director::restart() {
  if (shows_step()) show_step(true);
}

void Director::explore() {
  if (!shows_step()) return;
  motion_.reset();
  stepped_ = session_.snapshot();
  player_.explore();
}

void Director::come_back() {
  if (!player_.explores()) return;
  player_.come_back();
  if (stepped_) {
    // How the desktop looks is no part of what is tried out.
    stepped_->look = session_.look;
    session_.apply(*std::exchange(stepped_, {}));
  }
}

void Director::show_step(bool with_motion) {
  if (player_.size() == 0) return;
  const StepState& state = player_.step().state;
  const ExperimentState& now = session_.current();
  motion_.reset();
  begin_step();
  try {
    DesktopState screen = screen_of(session_, state);
    std::optional<Motion> motion;
    if (with_motion && now.result)
      motion = motion_from({.experiment = now.experiment,
                            .params = now.params,
                            .figure = now.figure,
                            .views = now.views});
    session_.apply(screen);
    std::size_t& furthest = session_.lessons[player_.file().stem().string()].step;
    furthest = std::max(furthest, player_.at() + 1);
    if (motion) begin_motion(std::move(*motion));
    veil();
  } catch (const std::exception& error) {
    findings_.trouble = error.what();
  }
}

/// The way from there to the step on screen; empty where all changes at once.
std::optional<Director::Motion> Director::motion_from(const StepState& before) const {
  const StepState& to = player_.step().state;
  if (before.experiment != to.experiment) return std::nullopt;
  Motion motion{.from = before.params, .to = to.params};
  motion.view_from = view_in(before.views, to.figure);
  motion.view_to = view_in(to.views, to.figure);
  const bool zooms = before.figure == to.figure && can_zoom(motion.view_from, motion.view_to);
  if (zooms) motion.figure = to.figure;
  if (!zooms && !can_move(before.params, to.params)) return std::nullopt;
  return motion;
}

void Director::begin_motion(Motion motion) {
  motion_ = std::move(motion);
  move();
}

/// Puts settings and axes where they are at this time of the motion.
void Director::move() {
  if (motion_->from != motion_->to) {
    DesktopState screen = session_.snapshot();
    screen.experiments[screen.selected].params =
        part_way(motion_->from, motion_->to, motion_->share());
    session_.apply(screen);
  }
  move_axes();
}

void Director::move_axes() {
  const ExperimentState& state = session_.current();
  if (motion_->figure.empty() || !state.result) return;
  for (const Figure& figure : state.result->figures) {
    if (figure.id != motion_->figure) continue;
    const AxisLimits limits =
        limits_part_way(figure, motion_->view_from, motion_->view_to, motion_->share());
    FigureView& view = session_.view(figure.id);
    view.x = limits.x;
    view.y = limits.y;
  }
}

void Director::begin_step() {
  findings_ = {};
  examined_.reset();
  truth_.reset();
  veiled_ = false;
  player_.work().done = false;
  session_.links.hold({});
  session_.end_sweep();
  truth_results_.clear();
  truth_asker_.forget();
  try {
    seek_truth();
  } catch (const std::exception& error) {
    findings_.trouble = error.what();
  }
}

/// Finds the truth in the results that are there, or asks for the first one that is missing.
void Director::seek_truth() {
  const LessonStep& step = player_.step();
  if (!step.prediction || !step.state.experiment) return;
  try {
    truth_ = truth_of(*step.prediction, step.state, [&](const std::vector<std::string>& words) {
      const auto known = truth_results_.find(words);
      if (known == truth_results_.end()) throw MissingResult{words};
      return known->second;
    });
  } catch (const MissingResult& missing) {
    truth_words_ = missing.words;
    truth_asker_.ask({step.state.experiment, with_words(step.state.params, missing.words)});
  }
}

void Director::take_truth() {
  try {
    while (auto outcome = truth_asker_.take_newest()) {
      if (outcome->failure) std::rethrow_exception(outcome->failure);
      truth_results_[truth_words_] = std::move(outcome->result);
      seek_truth();
    }
  } catch (const std::exception& error) {
    findings_.trouble = error.what();
  }
}

std::string Director::place() const {
  if (!is_open() || player_.size() == 0) return {};
  const char* part = player_.explores() ? "sandbox" : player_.hides() ? "hidden" : "shown";
  return fmt::format("{} {} {}", player_.file().string(), player_.at(), part);
}

Scoreboard Director::scoreboard() const {
  if (!is_open() || player_.size() == 0) return {};
  const bool hides = player_.hides();
  Scoreboard board = scoreboard_at(course_, player_.lesson(), player_.at() + (hides ? 0 : 1));
  // What the step before settled is no news here.
  if (hides)
    for (Scoreboard::Cell& cell : board.cells) cell.is_new = false;
  return board;
}

bool Director::pose(std::size_t step, double share) {
  player_.go_to(step);
  show_step(false);
  if (step == 0 || share >= 1) return false;
  std::optional<Motion> motion = motion_from(player_.lesson().steps[step - 1].state);
  if (!motion) return false;
  motion->seconds = share * motion_seconds;
  motion->held = true;
  begin_motion(std::move(*motion));
  return true;
}

void Director::update(double seconds) {
  if (!is_open()) return;
  if (watch_ && watch_->take_change()) reload();
  if (!shows_step()) return;
  if (motion_) {
    if (!motion_->held) motion_->seconds += seconds;
    move();
    if (motion_->share() >= 1) motion_.reset();
  }
  take_truth();
  veil();
  examine();
}

/// Whether the result on screen is that of the settings on screen.
bool Director::shows_own_result() const {
  const ExperimentState& state = session_.current();
  return state.result && !state.is_stale() && state.experiment == player_.step().state.experiment;
}

void Director::examine() {
  const ExperimentState& state = session_.current();
  if (!shows_own_result() || examined_ == state.result) return;
  examined_ = state.result;
  const LessonFacts facts{*state.result, state.params};
  const LessonStep& step = player_.step();
  try {
    if (step.task) {
      findings_.task = judge(step.task->until, facts);
      findings_.hint = hint_for(*step.task, facts);
      player_.work().done = player_.work().done || findings_.task->holds;
    }
    findings_.notes = placed_notes(step.notes, facts);
  } catch (const std::exception& error) {
    findings_.trouble = error.what();
  }
}

/// Hides the curves to be predicted from the first frame on. When the step's own result arrives, fixes
/// the axes as they are with these curves, so that the axes do not give them away.
void Director::veil() {
  const ExperimentState& state = session_.current();
  if (veiled_ || !player_.hides() || !state.result ||
      state.experiment != player_.step().state.experiment)
    return;
  const bool settled = shows_own_result() && !motion_;
  for (const DrawCurve& one : veiled_series(player_.step())) {
    try {
      veil_series(one.figure, one.series, settled);
    } catch (const std::exception& error) {
      if (settled) findings_.trouble = error.what();
    }
  }
  veiled_ = settled;
}

void Director::veil_series(const std::string& figure, const std::string& series, bool keep_axes) {
  const Result& result = *session_.current().result;
  const std::string name = series_named(result, figure, series).name;
  FigureView& view = session_.view(figure);
  if (keep_axes) {
    view.hidden.erase(name);
    const LinePlot& plot = line_plot_named(result, figure);
    CurveCache cache;
    if (!view.x) view.x = fitted_x(plot, view, cache);
    if (!view.y) view.y = fitted_y(plot, view, cache);
  }
  view.hidden.insert(name);
}

void Director::unveil() {
  for (const DrawCurve& one : veiled_series(player_.step()))
    session_.view(one.figure) = view_in(player_.step().state.views, one.figure);
}

void Director::reload() {
  try {
    const StepState before = player_.size() > 0 ? player_.step().state : StepState{};
    const std::size_t at = player_.at();
    player_.reload(read_lesson(player_.file()));
    if (player_.size() == 0 || player_.explores()) return;
    // What the reader has set stays, unless the step itself sets something else now.
    const StepState& now = player_.step().state;
    if (player_.at() != at || now.text != before.text)
      show_step(false);
    else
      begin_step();
  } catch (const std::exception& error) {
    findings_.trouble = error.what();
  }
}

}  // namespace orrery
